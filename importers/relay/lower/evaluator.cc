// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/lower/evaluator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/ir/find_as.h"
#include "core/lowering/tuples.h"
#include "core/support/findings.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/prelude.h"
#include "importers/relay/ops/call.h"
#include "importers/relay/ops/op_table.h"

namespace dragoman::relay {
namespace {

Closure GlobalFunction(const Graph& graph, const std::string& name) {
  Closure function(&graph, nullptr, "@" + name);
  function.attributes = AttributesOfFunction(graph);
  return function;
}

}  // namespace

std::string Closure::GroupName() const {
  const std::string text = FindText(attributes, "Composite");
  return text.starts_with("dragoman.") ? "" : text;
}

Evaluator::Evaluator(const Model& source, const ComposedNodes& composed, Heap& heap, Graph& graph,
                     Inference& inference)
    : source_(source), heap_(heap), entry_(heap, graph, inference), composed_(composed) {
  for (const Function& function : source.functions) {
    if (function.op->domain != "global") continue;
    const std::string& name = function.op->type;
    globals_.emplace(name, GlobalFunction(*function.graph, name));
  }
  for (const Entry& entry : source.entries)
    globals_.emplace(entry.name, GlobalFunction(*entry.graph, entry.name));
  // What the module itself holds goes first.
  for (const Function& function : Prelude().functions)
    globals_.emplace(function.op->type, GlobalFunction(*function.graph, function.op->type));
  for (const Entry& entry : Prelude().entries)
    globals_.emplace(entry.name, GlobalFunction(*entry.graph, entry.name));
}

Abstract Evaluator::RunEntry(const Graph& body, std::vector<Abstract> arguments) {
  Frame& frame = frames_.emplace_back();
  for (std::size_t i = 0; i < body.num_inputs(); ++i)
    frame.values[body.input(i)] = std::move(arguments[i]);
  const Abstract result = RunGraph(body, frame);
  if (Status status = CheckResult(body, result); !status.ok()) {
    for (const Finding& finding : status.error().findings()) entry_.findings.push_back(finding);
  }
  return Presented(result).Run();
}

// Lists of Cons and Nil as what the results of a model may be.
Deep<Abstract> Evaluator::Presented(Abstract result) {
  if (++presented_ > kMaxResults) {
    if (presented_ == kMaxResults + 1)
      entry_.findings.push_back({ErrorKind::kUnsupported, {}, "", "a result of too many parts"});
    co_return Poison();
  }
  std::optional<std::vector<Abstract>> items = ItemsOf(result);
  const auto* tuple = result.As<Tuple>();
  if (!items && tuple == nullptr) co_return result;
  std::vector<Abstract> shown = items ? *std::move(items) : *tuple->items;
  for (Abstract& item : shown) item = co_await Presented(item);
  if (items) co_return heap_.NewList(std::move(shown));
  Result<Abstract> made = BoundedTuple(std::move(shown));  // as deep as the one that was given
  co_return made.ok() ? *std::move(made) : Abstract(Poison());
}

Abstract Evaluator::NewTuple(const Node& node, std::vector<Abstract> items, const Frame& frame) {
  Result<Abstract> tuple = BoundedTuple(std::move(items));
  return tuple.ok() ? *std::move(tuple) : Report(node, tuple.error(), frame);
}

Abstract Evaluator::RunGraph(const Graph& graph, Frame& frame) {
  for (const Node& node : graph.nodes()) RunNode(node, frame);
  return graph.num_outputs() == 1 ? Get(graph.output(0), frame) : Abstract(Poison());
}

Abstract Evaluator::RunTail(const Graph& graph, Frame& frame) {
  const Node* last = nullptr;
  for (const Node& node : graph.nodes()) last = &node;
  const Value* result = graph.num_outputs() == 1 ? graph.output(0) : nullptr;
  if (last == nullptr || result == nullptr || result->producer() != last)
    return RunGraph(graph, frame);
  for (const Node& node : graph.nodes()) {
    if (&node != last) RunNode(node, frame);
  }
  if (IsNode(*last, "If")) return EvaluateIf(*last, frame, true);
  if (IsNode(*last, "Match")) return EvaluateMatch(*last, frame, true);
  if (IsNode(*last, "Call")) {
    const Abstract callee = Get(last->operand(0), frame);
    const auto* function = callee.As<Closure>();
    if (function != nullptr && function->body->num_inputs() + 1 == last->num_operands() &&
        !FormOf(*function) && function->GroupName().empty()) {
      pending_ = Pending{last, *function, Operands(*last, 1, frame), &frame};
      return Poison();
    }
  }
  RunNode(*last, frame);
  return Get(result, frame);
}

Abstract Evaluator::Get(const Value* value, const Frame& frame) {
  if (value == nullptr) return Poison();
  if (value->is_constant() && value->tensor() != nullptr) {
    Abstract& known = constants_[value];
    if (!known.Is<TensorRef>()) {
      const CellPtr cell = heap_.NewCell(StorageContents{nullptr, *value->tensor()});
      cell->path = value->name();
      known = TensorRef{cell, nullptr};
    }
    return known;
  }
  for (const Frame* at = &frame; at != nullptr; at = at->outer) {
    const auto found = at->values.find(value);
    if (found != at->values.end()) return found->second;
  }
  return Poison();
}

std::vector<Abstract> Evaluator::Operands(const Node& node, std::size_t first, const Frame& frame) {
  std::vector<Abstract> operands;
  for (std::size_t i = first; i < node.num_operands(); ++i)
    operands.push_back(Get(node.operand(i), frame));
  return operands;
}

Abstract Evaluator::Report(const Node& node, const Error& error, const Frame& frame) {
  for (Finding finding : error.findings()) {
    if (!finding.place.starts_with("line ")) {
      // Of a common operator that the call became.
      if (!finding.place.empty()) finding.message = finding.place + ": " + finding.message;
      finding.place = PlaceOf(node);
      if (!finding.place.empty()) finding.place += ": ";
      finding.place += node.Describe();
    }
    if (!frame.path.empty()) finding.place += " in " + frame.path;
    AddOnce(entry_.findings, std::move(finding));
  }
  return Poison();
}

OriginPtr Evaluator::OriginOf(const Node& node, const Frame& frame) {
  OriginPtr& known = origins_[&node];
  if (known != nullptr && known->leaf()->scope == frame.path) return known;
  SourceOp op;
  op.op = node.op().ToString();
  op.scope = frame.path;
  op.name = node.name();
  if (const OriginPtr& origin = node.origin(); origin != nullptr && origin->leaf() != nullptr) {
    op.name = origin->leaf()->name;
    op.location = origin->leaf()->location;
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.graph() != nullptr || attribute.value.As<Attribute::Graphs>() != nullptr)
      continue;
    op.attributes.push_back(attribute);
  }
  // The annotated type too, as an attribute that no operator has.
  if (node.result() != nullptr && node.result()->type().known())
    op.attributes.emplace_back("ty", node.result()->type());
  known = Origin::Leaf(std::move(op));
  return known;
}

