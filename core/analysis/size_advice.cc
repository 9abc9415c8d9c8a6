// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/size_advice.h"

#include <algorithm>

#include "core/ir/entry_graph.h"

namespace dragoman {
namespace {

bool HasOpenSize(const Type& type) { return type.shape() != nullptr && !KnownShape(*type.shape()); }

}  // namespace

std::string WithSizeAdvice(std::string_view why, const Node& node) {
  std::string text(why);
  const bool may_be_stated =
      why.find("known at run time only") != std::string_view::npos &&
      std::ranges::any_of(EntryGraphOf(node).inputs(),
                          [](const auto& input) { return HasOpenSize(input->type()); });
  if (may_be_stated) text += "; state the inputs' sizes with --shape";
  return text;
}

}  // namespace dragoman
