// SPDX-License-Identifier: Apache-2.0
// The operators of dialect `prims`, to which torch decomposes those of aten.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PRIMS_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PRIMS_H_

#include <optional>
#include <span>
#include <string_view>

#include "importers/torch/script/block_builder.h"

namespace dragoman::torch {

struct RenamedArgument {
  std::string_view from;
  std::string_view to;  // empty: the argument says only where the elements lie
};

// The operator of aten that computes what a primitive one does.
struct Primitive {
  TorchOp op;
  std::span<const RenamedArgument> renamed;  // arguments that aten calls otherwise
};

// nullopt: it is lowered by itself, or not known.
std::optional<Primitive> FindPrimitive(std::string_view name);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_PRIMS_H_
