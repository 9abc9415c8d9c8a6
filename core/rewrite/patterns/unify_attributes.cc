// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/default_activations.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/zeros.h"
#include "runtime/params/resize.h"

namespace dragoman {
namespace {

bool AreZero(const Attribute::Ints* numbers) {
  return numbers == nullptr || std::ranges::all_of(*numbers, [](auto n) { return n == 0; });
}

// No element of a window lies in padding of its own; what ceil_mode adds never counts.
bool HasNoPads(const Node& node) {
  return AreZero(IntsAttribute(node, "pads")) &&
         TextAttribute(node, "auto_pad", "NOTSET") == "NOTSET";
}

// VALID is the same as no pads.
bool PadsNothingByItself(const Node& node) {
  const std::string_view rule = TextAttribute(node, "auto_pad", "NOTSET");
  return (rule == "VALID" || rule == "NOTSET") && AreZero(IntsAttribute(node, "pads"));
}

bool AreOnes(const Attribute::Ints* numbers) {
  return numbers == nullptr || std::ranges::all_of(*numbers, [](auto n) { return n == 1; });
}
bool HasDenseWindows(const Node& node) { return AreOnes(IntsAttribute(node, "dilations")); }
bool HasUnitSteps(const Node& node) { return AreOnes(IntsAttribute(node, "strides")); }

// The kernel says it.
bool HasKernelOfKnownSize(const Node& node) {
  const Shape* shape = node.operand(1) != nullptr ? node.operand(1)->type().shape() : nullptr;
  return shape != nullptr && KnownShape(*shape).has_value();
}

bool HasNoOutputPadding(const Node& node) { return AreZero(IntsAttribute(node, "output_padding")); }

// Sizes of Reshape that are copied, by 0, or empty.
bool HasNoZeroSizes(const Node& node) {
  const Tensor* sizes = ConstantOf(node.operand(1));
  return IntAttribute(node, "allowzero") == 0 ||
         (sizes != nullptr && std::ranges::count(sizes->ToInts(), 0) == 0);
}

bool ReachesLastAxis(const Node& node) {
  const std::optional<int> rank = node.operand(0)->type().rank();
  return rank && IntAttribute(node, "end", 0) >= *rank;
}

bool BeginsAtFirstAxis(const Node& node) { return IntAttribute(node, "start") == 0; }

bool IsNotNearest(const Node& node) { return TextAttribute(node, "mode") != "nearest"; }
bool IsNotCubic(const Node& node) { return TextAttribute(node, "mode") != "cubic"; }

// Whether activations are those that the operator has by default, for each direction.
bool HasUsualActivations(const Node& node) {
  const auto* names = FindAs<Attribute::Strings>(node.attributes(), "activations");
  if (names == nullptr || names->empty()) return false;
  const auto usual = DefaultActivations(node.op().type);
  for (std::size_t i = 0; i < names->size(); ++i) {
    if ((*names)[i] != usual[i % usual.size()]) return false;
  }
  return node.attribute("activation_alpha") == nullptr &&
         node.attribute("activation_beta") == nullptr;
}

// Along the first axis, from its begin.
bool ReadsAlongFirst(const Node& node) { return AreZero(IntsAttribute(node, "scan_input_axes")); }
bool ListsAlongFirst(const Node& node) { return AreZero(IntsAttribute(node, "scan_output_axes")); }
bool ReadsForward(const Node& node) {
  return AreZero(IntsAttribute(node, "scan_input_directions"));
}
bool ListsForward(const Node& node) {
  return AreZero(IntsAttribute(node, "scan_output_directions"));
}

// An attribute that changes nothing where `is_idle` holds.
struct Idle {
  std::string_view op;
  std::string_view attribute;
  bool (*is_idle)(const Node& node);
};

constexpr Idle kIdle[] = {{"AveragePool", "auto_pad", PadsNothingByItself},
                          {"AveragePool", "count_include_pad", HasNoPads},
                          {"AveragePool", "dilations", HasDenseWindows},
                          {"AveragePool", "pads", HasNoPads},
                          {"AveragePool", "strides", HasUnitSteps},
                          {"Conv", "auto_pad", PadsNothingByItself},
                          {"Conv", "dilations", HasDenseWindows},
                          {"Conv", "kernel_shape", HasKernelOfKnownSize},
                          {"Conv", "pads", HasNoPads},
                          {"Conv", "strides", HasUnitSteps},
                          {"ConvTranspose", "dilations", HasDenseWindows},
                          {"ConvTranspose", "kernel_shape", HasKernelOfKnownSize},
                          {"ConvTranspose", "output_padding", HasNoOutputPadding},
                          {"ConvTranspose", "pads", HasNoPads},
                          {"ConvTranspose", "strides", HasUnitSteps},
                          {"GRU", "activations", HasUsualActivations},
                          {"LSTM", "activations", HasUsualActivations},
                          {"MaxPool", "auto_pad", PadsNothingByItself},
                          {"MaxPool", "dilations", HasDenseWindows},
                          {"MaxPool", "pads", HasNoPads},
                          {"MaxPool", "strides", HasUnitSteps},
                          {"RNN", "activations", HasUsualActivations},
                          {"Reshape", "allowzero", HasNoZeroSizes},
                          {"Resize", "cubic_coeff_a", IsNotCubic},
                          {"Resize", "nearest_mode", IsNotNearest},
                          {"Scan", "scan_input_axes", ReadsAlongFirst},
                          {"Scan", "scan_input_directions", ReadsForward},
                          {"Scan", "scan_output_axes", ListsAlongFirst},
                          {"Scan", "scan_output_directions", ListsForward},
                          {"Shape", "end", ReachesLastAxis},
                          {"Shape", "start", BeginsAtFirstAxis}};

// An attribute that changes nothing is left out.
Result<bool> OmitIdleAttribute(Node& node, PassContext&) {
  bool changed = false;
  for (const auto& [op, attribute, is_idle] : kIdle) {
    if (!node.Is(op) || node.attribute(attribute) == nullptr || !is_idle(node)) continue;
    node.RemoveAttribute(attribute);
    changed = true;
  }
  return changed;
}

// Transpose without a permutation = Transpose by the reversed one
Result<bool> StatePermutation(Node& node, PassContext&) {
  const bool is_open = node.Is("Transpose") && node.attribute("perm") == nullptr;
  const std::optional<int> rank = is_open ? node.operand(0)->type().rank() : std::nullopt;
  if (!rank) return false;
  Attribute::Ints reversed;
  for (int axis = *rank - 1; axis >= 0; --axis) reversed.push_back(axis);
  node.SetAttribute("perm", Attribute(std::move(reversed)));
  return true;
}

// An axis is counted from the front, or left out if it is the one that the operator takes without.
Result<bool> CountAxisFromFront(Node& node, PassContext&) {
  const bool counted = AxisUseOf(node) != AxisUse::kNone;
  const Attribute* said = counted ? node.attribute("axis") : nullptr;
  const auto* axis = said != nullptr ? said->As<std::int64_t>() : nullptr;
  const std::optional<int> rank =
      axis != nullptr ? node.operand(0)->type().rank() : std::optional<int>();
  if (!rank || *axis < -*rank || *axis >= *rank) return false;
  const auto from_front = [&](std::int64_t number) { return number < 0 ? number + *rank : number; };
  const std::int64_t wanted = from_front(*axis);
  const AttributeDef* declared = FindDeclared(node, "axis");
  const auto* usual = declared != nullptr ? declared->default_value.As<std::int64_t>() : nullptr;
  if (usual != nullptr && from_front(*usual) == wanted) {
    node.RemoveAttribute("axis");
    return true;
  }
  if (*axis == wanted) return false;
  node.SetAttribute("axis", Attribute(wanted));
  return true;
}

// Squeeze and Unsqueeze with a list of axes counted from the front
Result<bool> CountAxesFromFront(Node& node, PassContext& context) {
  const bool puts = node.Is("Unsqueeze");
  if ((!puts && !node.Is("Squeeze")) || node.num_operands() != 2) return false;
  const Tensor* axes = ConstantOf(node.operand(1));
  const Value& counted = puts ? *node.result() : *node.operand(0);
  const std::optional<int> rank = axes != nullptr ? counted.type().rank() : std::nullopt;
  if (!rank || axes->rank() > 1) return false;
  std::vector<std::int64_t> numbers = axes->ToInts();
  const auto is_negative = [](std::int64_t axis) { return axis < 0; };
  const auto is_far = [&](std::int64_t axis) { return axis < -*rank; };
  const bool is_counted = axes->rank() == 1 && std::ranges::none_of(numbers, is_negative);
  if (is_counted || std::ranges::any_of(numbers, is_far)) return false;
  for (std::int64_t& axis : numbers) axis += axis < 0 ? *rank : 0;
  Value* from_front =
      context.AddConstant(*node.graph(), Tensor::Ints(numbers), "axes", node.origin());
  Value* const operands[] = {node.operand(0), from_front};
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, node.op().type, operands, node.attributes()));
  return context.ReplaceIfAllowed(node, y);
}

