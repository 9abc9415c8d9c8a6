// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights file of a generated program, mapped read-only.
//
// 64 bytes of header: "dragoman weights" (16 bytes), then as 64-bit integers the version (1), the
// identity and the size of the file in bytes. The identity is a hash of all tensors, which the
// program knows: the file of another model is refused. After it lie the tensors, each at a
// multiple of 64: elements as in memory, little-endian; strings as their number, their lengths
// (64-bit integers) and their bytes.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_WEIGHTS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/packed_weights.h"
#include "runtime/program/tensor.h"

namespace dragoman::rt {

// Where the weights of program `name` are: `given` unless it is empty; else the first that is there
// of `package`, where the installed package has them (empty: there is none), `built`, where they
// were when the program was built, share/NAME/NAME.weights of the prefix that the running
// executable is installed below, and NAME.weights beside it.
std::string WeightsPath(const std::string& given, const char* package, const char* built,
                        const char* name);

class Weights {
 public:
  static constexpr char kMagic[] = "dragoman weights";
  static constexpr std::int64_t kVersion = 1;
  static constexpr std::int64_t kHeaderBytes = 64;

  // Null, and why: no such file; not the weights of this program.
  static std::shared_ptr<const Weights> Open(const std::string& path, std::uint64_t identity,
                                             std::int64_t bytes, Status* status);
  // The same of weights in memory that outlives the program, such as a section of its own.
  static std::shared_ptr<const Weights> InMemory(const void* data, std::uint64_t identity,
                                                 std::int64_t bytes, Status* status);
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
  ~Weights();

  // The tensor at `offset`, of which the generator vouches for.
  template <class T>
  TensorView<const T> At(std::int64_t offset, const Shape& shape) const {
    return {reinterpret_cast<const T*>(data_ + offset), shape};
  }
  // Whether `data` is part of them.
  bool Hold(const void* data) const {
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    return at - reinterpret_cast<std::uintptr_t>(data_) < size_;
  }
  PackedWeights& packed() const { return packed_; }
  // Gives the memory of a tensor back that has been packed elsewhere. It may still be read, which
  // fetches it from the file again.
  template <class T>
  void Release(const TensorView<const T>& tensor) const noexcept {
    ReleaseBytes(reinterpret_cast<const std::byte*>(tensor.data),
                 static_cast<std::size_t>(tensor.size()) * sizeof(T));
  }
  // Errors: the file contradicts itself. Throws std::bad_alloc.
  Status StringsAt(std::int64_t offset, const Shape& shape, Tensor<std::string>* strings) const;

 private:
  Weights() = default;
  // Null, unless these are the weights of that identity.
  static std::shared_ptr<const Weights> Checked(std::shared_ptr<Weights> weights,
                                                const std::string& path, std::uint64_t identity,
                                                Status* status);
  void ReleaseBytes(const std::byte* data, std::size_t bytes) const noexcept;

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_mapped_ = false;
  mutable PackedWeights packed_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_WEIGHTS_H_
