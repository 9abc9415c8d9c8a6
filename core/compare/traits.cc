// SPDX-License-Identifier: Apache-2.0
#include "core/compare/traits.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/ir/domain.h"

namespace dragoman::compare {
namespace {

// Attributes of ai.onnx that had another default, or meant something else when absent, before an
// operator set.
struct ChangedDefault {
  std::string_view op;
  std::string_view attribute;
  std::int64_t since;
};
constexpr ChangedDefault kChangedDefaults[] = {
    {"GridSample", "mode", 20}, {"Hardmax", "axis", 13},
    {"LogSoftmax", "axis", 13}, {"RoiAlign", "coordinate_transformation_mode", 16},
    {"Selu", "alpha", 6},       {"Selu", "gamma", 6},
    {"Softmax", "axis", 13},    {"Split", "axis", 2},
};

bool HasDefaultAt(std::string_view op, std::string_view attribute, std::int64_t version) {
  return std::ranges::none_of(kChangedDefaults, [&](const ChangedDefault& changed) {
    return changed.op == op && changed.attribute == attribute && version < changed.since;
  });
}

std::int64_t LowestOnnxVersion(const Model& a, const Model& b) {
  std::int64_t lowest = INT64_MAX;
  const auto add = [&lowest](const std::vector<OpsetImport>& opsets) {
    for (const OpsetImport& opset : opsets) {
      if (CanonicalDomain(opset.domain).empty()) lowest = std::min(lowest, opset.version);
    }
  };
  for (const Model* model : {&a, &b}) {
    add(model->opsets);
    for (const Function& function : model->functions) add(function.opsets);
  }
  return lowest;
}

// Words are compared as by FillParams: without regard to case and underscores.
std::string Letters(std::string_view word) {
  std::string letters;
  for (const char c : word) {
    if (c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

// Lists of a number an axis, which is the same for all if the list is empty.
bool IsEmptyWindow(std::string_view name, const Attribute::Ints& sizes) {
  if (name != "dilations" && name != "strides" && name != "pads") return false;
  const std::int64_t usual = name == "pads" ? 0 : 1;
  return std::ranges::all_of(sizes, [=](std::int64_t size) { return size == usual; });
}

bool IsDefault(const NamedAttribute& attribute, const AttributeDef& known) {
  const Attribute& usual = known.default_value;
  if (known.name != attribute.name || usual.kind() != attribute.value.kind()) return false;
  if (const auto* word = usual.As<std::string>())
    return Letters(*word) == Letters(*attribute.value.As<std::string>());
  const auto* sizes = usual.As<Attribute::Ints>();
  if (sizes != nullptr && sizes->empty() &&
      IsEmptyWindow(known.name, *attribute.value.As<Attribute::Ints>()))
    return true;
  return Identical(usual, attribute.value);
}

// Whether `window` is what the weight, [out, in, window...], has after its channels.
bool IsWindowOfWeight(const Attribute::Ints& window, const Node& node) {
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    const Shape* shape = node.operand(i) == nullptr ? nullptr : node.operand(i)->type().shape();
    if (shape == nullptr || shape->size() != window.size() + 2) continue;
    return std::equal(window.begin(), window.end(), shape->begin() + 2,
                      [](std::int64_t size, const Dim& dim) { return dim == Dim(size); });
  }
  return false;
}

}  // namespace

TraitTable::TraitTable(const CompareOptions& options, const Model& a, const Model& b)
    : options_(options), onnx_version_(LowestOnnxVersion(a, b)) {}

const OpTraits& TraitTable::Of(const Node& node) {
  auto [found, added] = traits_.try_emplace(&node.op());
  if (!added) return found->second;
  OpTraits& traits = found->second;
  const std::span<const std::string_view> ordered = options_.ordered_dialects;
  traits.ordered = std::ranges::find(ordered, node.op().dialect) != ordered.end();
  traits.definition = FindOp(node.op());
  if (const OpDef* definition = traits.definition) {
    traits.ordered |= definition->effect;
    traits.random = definition->random;
    traits.commutative = definition->commutative;
    const bool source = options_.level == Level::kSource;
    for (const AttributeDef& attribute : definition->attributes) {
      if (source && options_.strict_attributes) continue;
      traits.has_weight_window |= attribute.name == "kernel_shape" && !attribute.required;
      if (attribute.default_value.kind() == Attribute::Kind::kNone) continue;
      if (!source || HasDefaultAt(node.op().type, attribute.name, onnx_version_))
        traits.defaults.push_back(&attribute);
    }
  }
  return traits;
}

bool SameOp(const OpName& a, const OpName& b) {
  return &a == &b || (a.type == b.type && a.dialect == b.dialect && a.overload == b.overload &&
                      CanonicalDomain(a.domain) == CanonicalDomain(b.domain));
}

std::vector<const NamedAttribute*> CountedAttributes(const Node& node, const OpTraits& traits) {
  std::vector<const NamedAttribute*> counted;
  counted.reserve(node.attributes().size());
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto is_default = [&](const AttributeDef* known) { return IsDefault(attribute, *known); };
    if (std::ranges::any_of(traits.defaults, is_default)) continue;
    const auto* sizes = attribute.value.As<Attribute::Ints>();
    if (traits.has_weight_window && attribute.name == "kernel_shape" && sizes != nullptr &&
        IsWindowOfWeight(*sizes, node))
      continue;
    counted.push_back(&attribute);
  }
  std::stable_sort(
      counted.begin(), counted.end(),
      [](const NamedAttribute* x, const NamedAttribute* y) { return x->name < y->name; });
  return counted;
}

std::size_t CountedOperands(const Node& node, Level level) {
  std::size_t count = node.num_operands();
  if (level == Level::kSource) return count;
  while (count > 0 && node.operand(count - 1) == nullptr) --count;
  return count;
}

std::size_t CountedResults(const Node& node, Level level) {
  std::size_t count = node.num_results();
  // After the last result that is read, a file may list others or not.
  const auto is_read = [&](std::size_t i) {
    return node.result(i) != nullptr && node.result(i)->used();
  };
  std::size_t read = count;
  while (read > 0 && !is_read(read - 1)) --read;
  if (read > 0) return read;
  if (level == Level::kSource) return count;
  while (count > 0 && node.result(count - 1) == nullptr) --count;
  return count;
}

bool ListedAlike(const Value* a, const Value* b) {
  if (a == nullptr) return b == nullptr || !b->used();
  return b != nullptr || !a->used();
}

OrderedNodes::OrderedNodes(const Graph& root, TraitTable& traits) {
  std::unordered_set<const Node*> ordered;
  std::vector<const Graph*> graphs;
  ForEachGraph(root, [&](const Graph& graph) {
    graphs.push_back(&graph);
    for (const Node& node : graph.nodes()) {
      if (!traits.Of(node).ordered) continue;
      const Node* at = &node;
      while (at != nullptr && ordered.insert(at).second) at = at->graph()->parent();
    }
  });
  if (ordered.empty()) return;
  for (const Graph* graph : graphs) {
    for (const Node& node : graph->nodes()) {
      if (ordered.contains(&node)) nodes_[graph].push_back(&node);
    }
  }
}

std::span<const Node* const> OrderedNodes::Of(const Graph& graph) const {
  auto found = nodes_.find(&graph);
  if (found == nodes_.end()) return {};
  return found->second;
}

}  // namespace dragoman::compare
