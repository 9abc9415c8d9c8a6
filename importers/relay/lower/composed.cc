// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/lower/composed.h"

#include <optional>

#include "core/ir/find_as.h"
#include "importers/relay/graph/read_model.h"
#include "importers/relay/graph/relay_ops.h"

namespace dragoman {
namespace relay {
namespace {

std::vector<ComposedRemark> RemarksOf(const Graph& function) {
  const Attribute::Dict* attributes = AttributesOfFunction(function);
  const auto* texts = FindAs<Attribute::Strings>(attributes, kComposed);
  std::vector<ComposedText> split;
  for (const std::string& text : texts != nullptr ? *texts : Attribute::Strings())
    split.push_back(SplitComposed(text).value_or(ComposedText()));
  return ResolveRemarks(function, split);
}

std::optional<std::string> NothingMore(const Node&) { return ""; }
bool DoesNoMore(const ComposedOperator&, const Node&) { return false; }

}  // namespace

ComposedNodes FindComposed(const Model& source) {
  ComposedNodes found;
  for (const Entry& entry : source.entries)
    AddComposed(*entry.graph, RemarksOf(*entry.graph), NothingMore, DoesNoMore, found);
  return found;
}

}  // namespace relay

Result<std::vector<std::string>> DigestsOfComposedCalls(std::string_view text) {
  DRAGOMAN_ASSIGN(const Model source, ReadRelayText(text));
  std::vector<std::string> digests;
  for (const ComposedRemark& remark : relay::RemarksOf(source.main()))
    digests.push_back(DigestOfRemark(remark, relay::NothingMore));
  return digests;
}

}  // namespace dragoman
