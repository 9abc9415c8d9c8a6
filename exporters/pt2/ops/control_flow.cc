// SPDX-License-Identifier: Apache-2.0
// If as cond; Loop as while_loop, or as scan where it gives a value per iteration; Scan as scan.
// Bodies become graphs whose inputs are the operands that the call passes, values of the graph
// around them last.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/ir/axes.h"
#include "core/ir/node_attributes.h"
#include "core/ops/control_flow.h"
#include "core/ops/elements.h"
#include "core/ops/infer_context.h"

namespace dragoman::pt2 {
namespace {

// A flag as a tensor without axes, which the operators take.
Result<Term> Flag(const AtenOp& op, const Term& flag) {
  if (flag.rank() == 0) return flag;
  return op.Reshape(flag, Sizes(), Shape());
}

// Tensors each of which has memory of its own, as torch's passes want those that go into a body and
// come out of it.
class OwnMemory {
 public:
  explicit OwnMemory(AtenGraph& graph, const Terms& taken = {}) : graph_(graph) {
    for (const Term& term : taken) taken_.insert(graph.MemoryOf(term.name));
  }

  // The tensors, or copies of them.
  Terms Of(const Terms& terms) {
    Terms own;
    for (const Term& term : terms) {
      const bool is_new = taken_.insert(graph_.MemoryOf(term.name)).second;
      own.push_back(
          is_new ? term
                 : graph_.Call("aten.clone.default", {{"self", term}}, {term.dtype, term.shape}));
    }
    return own;
  }

 private:
  AtenGraph& graph_;
  std::set<std::string> taken_;
};

// The outputs of a body, none of which is an input; what else it has is dropped.
Terms FinishBody(AtenGraph& body, Terms inputs, const Terms& outputs) {
  for (const auto& [outer, inner] : body.imports()) inputs.push_back(inner);
  const Terms made = OwnMemory(body, inputs).Of(outputs);
  body.DropUnread(made);
  return made;
}

// The values that bodies, which are finished, take of the graph around them, each once.
class Captures {
 public:
  void Add(const AtenGraph& body) {
    for (const auto& [outer, inner] : body.imports()) {
      const bool is_there = std::ranges::any_of(
          outer_, [&outer = outer](const Term& term) { return term.name == outer.name; });
      if (!is_there) outer_.push_back(outer);
    }
  }

  const Terms& outer() const { return outer_; }
  // What stands for them in `body`.
  Terms In(AtenGraph& body) const {
    Terms inner;
    for (const Term& term : outer_) inner.push_back(body.Import(term));
    return inner;
  }

