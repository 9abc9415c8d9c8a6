#include "importers/relay/lower/evaluator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/ops/call.h"
#include "importers/relay/ops/op_table.h"

namespace dragoman::relay {
namespace {

bool IsPoisoned(const Abstract& value) {
  if (value.Is<Poison>()) return true;
  const auto* tuple = value.As<Tuple>();
  return tuple != nullptr && std::any_of(tuple->items->begin(), tuple->items->end(), IsPoisoned);
}

}  // namespace

Evaluator::Evaluator(const Model& source, Heap& heap, Graph& graph, Inference& inference)
    : source_(source), heap_(heap), entry_(heap, graph, inference) {
  for (const Function& function : source.functions) {
    if (function.op->domain != "global") continue;
    const std::string& name = function.op->type;
    globals_.emplace(name, Closure(function.graph.get(), nullptr, "@" + name));
  }
  for (const Entry& entry : source.entries)
    globals_.emplace(entry.name, Closure(entry.graph.get(), nullptr, "@" + entry.name));
}

Abstract Evaluator::RunEntry(const Graph& body, std::vector<Abstract> arguments) {
  Frame& frame = frames_.emplace_back();
  for (std::size_t i = 0; i < body.num_inputs(); ++i)
    frame.values[body.input(i)] = std::move(arguments[i]);
  return RunGraph(body, frame);
}

Abstract Evaluator::RunGraph(const Graph& graph, Frame& frame) {
  for (const Node& node : graph.nodes()) RunNode(node, frame);
  return graph.num_outputs() == 1 ? Get(graph.output(0), frame) : Abstract(Poison());
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
    if (finding.place.empty()) {
      finding.place = PlaceOf(node);
      if (!finding.place.empty()) finding.place += ": ";
      finding.place += node.Describe();
    }
    if (!frame.path.empty()) finding.place += " in " + frame.path;
    const auto same = [&](const Finding& known) {
      return known.place == finding.place && known.message == finding.message;
    };
    if (std::none_of(entry_.findings.begin(), entry_.findings.end(), same))
      entry_.findings.push_back(std::move(finding));
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
  const bool is_operator = !node.op().domain.empty() || node.op().type.empty() ||
                           node.op().type.front() < 'A' || node.op().type.front() > 'Z';
  Abstract result;
  if (is_operator) {
    GraphBuilder& present = builder();
    const OriginPtr outer = present.origin();
    present.set_origin(OriginOf(node, frame));
    result = EvaluateOperator(node, frame);
    present.set_origin(outer);
  } else {
    result = Evaluate(node, frame);
  }
  if (node.result() != nullptr) frame.values[node.result()] = std::move(result);
}

Abstract Evaluator::Evaluate(const Node& node, Frame& frame) {
  const auto text = [&](std::string_view name) {
    const Attribute* attribute = node.attribute(name);
    const auto* value = attribute != nullptr ? attribute->As<std::string>() : nullptr;
    return value != nullptr ? *value : std::string();
  };
  if (IsNode(node, "Call")) return EvaluateCall(node, frame);
  if (IsNode(node, "If")) return EvaluateIf(node, frame);
  if (IsNode(node, "Match")) return EvaluateMatch(node, frame);
  if (IsNode(node, "Let")) return EvaluateLet(node, frame);
  if (IsNode(node, "Self")) return EvaluateSelf(node, frame);
  if (IsNode(node, "GlobalVar")) return EvaluateGlobal(node, frame);
  if (IsNode(node, "Function")) return EvaluateFunction(node, frame);
  if (IsNode(node, "TupleGetItem")) return EvaluateProjection(node, frame);
  if (IsNode(node, "Tuple"))
    return Tuple{std::make_shared<const std::vector<Abstract>>(Operands(node, 0, frame))};
  if (IsNode(node, "Construct")) {
    std::vector<Abstract> items = Operands(node, 0, frame);
    items.insert(items.begin(), Constructor(text("constructor")));
    return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
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
  if (std::any_of(operands.begin(), operands.end(), IsPoisoned)) return Poison();
  // Of the three results one or two.
  const Attribute* kind = Find(attributes, "ret_type");
  const auto* wanted = kind != nullptr ? kind->As<std::string>() : nullptr;
  if (name.ends_with("topk") && wanted != nullptr && *wanted != "both") {
    std::vector<NamedAttribute> both;
    for (const NamedAttribute& attribute : attributes) {
      if (attribute.name != "ret_type") both.push_back(attribute);
    }
    const Abstract pair = CallOperator(node, name, both, operands, frame);
    const auto* tuple = pair.As<Tuple>();
    return tuple != nullptr ? (*tuple->items)[*wanted == "values" ? 0 : 1] : pair;
  }
  std::vector<NamedAttribute> stated = attributes;
  if (name == "nn.batch_matmul" && TransposesByDefault(source_) &&
      Find(stated, "transpose_b") == nullptr)
    stated.emplace_back("transpose_b", Attribute(true));
  Call call(heap_, builder(), stated, operands, row->target);
  Result<Abstract> result = row->lower(call);
  return result.ok() ? *std::move(result) : Report(node, result.error(), frame);
}

}  // namespace dragoman::relay