bool HasSize(const Value& value, std::size_t axis, std::int64_t size) {
  const Shape* shape = value.type().shape();
  return shape != nullptr && axis < shape->size() && (*shape)[axis] == Dim(size);
}

// Split into parts of equal sizes that are stated = Split into so many parts
Result<bool> SplitEvenly(Node& node, PassContext& context) {
  const Tensor* sizes = node.Is("Split") ? ConstantOf(node.operand(1)) : nullptr;
  const std::optional<int> rank = sizes != nullptr ? node.operand(0)->type().rank() : std::nullopt;
  if (!rank || sizes->size() == 0) return false;
  const std::vector<std::int64_t> parts = sizes->ToInts();
  std::int64_t axis = IntAttribute(node, "axis");
  if (axis < 0) axis += *rank;
  const bool is_even =
      std::ranges::all_of(parts, [&](auto size) { return size == parts[0]; }) &&
      HasSize(*node.operand(0), static_cast<std::size_t>(axis), parts[0] * std::ssize(parts));
  if (!is_even || parts[0] == 0) return false;
  std::vector<NamedAttribute> attributes = {{"num_outputs", std::ssize(parts)}};
  if (const Attribute* said = node.attribute("axis")) attributes.push_back({"axis", *said});
  Value* operand = node.operand(0);
  DRAGOMAN_ASSIGN(Node * made, context.InsertNode(node, "Split", {{operand}}, std::move(attributes),
                                                  node.num_results()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) results.push_back(made->result(i));
  DRAGOMAN_TRY(context.InsertCopies(node, results));
  context.Replace(node, results);
  return true;
}

// The sizes of a value, if all are known and none is 0.
std::optional<std::vector<std::int64_t>> KnownSizes(const Value& value) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *shape) {
    if (!dim.known() || dim.value() == 0) return std::nullopt;
    sizes.push_back(dim.value());
  }
  return sizes;
}

