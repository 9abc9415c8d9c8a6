// If, Loop and groups: bodies are functions that read values of the graphs around them.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/relay_text.h"
#include "codegen/relay/translator.h"
#include "codegen/tvm/prepare.h"
#include "core/ir/node_attributes.h"
#include "core/ir/origin.h"

namespace dragoman::relay::emit {
namespace {

bool IsTrue(const Knowledge& knowledge) {
  return knowledge.elements && knowledge.elements->size() == 1 &&
         knowledge.elements->front() == Dim(1);
}

bool IsRead(const Value* result) { return result != nullptr && result->used(); }

// The sizes of what a turn gives, if they are known.
std::optional<Ints> KnownRow(const Type& type) {
  return type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
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
  Value* condition = ScalarOf(*node.operand(0));
  auto holds = Body(*then_branch);
  auto fails = Body(*else_branch);
  SetResults(node, builder_.If(condition, std::move(holds), std::move(fails)));
  return {};
}

// A function with the attribute Composite, which carries those of all members, and its call.
Status Translator::TranslateFused(const Node& node) {
  const Graph& graph = *GraphAttribute(node, "body");
  auto body = std::make_unique<Graph>();
  for (const auto& input : graph.inputs())
    values_[input.get()] = body->AddInput(LocalName(input->name()), RelayType(input->type()));
  RelayBuilder outer = std::exchange(builder_, RelayBuilder(*body));
  TranslateNodes(graph);
  Values results;
  for (const Use& output : graph.outputs()) results.push_back(Of(output.value()));
  body->AddOutput(Joined(results));
  builder_ = outer;
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
Status Translator::TranslateLoop(const Node& node) {
  const Graph& graph = *GraphAttribute(node, "body");
  const std::size_t carried = graph.num_inputs() - 2;
  const bool starts = node.operand(1) == nullptr || IsTrue(inference_.Know(node.operand(1)));
  const bool stops = !starts || !IsTrue(inference_.Know(graph.output(0)));
  const bool counts = node.operand(0) != nullptr;
  const Type index_type = Type::Tensor(DType::kI64, Shape{});
  const Type condition_type = Type::Tensor(DType::kBool, Shape{});

  Value* count = counts ? ScalarOf(*node.operand(0)) : nullptr;
  Values first = {builder_.Constant(Tensor::Int(0))};
  if (stops)
    first.push_back(node.operand(1) != nullptr
                        ? ScalarOf(*node.operand(1))
                        : builder_.Constant(*Tensor::Full(DType::kBool, {}, 1)));
  auto body = std::make_unique<Graph>();
  const std::string name = names_.Unique("while_loop");
  Value* index = body->AddInput("i", index_type);
  Value* condition = stops ? body->AddInput("condition", condition_type) : nullptr;
  values_[graph.input(0)] = index;
  if (condition != nullptr) values_[graph.input(1)] = condition;
  Values state = {index};
  if (condition != nullptr) state.push_back(condition);
  for (std::size_t i = 0; i < carried; ++i) {
    const Value* input = graph.input(i + 2);
    const Type& type = input->type();
    if (!type.is_tensor() || type.shape() == nullptr || RelayDType(type.dtype()).empty())
      return Unsupported("Relay has no loops that carry " + type.ToString()).At(node.Describe());
    first.push_back(Of(node.operand(i + 2)));
    state.push_back(values_[input] = body->AddInput(LocalName(input->name()), RelayType(type)));
  }
  std::vector<std::size_t> collected;  // outputs of the body
  for (std::size_t i = carried + 1; i < graph.num_outputs(); ++i) {
    if (!IsRead(node.result(i - 1))) continue;
    const Type& type = graph.output(i)->type();
    const std::optional<Ints> row = KnownRow(type);
    if (!row) return Unsupported("a loop that collects what has no known size").At(node.Describe());
    collected.push_back(i);
    Ints none = *row;
    none.insert(none.begin(), 0);
    first.push_back(builder_.Constant(*Tensor::Full(type.dtype(), none, 0)));
    Shape shape(none.begin(), none.end());
    shape.front() = Dim::Unknown();
    state.push_back(body->AddInput(fmt::format("collected{}", collected.size()),
                                   Type::Tensor(type.dtype(), shape)));
  }

  RelayBuilder outer = std::exchange(builder_, RelayBuilder(*body));
  Value* test = counts ? builder_.Call("less", {index, count}) : nullptr;
  if (condition != nullptr)
    test = test != nullptr ? builder_.Call("logical_and", {test, condition}) : condition;
  if (test == nullptr) test = builder_.Constant(*Tensor::Full(DType::kBool, {}, 1));

  auto turn = std::make_unique<Graph>();
  builder_ = RelayBuilder(*turn);
  if (condition == nullptr)
    values_[graph.input(1)] = builder_.Constant(*Tensor::Full(DType::kBool, {}, 1));
  TranslateNodes(graph);
  Values next = {builder_.Call("add", {index, builder_.Constant(Tensor::Int(1))})};
  if (condition != nullptr) next.push_back(ScalarOf(*graph.output(0)));
  for (std::size_t i = 0; i < carried; ++i) next.push_back(Of(graph.output(i + 1)));
  for (const std::size_t i : collected) {
    Value* row = builder_.Call("expand_dims", {Of(graph.output(i))}, {{"axis", std::int64_t{0}}});
    Value* so_far = state[next.size()];
    next.push_back(
        builder_.Call("concatenate", {builder_.Tuple({so_far, row})}, {{"axis", std::int64_t{0}}}));
  }
  turn->AddOutput(builder_.CallValue(builder_.Self(name), next));

  auto done = std::make_unique<Graph>();
  builder_ = RelayBuilder(*done);
  done->AddOutput(builder_.Tuple(state));

  builder_ = RelayBuilder(*body);
  body->AddOutput(builder_.If(test, std::move(turn), std::move(done)));
  builder_ = outer;
  Value* loop = builder_.Let(name, builder_.Function(std::move(body)), name);
  Value* results = builder_.CallValue(loop, first);
  const std::size_t before = condition != nullptr ? 2 : 1;
  for (std::size_t i = 0; i < carried; ++i) {
    if (node.result(i) != nullptr) Set(node.result(i), builder_.Element(results, before + i));
  }
  for (std::size_t i = 0; i < collected.size(); ++i)
    Set(node.result(collected[i] - 1), builder_.Element(results, before + carried + i));
  return {};
}

}  // namespace dragoman::relay::emit
