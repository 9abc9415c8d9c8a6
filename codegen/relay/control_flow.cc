// SPDX-License-Identifier: Apache-2.0
// If, Loop and groups: bodies are functions that read values of the graphs around them.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/relay_text.h"
#include "codegen/relay/translator.h"
#include "codegen/tvm/prepare.h"
#include "core/ir/node_attributes.h"
#include "core/ir/origin.h"
#include "core/ops/control_flow.h"

namespace dragoman::relay::emit {
namespace {

bool IsRead(const Value* result) { return result != nullptr && result->used(); }

// `size` as a vector of one element: of an operand of the loop, or an input of the graph, that has
// it. nullptr: none has.
Value* SizeBefore(RelayOp& loop, const Dim& size) {
  if (size.known()) return loop.IntVector({size.value()});
  if (size.unknown()) return nullptr;
  std::vector<const Value*> values;
  for (const Use& use : loop.node.operands()) values.push_back(use.value());
  for (const auto& input : loop.node.graph()->inputs()) values.push_back(input.get());
  for (const Value* value : values) {
    const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
    if (shape == nullptr) continue;
    const auto found = std::ranges::find(*shape, size);
    if (found == shape->end()) continue;
    const std::int64_t axis = found - shape->begin();
    return Part(loop, SizesOf(loop, loop.value_of(value)), axis, axis + 1);
  }
  return nullptr;
}

// What the loop has collected before its first iteration, of what an iteration gives. nullptr: some
// size is not known before the loop.
Value* NoRows(RelayOp& loop, const Type& row) {
  if (row.shape() == nullptr) return nullptr;
  if (std::optional<Ints> known = KnownShape(*row.shape())) {
    known->insert(known->begin(), 0);
    return loop.builder.Constant(*Tensor::Full(row.dtype(), *known, 0));
  }
  Values sizes = {loop.IntVector({0})};
  for (const Dim& size : *row.shape()) {
    sizes.push_back(SizeBefore(loop, size));
    if (sizes.back() == nullptr) return nullptr;
  }
  return loop.Do("dyn.full", {loop.Number(0, row.dtype()), Join(loop, sizes)},
                 {{"shape", Attribute()}, {"dtype", std::string(RelayDType(row.dtype()))}});
}

// Those that the group had in TVM, or what its members were and came from.
Attribute::Dict GroupAttributes(const Node& node, const Graph& body) {
  Attribute::Dict attributes;
  const Extra* extra = node.extra_if_any();
  const Attribute* known = extra != nullptr ? Find(*extra, tvm::kGroupAttributes) : nullptr;
  if (known != nullptr && known->As<Attribute::Dict>() != nullptr) {
    attributes = *known->As<Attribute::Dict>();
  } else {
    attributes.emplace_back("Composite", "dragoman." + TextAttribute(node, "name", "fused"));
    std::string members;
    for (const SourceOp* member : Flatten(node.origin())) {
      members += (members.empty() ? "" : ";") + member->op;
      if (!member->name.empty()) members += "@" + member->name;
    }
    if (!members.empty()) attributes.emplace_back("PartitionedFromPattern", LocalName(members));
  }
  if (Find(attributes, "members") != nullptr) return attributes;
  // TVM knows no quotation marks within a text.
  std::string described = fmt::format("{}", fmt::join(tvm::MembersOf(body), " | "));
  std::ranges::replace(described, '"', '\'');
  attributes.emplace_back("members", std::move(described));
  return attributes;
}

// TVM has one type for the results of both branches: sizes that both state are equal in it.
Status CheckBranches(const Node& node, const Graph& holds, const Graph& fails) {
  const auto agree = [](const Dim& x, const Dim& y) {
    return !x.known() || !y.known() || x.value() == y.value();
  };
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Type &a = holds.output(i)->type(), &b = fails.output(i)->type();
    if (a.shape() == nullptr || b.shape() == nullptr) continue;
    if (std::ranges::equal(*a.shape(), *b.shape(), agree)) continue;
    return Unsupported("Relay cannot express it: branches that give " + a.ToString() + " and " +
                       b.ToString())
        .At(node.Describe());
  }
  return {};
}

}  // namespace

Value* Translator::Joined(const Values& values) {
  return values.size() == 1 ? values.front() : builder_.Tuple(values);
}

void Translator::SetResults(const Node& node, Value* joined) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    Set(node.result(i), node.num_results() == 1 ? joined : builder_.Element(joined, i));
  }
}

Value* Translator::ScalarOf(const Value& value) {
  return AsScalar(builder_, Of(&value), value.type());
}

