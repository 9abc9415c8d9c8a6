// SPDX-License-Identifier: Apache-2.0
// The binary forms of tensors: single arrays, as metadata sections hold them, and `.params` files.
#ifndef DRAGOMAN_IMPORTERS_TVM_ND_ARRAY_H_
#define DRAGOMAN_IMPORTERS_TVM_ND_ARRAY_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::tvm {

// "float32", "bool", "bfloat16"; nullopt for types of several lanes and what else has no DType.
std::optional<DType> DTypeOfText(std::string_view text);

// The array that begins at byte `at` of `bytes`, which is then after it. Its elements stay where
// they are, in memory that `owner` keeps alive. Errors: another magic number, sizes that do not fit
// the bytes, with the byte; an element type that has no DType.
Result<Tensor> ReadNdArray(std::span<const std::byte> bytes, std::size_t& at,
                           const std::shared_ptr<const void>& owner);

bool IsParams(std::span<const std::byte> bytes);
// The arrays of a `.params` file by name, in its order.
Result<std::vector<std::pair<std::string, Tensor>>> ReadParams(const std::string& path);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_ND_ARRAY_H_
