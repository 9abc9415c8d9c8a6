#include "runtime/program/weights.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/program/error.h"

namespace dragoman::rt {
namespace {

std::uint64_t WordAt(const std::byte* data, std::int64_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, data + offset, sizeof word);
  return word;
}

}  // namespace

std::shared_ptr<const Weights> Weights::Open(const std::string& path, std::uint64_t identity,
                                             std::int64_t bytes) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Error(path + ": cannot open the weights: " + std::strerror(errno));
  struct stat status = {};
  const bool known = ::fstat(file, &status) == 0;
  std::shared_ptr<Weights> weights(new Weights);
  if (known && status.st_size == bytes) {
    void* data = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      weights->data_ = static_cast<const std::byte*>(data);
      weights->size_ = static_cast<std::size_t>(bytes);
    }
  }
  ::close(file);
  if (known && status.st_size != bytes) {
    throw Error(path + ": not the weights of this program; found " +
                std::to_string(status.st_size) + " bytes, expected " + std::to_string(bytes));
  }
  if (weights->data_ == nullptr) throw Error(path + ": cannot map the weights");
  if (std::memcmp(weights->data_, kMagic, 16) != 0 ||
      WordAt(weights->data_, 16) != static_cast<std::uint64_t>(kVersion) ||
      WordAt(weights->data_, 24) != identity) {
    throw Error(path + ": not the weights of this program, or of another version of its model");
  }
  return weights;
}

Weights::~Weights() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

// Whole pages only: the others hold parts of other tensors.
void Weights::ReleaseBytes(const std::byte* data, std::size_t bytes) const noexcept {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = static_cast<std::size_t>(data - data_);
  const std::size_t first = (begin + page - 1) / page * page, last = (begin + bytes) / page * page;
  if (first >= last) return;
  ::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

Tensor<std::string> Weights::StringsAt(std::int64_t offset, const Shape& shape) const {
  Tensor<std::string> tensor;
  ThrowIfError(tensor.Resize(shape));
  const std::int64_t count = tensor.size();
  const auto size = static_cast<std::int64_t>(size_);
  std::int64_t text = offset + 8 * (count + 1);
  if (offset < 0 || text > size || WordAt(data_, offset) != static_cast<std::uint64_t>(count))
    throw Error("the weights file is damaged");
  for (std::int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::int64_t>(WordAt(data_, offset + 8 * (i + 1)));
    if (length < 0 || length > size - text) throw Error("the weights file is damaged");
    tensor[i].assign(reinterpret_cast<const char*>(data_ + text), static_cast<std::size_t>(length));
    text += length;
  }
  return tensor;
}

}  // namespace dragoman::rt
