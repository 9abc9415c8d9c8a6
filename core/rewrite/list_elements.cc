// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/list_elements.h"

#include <cstddef>
#include <limits>

namespace dragoman {
namespace {

// Reads of single elements look at no more nodes than this, lest many reads of a long list cost its
// square.
constexpr std::size_t kMaxNodesOfShortList = 64;

// Puts in or takes out one element; false if it is not known where.
bool Change(const Node& node, std::vector<Value*>& elements, const PassContext& context) {
  const bool inserts = node.Is("SequenceInsert");
  const auto count = static_cast<std::int64_t>(elements.size());
  const Value* place = node.operand(inserts ? 2 : 1);
  auto at = place != nullptr ? IntOf(context, place) : count - (inserts ? 0 : 1);
  if (at && *at < 0) *at += count;
  if (!at || *at < 0 || *at >= count + (inserts ? 1 : 0)) return false;
  if (inserts) {
    elements.insert(elements.begin() + *at, node.operand(1));
  } else {
    elements.erase(elements.begin() + *at);
  }
  return true;
}

std::optional<std::vector<Value*>> ReadElements(const Value& list, const PassContext& context,
                                                const KnownList& begin, std::size_t max_changes) {
  const Value* at = &list;
  std::vector<const Node*> changes;  // the last one first
  for (; at != begin.list && at->producer() != nullptr; at = at->producer()->operand(0)) {
    const Node& node = *at->producer();
    if (!node.Is("SequenceInsert") && !node.Is("SequenceErase")) break;
    if (changes.size() == max_changes) return std::nullopt;
    changes.push_back(&node);
  }
  std::vector<Value*> elements = begin.elements;
  if (at != begin.list) {
    const Node* node = at->producer();
    if (node == nullptr || (!node->Is("SequenceConstruct") && !node->Is("SequenceEmpty"))) {
      return std::nullopt;
    }
    elements.clear();
    for (const Use& use : node->operands()) elements.push_back(use.value());
  }
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (!Change(**change, elements, context)) return std::nullopt;
  }
  return elements;
}

// Element `at` < 0 of a list of which only the end is known; nullptr if it was not put in there.
Value* ElementFromEnd(const Value& list, std::int64_t at) {
  const Node* node = list.producer();
  for (std::size_t i = 0; at < 0 && node != nullptr && i < kMaxNodesOfShortList; ++i) {
    const bool inserts = node->Is("SequenceInsert");
    if (!inserts && !node->Is("SequenceErase")) return nullptr;
    if (node->operand(inserts ? 2 : 1) != nullptr) return nullptr;
    if (inserts && at == -1) return node->operand(1);
    at += inserts ? 1 : -1;
    node = node->operand(0)->producer();
  }
  return nullptr;
}

}  // namespace

std::optional<std::vector<Value*>> ElementsOf(const Value& list, const PassContext& context,
                                              const KnownList& begin) {
  return ReadElements(list, context, begin, std::numeric_limits<std::size_t>::max());
}

Value* ElementAt(const Value& list, std::int64_t at, const PassContext& context) {
  if (Value* element = ElementFromEnd(list, at)) return element;
  const auto elements = ReadElements(list, context, {}, kMaxNodesOfShortList);
  if (!elements) return nullptr;
  const auto count = static_cast<std::int64_t>(elements->size());
  if (at < 0) at += count;
  return at >= 0 && at < count ? (*elements)[static_cast<std::size_t>(at)] : nullptr;
}

}  // namespace dragoman
