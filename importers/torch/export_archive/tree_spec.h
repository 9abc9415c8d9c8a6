// SPDX-License-Identifier: Apache-2.0
// How flat results are nested: the pytree that torch.export states as JSON text.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_TREE_SPEC_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_TREE_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::torch {

struct TreeSpec {
  enum class Kind : std::uint8_t { kLeaf, kTuple, kList, kDict };

  Kind kind = Kind::kLeaf;
  std::vector<std::string> keys;  // of a kDict, as many as children
  std::vector<TreeSpec> children;

  std::size_t CountLeaves() const;
};

inline constexpr int kMaxTreeDepth = 24;

// Reads `[1, {"type": "builtins.tuple", "context": …, "children_spec": […]}]`. What is not a tuple,
// list or dict (a dataclass) is taken for a tuple of its parts. Errors: another form; nested deeper
// than kMaxTreeDepth.
Result<TreeSpec> ParseTreeSpec(std::string_view text);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_TREE_SPEC_H_
