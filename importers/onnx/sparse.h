// Constants that ONNX can write in several forms.
#ifndef DRAGOMAN_IMPORTERS_ONNX_SPARSE_H_
#define DRAGOMAN_IMPORTERS_ONNX_SPARSE_H_

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman {

// The largest tensor, in bytes, that a sparse one is expanded to.
inline constexpr std::size_t kMaxDenseBytes = std::size_t{1} << 30;

// With zeros written out. Errors: indices out of range or not as many as values; a result above
// kMaxDenseBytes.
Result<Tensor> Densify(const SparseTensor& sparse);

// What attribute value, value_float, value_ints, … or sparse_value of a Constant node stands for.
Result<Tensor> ConstantTensor(const Attribute& attribute);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_SPARSE_H_