 private:
  Terms outer_;
};

Terms Joined(Terms first, const Terms& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string BodyName(const AtenOp& op, std::string_view hint) {
  return op.program.names.Unique(hint);
}

// The types of the node's results; nullopt: one is left out.
std::optional<std::vector<TermType>> ResultTypes(const AtenOp& op) {
  std::vector<TermType> types;
  for (std::size_t i = 0; i < op.node.num_results(); ++i) {
    if (op.node.result(i) == nullptr) return std::nullopt;
    types.push_back(op.result(i));
  }
  return types;
}

Emitted EmitIf(const AtenOp& op) {
  DRAGOMAN_ASSIGN(const Term condition, Flag(op, op.arg(0)));
  const std::pair<const char*, const char*> branches[] = {{"then_branch", "true_graph"},
                                                          {"else_branch", "false_graph"}};
  std::vector<AtenGraph> graphs;
  std::vector<Terms> outputs;
  Captures captures;
  for (const auto& [attribute, name] : branches) {
    const Graph* body = GraphAttribute(op.node, attribute);
    if (body == nullptr) return op.Refuse("it lacks a branch");
    AtenGraph& graph = graphs.emplace_back(op.program, &op.graph);
    outputs.push_back(FinishBody(graph, {}, op.translate(*body, graph)));
    captures.Add(graph);
  }
  Arguments arguments = {{"", condition}};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const Terms inputs = captures.In(graphs[i]);
    const std::string name = BodyName(op, branches[i].second);
    arguments.push_back({"", ArgumentValue::Graph(name, graphs[i].Subgraph(inputs, outputs[i]))});
  }
  arguments.push_back({"", OwnMemory(op.graph).Of(captures.outer())});
  const std::optional<std::vector<TermType>> types = ResultTypes(op);
  if (!types) return op.Refuse("a result that is left out");
  return op.graph.CallMany("higher_order.cond", arguments, *types, false);
}

struct LoopParts {
  const Graph* body = nullptr;
  std::size_t states = 0;
  std::size_t scans = 0;
  std::optional<Dim> iterations;  // if nothing ends the loop before; unknown: operand 0 gives them
};

LoopParts PartsOf(const AtenOp& op) {
  LoopParts parts;
  parts.body = GraphAttribute(op.node, "body");
  parts.states = op.node.num_operands() - std::min<std::size_t>(op.node.num_operands(), 2);
  parts.scans = parts.body->num_outputs() - 1 - parts.states;
  const Value* next = parts.body->output(0);
  const bool passes_on = next == parts.body->input(1);
  const bool starts = !op.has(1) || IsConstantBool(op.inference.Know(op.node.operand(1)), true);
  const bool goes_on = passes_on || IsConstantBool(op.inference.Know(next), true);
  if (!op.has(0) || !starts || !goes_on) return parts;
  parts.iterations = OnlyElement(op.inference.Know(op.node.operand(0)));
  return parts;
}

// A placeholder for an input of a body.
Term Placeholder(AtenGraph& graph, const Value& input, const Term& like) {
  const Shape* shape = input.type().shape();
  return graph.AddInput(input.name().empty() ? "state" : input.name(),
                        {like.dtype, shape != nullptr ? *shape : like.shape}, false);
}

// What no iteration has given yet, for each value that iterations give.
Result<Terms> NothingCollected(const AtenOp& op, const LoopParts& parts) {
  Terms empty;
  for (std::size_t i = 0; i < parts.scans; ++i) {
    TermType type = op.result(parts.states + i);
    type.shape.front() = Dim(0);
    DRAGOMAN_ASSIGN(Term none, op.Full(type.shape, 0, type.dtype));
    none.shape.front() = Dim::Unknown();  // it grows
    empty.push_back(std::move(none));
  }
  return empty;
}

// A graph of a loop that ends by a condition, and its inputs: the iteration's number, the flag, the
// states, and what the iterations before gave.
struct LoopGraph {
  AtenGraph graph;
  Terms inputs;
};

LoopGraph WithInputs(const AtenOp& op, const LoopParts& parts, const Terms& carried) {
  LoopGraph loop = {AtenGraph(op.program, &op.graph), {}};
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Term& like = carried[i];
    const bool is_state = i >= 2 && i < parts.states + 2;
    const char* name = i == 0 ? "iteration" : i == 1 ? "goes_on" : "collected";
    loop.inputs.push_back(is_state ? Placeholder(loop.graph, *parts.body->input(i), like)
                                   : loop.graph.AddInput(name, {like.dtype, like.shape}, false));
  }
  return loop;
}

// Whether another iteration follows.
Result<Terms> EmitCondition(const AtenOp& outer, LoopGraph& condition) {
  const AtenOp op = {outer.node, condition.graph, outer.inference, outer.program, outer.translate};
  Term goes_on = condition.inputs[1];
  if (op.has(0)) {
    DRAGOMAN_ASSIGN(const Term most, Flag(op, op.arg(0)));
    const Term in_range = op.Compare("aten.lt.Tensor", condition.inputs[0], most);
    goes_on = op.Binary("aten.logical_and.default", in_range, goes_on);
  }
  return FinishBody(condition.graph, condition.inputs, {goes_on});
}

// The carried values after an iteration, which makes what was collected longer.
Result<Terms> EmitIteration(const AtenOp& outer, const LoopParts& parts, LoopGraph& body) {
  const AtenOp op = {outer.node, body.graph, outer.inference, outer.program, outer.translate};
  for (std::size_t i = 0; i < parts.states + 2; ++i) {
    const Value& input = *parts.body->input(i);
    Term bound = body.inputs[i];
    if (i < 2 && input.type().shape() != nullptr && !input.type().shape()->empty())
      bound = op.Reshape(bound, Sizes{1}, Shape{Dim(1)});
    body.graph.Bind(&input, bound);
  }
  Terms outputs = op.translate(*parts.body, body.graph);
  if (outputs.front().name.empty()) return op.Refuse("its body");
  DRAGOMAN_ASSIGN(outputs.front(), Flag(op, Term(outputs.front())));
  for (std::size_t i = 0; i < parts.scans; ++i) {
    Term& given = outputs[parts.states + 1 + i];
    const Term& before = body.inputs[parts.states + 2 + i];
    given = op.Concat({before, op.Unsqueeze(given, 0)}, 0);
    given.shape = before.shape;
  }
  outputs.insert(outputs.begin(), op.WithNumber("aten.add.Scalar", body.inputs[0], 1));
  return FinishBody(body.graph, body.inputs, outputs);
}

Emitted EmitWhileLoop(const AtenOp& op, const LoopParts& parts, std::vector<TermType> types) {
  Term flag = op.Scalar(1, DType::kBool);
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(flag, Flag(op, op.arg(1)));
  }
  Terms carried = {op.Scalar(0, DType::kI64), flag};
  for (std::size_t i = 0; i < parts.states; ++i) carried.push_back(op.arg(i + 2));
  DRAGOMAN_ASSIGN(const Terms nothing, NothingCollected(op, parts));
  OwnMemory own(op.graph);
  carried = own.Of(Joined(std::move(carried), nothing));
  LoopGraph body = WithInputs(op, parts, carried);
  LoopGraph condition = WithInputs(op, parts, carried);
  DRAGOMAN_ASSIGN(const Terms next, EmitIteration(op, parts, body));
  DRAGOMAN_ASSIGN(const Terms answer, EmitCondition(op, condition));
  Captures captures;
  captures.Add(body.graph);
  captures.Add(condition.graph);
  const auto subgraph = [&](LoopGraph& loop, const Terms& outputs) {
    return loop.graph.Subgraph(Joined(loop.inputs, captures.In(loop.graph)), outputs);
  };
  Json body_json = subgraph(body, next);
  Json condition_json = subgraph(condition, answer);
  condition_json["is_single_tensor_return"] = true;
  types.insert(types.begin(), {{DType::kI64, {}}, {DType::kBool, {}}});
  const Terms results = op.graph.CallMany(
      "higher_order.while_loop",
      {{"", ArgumentValue::Graph(BodyName(op, "while_loop_cond_graph"), std::move(condition_json))},
       {"", ArgumentValue::Graph(BodyName(op, "while_loop_body_graph"), std::move(body_json))},
       {"", carried},
       {"", own.Of(captures.outer())}},
      types, false);
  return Terms(results.begin() + 2, results.end());
}

