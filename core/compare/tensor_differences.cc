// SPDX-License-Identifier: Apache-2.0
#include "core/compare/tensor_differences.h"

#include <algorithm>
#include <vector>

#include "core/ir/unpack.h"

namespace dragoman::compare {
namespace {

// The elements of a tensor as the runtime has them.
class TensorElements {
 public:
  explicit TensorElements(const Tensor& tensor) : data_(tensor.bytes().data()) {
    if (tensor.dtype() == DType::kString) {
      data_ = tensor.strings().data();
    } else if (ElementsPerByte(tensor.dtype()) > 1) {
      unpacked_.resize(static_cast<std::size_t>(tensor.size()));
      Unpack(tensor, unpacked_);
      data_ = unpacked_.data();
    }
  }

  const void* data() const { return data_; }

 private:
  const void* data_;
  std::vector<std::byte> unpacked_;
};

}  // namespace

const rt::ElementType& RuntimeType(DType dtype) {
  return *std::ranges::find_if(rt::kElementTypes, [&](const rt::ElementType& type) {
    return type.name == NumpyName(dtype);
  });
}

rt::ElementDifferences FindDifferences(const Tensor& a, const Tensor& b,
                                       const rt::Closeness& closeness) {
  const TensorElements x(a), y(b);
  return rt::FindDifferences(RuntimeType(a.dtype()), x.data(), y.data(), a.size(), closeness);
}

}  // namespace dragoman::compare