// Flatten(x) = Reshape(x, sizes), where these are known
Result<bool> SpellFlatten(Node& node, PassContext& context) {
  const auto sizes = node.Is("Flatten") ? KnownSizes(*node.result()) : std::nullopt;
  if (!sizes) return false;
  Value* target = context.AddConstant(*node.graph(), Tensor::Ints(*sizes), "sizes", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Reshape", {{node.operand(0), target}}));
  return context.ReplaceIfAllowed(node, y);
}

// Whether it stretches all of its operand along all axes.
bool StretchesWhole(const Node& node) {
  const Result<Params> filled = FindOp(node)->fill_params(node);
  if (!filled.ok()) return false;
  const auto& params = filled->As<rt::ResizeParams>();
  return params.axes.empty() &&
         params.keep_aspect_ratio_policy == rt::AspectRatioPolicy::kStretch &&
         params.coordinate_transformation_mode != rt::CoordinateTransformation::kTfCropAndResize;
}

// The factor by which `from` becomes `to`, if f32 has it: then operators that have the factor
// and those that divide the sizes map coordinates alike.
std::optional<float> ExactFactor(const Dim& from, const Dim& to) {
  if (Equal(from, to) == Truth::kYes) return 1;
  if (!from.known() || !to.known()) return std::nullopt;
  const auto size = static_cast<double>(from.value());
  const float factor = static_cast<float>(to.value()) / static_cast<float>(from.value());
  const bool exact = static_cast<double>(factor) * size == static_cast<double>(to.value());
  return exact ? std::optional(factor) : std::nullopt;
}

// Resize to sizes that are those of its operand times a number = Resize by these factors
Result<bool> ResizeByScales(Node& node, PassContext& context) {
  if (!node.Is("Resize") || node.operand(3) == nullptr || !StretchesWhole(node)) return false;
  const Shape* from = node.operand(0)->type().shape();
  // What the result is declared as may be a claim, which only this node checks.
  const std::optional<Elements> to = context.inference.Know(node.operand(3)).elements;
  if (from == nullptr || !to || from->size() != to->size()) return false;
  std::vector<float> scales;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const std::optional<float> factor = ExactFactor((*from)[i], (*to)[i]);
    if (!factor) return false;
    scales.push_back(*factor);
  }
  const Tensor factors = Tensor::Of<float>({std::ssize(scales)}, scales);
  Value* constant = context.AddConstant(*node.graph(), factors, "scales", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Resize", {{node.operand(0), nullptr, constant}},
                                            node.attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// The places of the maxima that nothing reads are left out.
Result<bool> OmitPlaces(Node& node, PassContext& context) {
  const bool fits = node.Is("MaxPool") && node.num_results() == 2 &&
                    (node.result(1) == nullptr || !node.result(1)->used());
  if (!fits) return false;
  DRAGOMAN_ASSIGN(Node * made,
                  context.InsertNode(node, "MaxPool", {{node.operand(0)}}, node.attributes(), 1));
  std::vector<Value*> results = {made->result(), nullptr};
  if (!node.result()->used() || !PassContext::CanReplace(*node.result(), *results[0])) {
    context.Erase(*made);
    return false;
  }
  context.Replace(node, results);
  return true;
}

}  // namespace

std::span<const Pattern> AttributePatterns() {
  static constexpr Pattern kPatterns[] = {{"omit-idle-attribute", OmitIdleAttribute},
                                          {"state-permutation", StatePermutation},
                                          {"count-axis-from-front", CountAxisFromFront},
                                          {"count-axes-from-front", CountAxesFromFront},
                                          {"split-evenly", SplitEvenly},
                                          {"spell-flatten", SpellFlatten},
                                          {"resize-by-scales", ResizeByScales},
                                          {"omit-places", OmitPlaces}};
  return kPatterns;
}

}  // namespace dragoman
