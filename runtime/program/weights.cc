// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

bool Exists(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0;
}

// With a separator at its end; empty: nobody knows.
std::string FolderOfExecutable() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof path)) return "";
  const std::string executable(path, static_cast<std::size_t>(length));
  return executable.substr(0, executable.rfind('/') + 1);
}

}  // namespace

std::string WeightsPath(const std::string& given, const char* package, const char* built,
                        const char* name) {
  if (!given.empty()) return given;
  const std::string folder = FolderOfExecutable(), file = std::string(name) + ".weights";
  for (const std::string& path : {std::string(package), std::string(built),
                                  folder + "../share/" + name + "/" + file, folder + file}) {
    if (!path.empty() && Exists(path)) return path;
  }
  return *package != '\0' ? package : built;
}

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
      weights->is_mapped_ = true;
    }
  }
  ::close(file);
  if (known && status.st_size != bytes) {
    throw Error(path + ": not the weights of this program; found " +
                std::to_string(status.st_size) + " bytes, expected " + std::to_string(bytes));
  }
  if (weights->data_ == nullptr) throw Error(path + ": cannot map the weights");
  weights->Check(path, identity);
  return weights;
}

std::shared_ptr<const Weights> Weights::InMemory(const void* data, std::uint64_t identity,
                                                 std::int64_t bytes) {
  std::shared_ptr<Weights> weights(new Weights);
  weights->data_ = static_cast<const std::byte*>(data);
  weights->size_ = static_cast<std::size_t>(bytes);
  weights->Check("the weights in the program", identity);
  return weights;
}

void Weights::Check(const std::string& path, std::uint64_t identity) const {
  if (std::memcmp(data_, kMagic, 16) != 0 ||
      WordAt(data_, 16) != static_cast<std::uint64_t>(kVersion) || WordAt(data_, 24) != identity) {
    throw Error(path + ": not the weights of this program, or of another version of its model");
  }
}

Weights::~Weights() {
  if (is_mapped_) ::munmap(const_cast<std::byte*>(data_), size_);
}

// Whole pages only: the others hold parts of other tensors.
void Weights::ReleaseBytes(const std::byte* data, std::size_t bytes) const noexcept {
  if (!is_mapped_) return;
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