// Whether states have other sizes after an iteration.
bool HasGrowingStates(const AtenOp& op, const LoopParts& parts) {
  for (std::size_t i = 2; i < parts.states + 2; ++i) {
    const Shape* before = op.has(i) ? op.node.operand(i)->type().shape() : nullptr;
    const Shape* shape = parts.body->input(i)->type().shape();
    if (shape != nullptr && before != nullptr && *shape != *before) return true;
  }
  return false;
}

// Whether the sizes of what the loop carries change from iteration to iteration.
bool Grows(const AtenOp& op) {
  if (GraphAttribute(op.node, "body") == nullptr) return false;
  const LoopParts parts = PartsOf(op);
  return HasGrowingStates(op, parts) || (parts.scans > 0 && !parts.iterations);
}

// Whether the node is such a loop or has one in its bodies.
bool HasGrowingLoop(const AtenOp& op) {
  bool found = op.node.Is("Loop") && Grows(op);
  for (const Graph* body : op.node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& node : graph.nodes())
        found = found || (node.Is("Loop") &&
                          Grows({node, op.graph, op.inference, op.program, op.translate}));
    });
  }
  return found;
}

// For gradients torch stacks the carried values of all iterations, and traces the bodies around
// them; so where these grow all runs without.
template <Emitted (*kEmit)(const AtenOp&)>
Emitted EmitTrainable(AtenOp& op) {
  if (!HasGrowingLoop(op)) return kEmit(op);
  const std::optional<std::vector<TermType>> types = ResultTypes(op);
  if (!types) return op.Refuse("a result that is left out");
  AtenGraph region(op.program, &op.graph);
  DRAGOMAN_ASSIGN(Terms results, kEmit({op.node, region, op.inference, op.program, op.translate}));
  results = FinishBody(region, {}, results);
  Captures captures;
  captures.Add(region);
  Arguments arguments = {{"", false},
                         {"", ArgumentValue::Graph(BodyName(op, "submod"),
                                                   region.Subgraph(captures.In(region), results))}};
  for (const Term& term : captures.outer()) arguments.push_back({"", term});
  return op.graph.CallMany("higher_order.wrap_with_set_grad_enabled", arguments, *types, false);
}