std::unique_ptr<Graph> Translator::Body(const Graph& graph) {
  auto body = std::make_unique<Graph>();
  for (const auto& input : graph.inputs())
    values_[input.get()] = body->AddInput(LocalName(input->name()), RelayType(input->type()));
  RelayBuilder outer = std::exchange(builder_, RelayBuilder(*body));
  TranslateNodes(graph);
  Values results;
  for (const Use& output : graph.outputs()) results.push_back(Of(output.value()));
  body->AddOutput(Joined(results));
  builder_ = outer;
  return body;
}

Status Translator::TranslateIf(const Node& node) {
  const Graph* then_branch = GraphAttribute(node, "then_branch");
  const Graph* else_branch = GraphAttribute(node, "else_branch");
  if (then_branch == nullptr || else_branch == nullptr)
    return Unsupported("an If without branches").At(node.Describe());
  DRAGOMAN_TRY(CheckBranches(node, *then_branch, *else_branch));
  Value* condition = ScalarOf(*node.operand(0));
  auto holds = Body(*then_branch);
  auto fails = Body(*else_branch);
  SetResults(node, builder_.If(condition, std::move(holds), std::move(fails)));
  return {};
}

// A function with the attribute Composite, which carries those of all members, and its call.
Status Translator::TranslateFused(const Node& node) {
  const Graph& graph = *GraphAttribute(node, "body");
  auto body = Body(graph);
  Attribute::Dict attributes = GroupAttributes(node, graph);
  Value* function = builder_.Function(std::move(body), {{"attrs", std::move(attributes)}});
  Values arguments;
  for (const Use& use : node.operands()) arguments.push_back(Of(use.value()));
  SetResults(node, builder_.CallValue(function, arguments));
  return {};
}

// let %loop = fn (%i, %condition, carried…, collected…) {
//   if (less(%i, count) and %condition) {
//     …; %loop(add(%i, 1i64), …, concatenate((%collected, expand_dims(new, axis=0)), axis=0))
//   } else { (all of them) }
// };
struct Translator::LoopForm {
  const Graph& graph;  // the body in the common dialect
  std::size_t carried = 0;
  std::vector<std::size_t> collected;  // outputs of the body
  std::unique_ptr<Graph> body;         // of the function
  Value* index = nullptr;              // its parameters, which are in `state`, too
  Value* condition = nullptr;          // nullptr: nothing but the count ends the loop
  Values state;
  Values first;  // what the first call gives for each of `state`
};

Status Translator::AddCarried(const Node& node, LoopForm& loop) {
  const Graph& graph = loop.graph;
  for (std::size_t i = 0; i < loop.carried; ++i) {
    const Value* input = graph.input(i + 2);
    const Type& type = input->type();
    if (!type.is_tensor() || type.shape() == nullptr || RelayDType(type.dtype()).empty())
      return Unsupported("Relay has no loops that carry " + type.ToString()).At(node.Describe());
    loop.first.push_back(Of(node.operand(i + 2)));
    values_[input] = loop.body->AddInput(LocalName(input->name()), RelayType(type));
    loop.state.push_back(values_[input]);
  }
  return {};
}

Status Translator::AddCollected(const Node& node, LoopForm& loop) {
  RelayOp op{{node, inference_, "Relay", bounded_}, {}, builder_, [this](const Value* value) {
               return Of(value);
             }};
  for (std::size_t i = loop.carried + 1; i < loop.graph.num_outputs(); ++i) {
    if (!IsRead(node.result(i - 1))) continue;
    const Type& row = loop.graph.output(i)->type();
    if (!row.is_tensor() || RelayDType(row.dtype()).empty())
      return Unsupported("Relay has no loops that collect " + row.ToString()).At(node.Describe());
    Value* none = NoRows(op, row);
    if (none == nullptr)
      return Unsupported("a loop that collects what has no known size").At(node.Describe());
    loop.collected.push_back(i);
    loop.first.push_back(none);
    Shape shape = *row.shape();
    shape.insert(shape.begin(), Dim::Unknown());
    loop.state.push_back(loop.body->AddInput(fmt::format("collected{}", loop.collected.size()),
                                             RelayType(Type::Tensor(row.dtype(), shape))));
  }
  return {};
}

