// SPDX-License-Identifier: Apache-2.0
// Sparse tensors that a file holds.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_SPARSE_PARTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_SPARSE_PARTS_H_

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::torch {

// The dense form of a tensor as README.md describes it: "layout", "parts", "sizes". Errors:
// unsupported, where it is not in COO form, an index occurs twice (torch adds those up), or its
// values are themselves dense tensors; those of Densify.
Result<Tensor> ExpandParts(const Attribute::Dict& tensor);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_SPARSE_PARTS_H_