// A scan over `xs`, whose slices and the carried values `bind` gives to the body's inputs. The
// body's outputs are the next carried values, then what each iteration gives.
struct ScanCall {
  Terms carried;
  Terms xs;
  std::vector<const Value*> carried_inputs;
  std::vector<const Value*> slice_inputs;  // nullptr: nothing reads it
  const Value* flag = nullptr;             // an input that is true in every iteration
};

Emitted EmitScanCall(const AtenOp& op, const ScanCall& call, const Graph& graph,
                     std::size_t skipped_outputs, std::vector<TermType> types) {
  AtenGraph body(op.program, &op.graph);
  Terms inputs;
  for (std::size_t i = 0; i < call.carried.size(); ++i) {
    inputs.push_back(call.carried_inputs[i] != nullptr
                         ? Placeholder(body, *call.carried_inputs[i], call.carried[i])
                         : body.AddInput("iterations", {call.carried[i].dtype, {}}, false));
    if (call.carried_inputs[i] != nullptr) body.Bind(call.carried_inputs[i], inputs.back());
  }
  for (std::size_t i = 0; i < call.xs.size(); ++i) {
    const Shape slice(call.xs[i].shape.begin() + 1, call.xs[i].shape.end());
    inputs.push_back(body.AddInput("slice", {call.xs[i].dtype, slice}, false));
    const Value* input = call.slice_inputs[i];
    if (input == nullptr) continue;
    Term bound = inputs.back();
    const Shape* wanted = input->type().shape();
    if (wanted != nullptr && wanted->size() == 1 && bound.rank() == 0)
      bound = body.Call("aten.reshape.default", {{"self", bound}, {"shape", Ints{1}}},
                        {bound.dtype, {Dim(1)}});
    body.Bind(input, bound);
  }
  if (call.flag != nullptr) {
    const AtenOp inner = {op.node, body, op.inference, op.program, op.translate};
    const Shape* shape = call.flag->type().shape();
    DRAGOMAN_ASSIGN(Term truth, inner.Full(shape != nullptr ? *shape : Shape(), 1, DType::kBool));
    body.Bind(call.flag, std::move(truth));
  }
  Terms outputs = op.translate(graph, body);
  outputs.erase(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(skipped_outputs));
  const bool is_stateless = call.carried_inputs.size() == 1 && call.carried_inputs[0] == nullptr;
  if (is_stateless) outputs.insert(outputs.begin(), inputs.front());
  const Terms made = FinishBody(body, inputs, outputs);
  Captures captures;
  captures.Add(body);
  const Terms all = Joined(inputs, captures.In(body));
  OwnMemory own(op.graph);
  const Terms carried = own.Of(call.carried);
  const Terms xs = own.Of(call.xs);
  if (is_stateless) types.insert(types.begin(), {DType::kI64, {}});
  Terms results = op.graph.CallMany(
      "higher_order.scan",
      {{"", ArgumentValue::Graph(BodyName(op, "scan_combine_graph"), body.Subgraph(all, made))},
       {"", carried},
       {"", xs},
       {"", own.Of(captures.outer())}},
      types, false);
  if (is_stateless) results.erase(results.begin());
  return results;
}

// torch scans with at least one carried value.
void CarrySomething(const AtenOp& op, ScanCall& call) {
  if (!call.carried.empty()) return;
  call.carried.push_back(op.Scalar(0, DType::kI64));
  call.carried_inputs.push_back(nullptr);
}

