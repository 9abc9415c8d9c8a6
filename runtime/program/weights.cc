// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/weights.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

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

std::nullptr_t Refused(const std::string& why, Status* status) {
  *status = KeepError(why.c_str());
  return nullptr;
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
                                             std::int64_t bytes, Status* status) {
  // Without waiting for somebody to write, if it is a pipe.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Refused(path + ": cannot open the weights: " + std::strerror(errno), status);
  struct stat found = {};
  const bool known = ::fstat(file, &found) == 0;
  std::shared_ptr<Weights> weights(new Weights);
  if (known && found.st_size == bytes) {
    void* data = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      weights->data_ = static_cast<const std::byte*>(data);
      weights->size_ = static_cast<std::size_t>(bytes);
      weights->is_mapped_ = true;
    }
  }
  ::close(file);
  if (known && found.st_size != bytes) {
    return Refused(path + ": not the weights of this program; found " +
                       std::to_string(found.st_size) + " bytes, expected " + std::to_string(bytes),
                   status);
  }
  if (weights->data_ == nullptr) return Refused(path + ": cannot map the weights", status);
  return Checked(std::move(weights), path, identity, status);
}

std::shared_ptr<const Weights> Weights::InMemory(const void* data, std::uint64_t identity,
                                                 std::int64_t bytes, Status* status) {
  std::shared_ptr<Weights> weights(new Weights);
  weights->data_ = static_cast<const std::byte*>(data);
  weights->size_ = static_cast<std::size_t>(bytes);
  return Checked(std::move(weights), "the weights in the program", identity, status);
}

std::shared_ptr<const Weights> Weights::Checked(std::shared_ptr<Weights> weights,
                                                const std::string& path, std::uint64_t identity,
                                                Status* status) {
  const std::byte* const data = weights->data_;
  if (std::memcmp(data, kMagic, 16) != 0 ||
      WordAt(data, 16) != static_cast<std::uint64_t>(kVersion) || WordAt(data, 24) != identity) {
    return Refused(path + ": not the weights of this program, or of another version of its model",
                   status);
  }
  *status = Status();
  return weights;
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

Status Weights::StringsAt(std::int64_t offset, const Shape& shape,
                          Tensor<std::string>* strings) const {
  const Status damaged = Status::Error("the weights file is damaged");
  DRAGOMAN_RT_TRY(strings->Resize(shape));
  const std::int64_t count = strings->size();
  const auto size = static_cast<std::int64_t>(size_);
  std::int64_t text = offset + 8 * (count + 1);
  if (offset < 0 || text > size || WordAt(data_, offset) != static_cast<std::uint64_t>(count))
    return damaged;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::int64_t>(WordAt(data_, offset + 8 * (i + 1)));
    if (length < 0 || length > size - text) return damaged;
    (*strings)[i].assign(reinterpret_cast<const char*>(data_ + text),
                         static_cast<std::size_t>(length));
    text += length;
  }
  return Status();
}

}  // namespace dragoman::rt
