// SPDX-License-Identifier: Apache-2.0
#include "core/ops/scan.h"

#include <utility>

#include "core/ir/node_attributes.h"
#include "core/ops/control_flow.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// `count` integers of a list attribute that may be absent.
Result<std::vector<std::int64_t>> ReadList(const Node& node, std::string_view name,
                                           std::size_t count) {
  const Attribute* attribute = node.attribute(name);
  if (attribute == nullptr) return std::vector<std::int64_t>(count);
  const auto* ints = attribute->As<Attribute::Ints>();
  if (ints != nullptr && ints->size() == count) return *ints;
  return InvalidInput("attribute '" + std::string(name) + "' must list " + std::to_string(count) +
                      " ints")
      .At(node.Describe());
}

Result<std::vector<bool>> ReadDirections(const Node& node, std::string_view name,
                                         std::size_t count) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> directions, ReadList(node, name, count));
  std::vector<bool> reversed;
  for (std::int64_t direction : directions) {
    if (direction != 0 && direction != 1) {
      return InvalidInput("attribute '" + std::string(name) + "' holds " +
                          std::to_string(direction) + ", expected 0 or 1")
          .At(node.Describe());
    }
    reversed.push_back(direction == 1);
  }
  return reversed;
}

// The slice that one iteration sees of operand `i`. Its length along the axis is merged into
// `length`.
Result<Type> SliceOf(const InferContext& context, std::size_t i, std::int64_t stated_axis,
                     Dim& length) {
  const Type& type = context.type(i);
  if (type.shape() == nullptr) return Type::Tensor(type.dtype());
  Shape shape = *type.shape();
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, stated_axis, static_cast<int>(shape.size())));
  const Dim size = shape[static_cast<std::size_t>(axis)];
  if (Equal(size, length) == Truth::kNo) {
    return context.Fail("operand " + std::to_string(i) + " has " + size.ToString() +
                        " elements to scan, others have " + length.ToString());
  }
  if (length.unknown() || size.known()) length = size;
  shape.erase(shape.begin() + axis);
  return Type::Tensor(type.dtype(), std::move(shape));
}

Result<std::vector<Knowledge>> InferIterations(InferContext& context, Graph& body,
                                               std::vector<Type>& states,
                                               std::span<const Type> slices) {
  for (int pass = 0;; ++pass) {
    std::vector<Knowledge> inputs;
    for (const Type& type : states) inputs.push_back({type, nullptr, std::nullopt});
    for (const Type& type : slices) inputs.push_back({type, nullptr, std::nullopt});
    DRAGOMAN_ASSIGN(std::vector<Knowledge> outputs, context.InferSubgraph(body, inputs));
    std::vector<Type> returned;
    for (std::size_t i = 0; i < states.size(); ++i) returned.push_back(outputs[i].type);
    Result<bool> again = WidenCarried(states, returned, pass);
    if (!again.ok()) return std::move(again).error().At(context.node().Describe());
    if (!*again) return outputs;
  }
}

Status InferScan(InferContext& context) {
  DRAGOMAN_ASSIGN(Graph * body,
                  BodyOf(context, "body", context.num_operands(), context.num_results()));
  DRAGOMAN_ASSIGN(ScanLayout layout, ReadScan(context.node(), *body));
  std::vector<Type> states, slices;
  Dim length;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    if (i < layout.states) {
      states.push_back(context.type(i));
      continue;
    }
    DRAGOMAN_ASSIGN(Type slice, SliceOf(context, i, layout.input_axes[i - layout.states], length));
    slices.push_back(std::move(slice));
  }
  DRAGOMAN_ASSIGN(std::vector<Knowledge> outputs, InferIterations(context, *body, states, slices));
  const std::set<std::string> outer = OuterSymbols(context);
  for (std::size_t i = 0; i < context.num_results(); ++i) {
    if (i < layout.states) {
      context.SetType(i, OuterType(context, i, states[i], outer));
      continue;
    }
    const Type& slice = outputs[i].type;
    context.SetType(i, Type::Tensor(slice.dtype()));
    if (slice.shape() == nullptr) continue;
    if (length.unknown()) length = context.FreshDim(i);
    Shape stacked = OuterShape(context, i, *slice.shape(), outer);
    DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, layout.output_axes[i - layout.states],
                                            static_cast<int>(stacked.size()) + 1));
    stacked.insert(stacked.begin() + axis, length);
    context.SetShape(i, std::move(stacked));
  }
  return {};
}

}  // namespace

Result<ScanLayout> ReadScan(const Node& node, const Graph& body) {
  const std::int64_t inputs = IntAttribute(node, "num_scan_inputs", 0);
  const auto total = static_cast<std::int64_t>(node.num_operands());
  if (inputs < 1 || inputs > total) {
    return InvalidInput("num_scan_inputs must be from 1 to the number of operands")
        .At(node.Describe());
  }
  ScanLayout layout;
  layout.inputs = static_cast<std::size_t>(inputs);
  layout.states = node.num_operands() - layout.inputs;
  if (body.num_outputs() < layout.states) {
    return InvalidInput("the body has " + std::to_string(body.num_outputs()) + " outputs for " +
                        std::to_string(layout.states) + " states")
        .At(node.Describe());
  }
  layout.outputs = body.num_outputs() - layout.states;
  DRAGOMAN_ASSIGN(layout.input_axes, ReadList(node, "scan_input_axes", layout.inputs));
  DRAGOMAN_ASSIGN(layout.output_axes, ReadList(node, "scan_output_axes", layout.outputs));
  DRAGOMAN_ASSIGN(layout.input_reversed,
                  ReadDirections(node, "scan_input_directions", layout.inputs));
  DRAGOMAN_ASSIGN(layout.output_reversed,
                  ReadDirections(node, "scan_output_directions", layout.outputs));
  return layout;
}

std::vector<OpDef> ScanOps() {
  return {Op("Scan", {8, 21},
             "(initial_state_and_scan_inputs: V+) -> (final_state_and_scan_outputs: V+)", "V: any")
              .Attribute("body", Attribute::Kind::kGraph)
              .Required("body")
              .Attribute("num_scan_inputs", Attribute::Kind::kInt)
              .Required("num_scan_inputs")
              .Attribute("scan_input_axes", Attribute::Kind::kInts)
              .Attribute("scan_input_directions", Attribute::Kind::kInts)
              .Attribute("scan_output_axes", Attribute::Kind::kInts)
              .Attribute("scan_output_directions", Attribute::Kind::kInts)
              .Infer(InferScan)};
}

}  // namespace dragoman