// A loop of `parts.iterations` iterations, each of which gives values.
Emitted EmitCounted(const AtenOp& op, const LoopParts& parts) {
  Dim iterations = *parts.iterations;
  if (iterations.known() && iterations.value() <= 0) return op.Refuse("a loop of no iteration");
  std::optional<Size> count = op.graph.SizeOf(iterations);
  if (!count) {
    const Item item = op.ItemAt(op.arg(0), 0);
    count = item.size;
    iterations = item.dim;
  }
  ScanCall call;
  for (std::size_t i = 0; i < parts.states; ++i) {
    call.carried.push_back(op.arg(i + 2));
    call.carried_inputs.push_back(parts.body->input(i + 2));
  }
  call.xs.push_back(op.Arange(*count, iterations, DType::kI64));
  call.slice_inputs.push_back(parts.body->input(0));
  call.flag = parts.body->input(1);
  CarrySomething(op, call);
  std::optional<std::vector<TermType>> types = ResultTypes(op);
  if (!types) return op.Refuse("a result that is left out");
  return EmitScanCall(op, call, *parts.body, 1, *std::move(types));
}

Emitted EmitLoop(const AtenOp& op) {
  if (GraphAttribute(op.node, "body") == nullptr) return op.Refuse("it lacks a body");
  const LoopParts parts = PartsOf(op);
  if (parts.scans > 0 && !Grows(op)) return EmitCounted(op, parts);
  std::optional<std::vector<TermType>> types = ResultTypes(op);
  if (!types) return op.Refuse("a result that is left out");
  return EmitWhileLoop(op, parts, *std::move(types));
}

Term AxisTo(const AtenOp& op, const Term& x, std::int64_t from, std::int64_t to) {
  if (from == to) return x;
  Ints order = AxesFrom(0, x.rank());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return op.Permute(x, order);
}

Emitted EmitScan(const AtenOp& op) {
  const Graph* body = GraphAttribute(op.node, "body");
  if (body == nullptr) return op.Refuse("it lacks a body");
  const auto slices = static_cast<std::size_t>(op.Int("num_scan_inputs"));
  const std::size_t states = op.node.num_operands() - slices;
  const std::size_t scans = body->num_outputs() - states;
  const Ints in_axes = op.IntsOr("scan_input_axes", static_cast<std::int64_t>(slices), 0);
  const Ints backwards = op.IntsOr("scan_input_directions", static_cast<std::int64_t>(slices), 0);
  const Ints out_axes = op.IntsOr("scan_output_axes", static_cast<std::int64_t>(scans), 0);
  const Ints reversed = op.IntsOr("scan_output_directions", static_cast<std::int64_t>(scans), 0);
  ScanCall call;
  for (std::size_t i = 0; i < states; ++i) {
    call.carried.push_back(op.arg(i));
    call.carried_inputs.push_back(body->input(i));
  }
  for (std::size_t i = 0; i < slices; ++i) {
    const Term x = op.arg(states + i);
    Term moved = AxisTo(op, x, in_axes[i] < 0 ? in_axes[i] + x.rank() : in_axes[i], 0);
    if (backwards[i] != 0) moved = op.Flip(moved, {0});
    call.xs.push_back(std::move(moved));
    call.slice_inputs.push_back(body->input(states + i));
  }
  CarrySomething(op, call);
  std::vector<TermType> types;
  for (std::size_t i = 0; i < op.node.num_results(); ++i) {
    if (op.node.result(i) == nullptr) return op.Refuse("a result that is left out");
    TermType type = op.result(i);
    if (i >= states) {
      const std::int64_t axis = out_axes[i - states];
      const auto at = static_cast<std::ptrdiff_t>(
          axis < 0 ? axis + static_cast<std::int64_t>(type.shape.size()) : axis);
      std::rotate(type.shape.begin(), type.shape.begin() + at, type.shape.begin() + at + 1);
    }
    types.push_back(std::move(type));
  }
  DRAGOMAN_ASSIGN(Terms results, EmitScanCall(op, call, *body, 0, std::move(types)));
  for (std::size_t i = states; i < results.size(); ++i) {
    if (reversed[i - states] != 0) results[i] = op.Flip(results[i], {0});
    const std::int64_t axis = out_axes[i - states];
    results[i] = AxisTo(op, results[i], 0, axis < 0 ? axis + results[i].rank() : axis);
  }
  return results;
}

}  // namespace

std::span<const Row> ControlFlowRows() {
  static constexpr Row kRows[] = {
      {"If", EmitTrainable<EmitIf>},
      {"Loop", EmitTrainable<EmitLoop>},
      {"Scan", EmitTrainable<EmitScan>},
  };
  return kRows;
}

}  // namespace dragoman::pt2