// Runs the body once, and the loop again with what that gives.
std::unique_ptr<Graph> Translator::LoopIteration(const LoopForm& loop, const std::string& name) {
  const Graph& graph = loop.graph;
  auto iteration = std::make_unique<Graph>();
  RelayBuilder outer = std::exchange(builder_, RelayBuilder(*iteration));
  if (loop.condition == nullptr)
    values_[graph.input(1)] = builder_.Constant(*Tensor::Full(DType::kBool, {}, 1));
  TranslateNodes(graph);
  Values next = {builder_.Call("add", {loop.index, builder_.Constant(Tensor::Int(1))})};
  if (loop.condition != nullptr) next.push_back(ScalarOf(*graph.output(0)));
  for (std::size_t i = 0; i < loop.carried; ++i) next.push_back(Of(graph.output(i + 1)));
  for (const std::size_t i : loop.collected) {
    Value* row = Of(graph.output(i));
    row = graph.output(i)->type().rank() == 0
              ? ScalarAsVector(builder_, row)
              : ApartFromScalars(builder_,
                                 builder_.Call("expand_dims", {row}, {{"axis", std::int64_t{0}}}));
    Value* so_far = loop.state[next.size()];
    next.push_back(
        builder_.Call("concatenate", {builder_.Tuple({so_far, row})}, {{"axis", std::int64_t{0}}}));
  }
  iteration->AddOutput(builder_.CallValue(builder_.Self(name), next));
  builder_ = outer;
  return iteration;
}

namespace {

// What a loop collected, `rows`: TVM knows their sizes only where they are stated.
Value* WithSizes(RelayBuilder& builder, Value* rows, const Type& type) {
  const auto known = type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
  if (!known || std::ranges::count(*known, 0) > 0) return rows;
  return builder.Call("reshape", {rows}, {{"newshape", *known}});
}

}  // namespace

Status Translator::TranslateLoop(const Node& node) {
  const Graph& graph = *GraphAttribute(node, "body");
  const bool starts =
      node.operand(1) == nullptr || IsConstantBool(inference_.Know(node.operand(1)), true);
  const bool stops = !starts || !IsConstantBool(inference_.Know(graph.output(0)), true);
  Value* count = node.operand(0) != nullptr ? ScalarOf(*node.operand(0)) : nullptr;

  LoopForm loop{.graph = graph, .carried = graph.num_inputs() - 2};
  loop.body = std::make_unique<Graph>();
  loop.index = loop.body->AddInput("i", Type::Tensor(DType::kI64, Shape{}));
  loop.state = {loop.index};
  loop.first = {builder_.Constant(Tensor::Int(0))};
  values_[graph.input(0)] = loop.index;
  if (stops) {
    loop.condition = loop.body->AddInput("condition", Type::Tensor(DType::kBool, Shape{}));
    loop.state.push_back(loop.condition);
    loop.first.push_back(node.operand(1) != nullptr
                             ? ScalarOf(*node.operand(1))
                             : builder_.Constant(*Tensor::Full(DType::kBool, {}, 1)));
    values_[graph.input(1)] = loop.condition;
  }
  const std::string name = names_.Unique("while_loop");
  DRAGOMAN_TRY(AddCarried(node, loop));
  DRAGOMAN_TRY(AddCollected(node, loop));

  RelayBuilder outer = std::exchange(builder_, RelayBuilder(*loop.body));
  Value* test = count != nullptr ? builder_.Call("less", {loop.index, count}) : loop.condition;
  if (count != nullptr && stops) test = builder_.Call("logical_and", {test, loop.condition});
  if (test == nullptr) test = builder_.Constant(*Tensor::Full(DType::kBool, {}, 1));
  auto iteration = LoopIteration(loop, name);
  auto done = std::make_unique<Graph>();
  done->AddOutput(RelayBuilder(*done).Tuple(loop.state));
  loop.body->AddOutput(builder_.If(test, std::move(iteration), std::move(done)));
  builder_ = outer;

  Value* function = builder_.Let(name, builder_.Function(std::move(loop.body)), name);
  Value* results = builder_.CallValue(function, loop.first);
  // A function of TVM 0.19 that reads an element has the whole tuple as its operand, with scalars,
  // which it must not have beside open sizes (ScalarAsVector): reading one is a function of its
  // own.
  const bool is_open = !loop.collected.empty() || HasOpenSizes(node);
  const auto alone = [&](Value* element) { return is_open ? Alone(builder_, element) : element; };
  std::size_t place = stops ? 2 : 1;
  for (std::size_t i = 0; i < loop.carried; ++i, ++place) {
    if (node.result(i) != nullptr) Set(node.result(i), alone(builder_.Element(results, place)));
  }
  for (const std::size_t i : loop.collected) {
    Value* rows = alone(builder_.Element(results, place++));
    Set(node.result(i - 1), WithSizes(builder_, rows, node.result(i - 1)->type()));
  }
  return {};
}

}  // namespace dragoman::relay::emit