void Evaluator::RunNode(const Node& node, Frame& frame) {
  if (const auto composed = composed_.first.find(&node); composed != composed_.first.end())
    return RunComposed(*composed->second, frame);
  if (!composed_.left_out.contains(&node)) RunCall(node, frame);
}

void Evaluator::RunCall(const Node& node, Frame& frame) {
  const bool is_operator = !node.op().domain.empty() || node.op().type.empty() ||
                           node.op().type.front() < 'A' || node.op().type.front() > 'Z';
  Abstract result;
  if (is_operator) {
    GraphBuilder& present = builder();
    const OriginPtr outer = present.origin();
    present.set_origin(OriginOf(node, frame));
    result = EvaluateOperator(node, frame);
    StateType(node, result);
    present.set_origin(outer);
  } else {
    result = Evaluate(node, frame);
  }
  if (node.result() != nullptr) frame.values[node.result()] = std::move(result);
}

// The annotation of a call may state sizes that its operator leaves open.
void Evaluator::StateType(const Node& node, const Abstract& result) {
  const auto* tensor = result.As<TensorRef>();
  const Type* stated = node.result() != nullptr ? &node.result()->type() : nullptr;
  if (tensor == nullptr || stated == nullptr || stated->shape() == nullptr) return;
  const Result<Value*> value = heap_.Read(builder(), *tensor);
  if (!value.ok() || (*value)->producer() == nullptr) return;
  const Type& made = (*value)->type();
  if (made.dtype() == stated->dtype() && made.rank() == stated->rank())
    StateKnownSizes(**value, *stated);
}

Abstract Evaluator::Evaluate(const Node& node, Frame& frame) {
  const auto text = [&](std::string_view name) { return FindText(node.attributes(), name); };
  if (IsNode(node, "Call")) return EvaluateCall(node, frame);
  if (IsNode(node, "If")) return EvaluateIf(node, frame);
  if (IsNode(node, "Match")) return EvaluateMatch(node, frame);
  if (IsNode(node, "Let")) return EvaluateLet(node, frame);
  if (IsNode(node, "Self")) return EvaluateSelf(node, frame);
  if (IsNode(node, "GlobalVar")) return EvaluateGlobal(node, frame);
  if (IsNode(node, "Function")) return EvaluateFunction(node, frame);
  if (IsNode(node, "TupleGetItem")) return EvaluateProjection(node, frame);
  if (IsNode(node, "Tuple")) return NewTuple(node, Operands(node, 0, frame), frame);
  if (IsNode(node, "Construct")) {
    return Constructed(node, Constructor(text("constructor")), Operands(node, 0, frame), frame);
  }
  if (IsNode(node, "Constructor")) {
    // One without fields is a value, not a function.
    Constructor constructor(text("name"));
    return constructor;
  }
  if (IsNode(node, "Operator")) return OperatorValue(text("name"));
  if (node.op().type.starts_with("Ref")) return EvaluateReference(node, frame);
  return Report(node, Unsupported("operator " + OperatorText(node.op()) + " is not known"), frame);
}

Abstract Evaluator::EvaluateOperator(const Node& node, Frame& frame) {
  if (std::optional<Abstract> product = EvaluateLinear(node, frame)) return *product;
  return CallOperator(node, OperatorText(node.op()), node.attributes(), Operands(node, 0, frame),
                      frame);
}

Abstract Evaluator::CallOperator(const Node& node, std::string_view name,
                                 const std::vector<NamedAttribute>& attributes,
                                 const std::vector<Abstract>& operands, const Frame& frame) {
  const OpRow* row = FindOpRow(name);
  if (row == nullptr)
    return Report(node, Unsupported("operator " + std::string(name) + " is not supported"), frame);
  if (std::ranges::any_of(operands, HoldsPoison)) return Poison();
  std::vector<NamedAttribute> stated = attributes;
  if (name == "nn.batch_matmul" && TransposesByDefault(source_) &&
      Find(stated, "transpose_b") == nullptr)
    stated.emplace_back("transpose_b", Attribute(true));
  Call call(heap_, builder(), stated, operands, row->target);
  Result<Abstract> result = row->lower(call);
  return result.ok() ? *std::move(result) : Report(node, result.error(), frame);
}

}  // namespace dragoman::relay
