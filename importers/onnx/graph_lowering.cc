// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/graph_lowering.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/ir/densify.h"
#include "core/ir/domain.h"
#include "core/ir/for_each_value.h"
#include "core/ir/stack_trace.h"
#include "core/ops/op_def.h"
#include "core/support/size_budget.h"
#include "importers/onnx/attribute_versions.h"
#include "importers/onnx/constant_tensor.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/missing_data.h"
#include "importers/onnx/node_metadata.h"
#include "importers/onnx/ops/domains.h"

namespace dragoman {
namespace {

// A call of a function that exporters/onnx/outline_fused.h made.
bool IsFused(const Function& function, const std::vector<Value*>& operands) {
  const bool complete = std::ranges::find(operands, nullptr) == operands.end();
  return function.op->domain == "dragoman" && function.op->type.starts_with("Fused") && complete &&
         !operands.empty() && operands.size() == function.graph->num_inputs();
}

// A call of a function that exporters/onnx/outline_sequences.h made: it has the operands and
// attributes of the node that it was made of.
bool IsSequence(const Node& node, const Function& function) {
  return function.op->domain == "dragoman" && function.op->type.starts_with("LSTM_") &&
         node.num_operands() <= FindOp("dragoman.LSTM")->signature.operands.size();
}

// The value of `graph` or its bodies that is called `name`, or nullptr.
Value* FindByName(Graph& graph, std::string_view name) {
  Value* found = nullptr;
  ForEachGraph(graph, [&](Graph& part) {
    if (found == nullptr) found = FindValue(part, name);
  });
  return found;
}

// Errors: value `name` is declared as of another element type than it has.
Status CheckElements(const std::string& name, const Type& declared, const Type& computed) {
  const bool are_known = declared.is_tensor() && computed.is_tensor() &&
                         declared.dtype() != DType::kUnknown && computed.dtype() != DType::kUnknown;
  if (!are_known || declared.dtype() == computed.dtype()) return {};
  return InvalidInput("value '" + name + "' is declared as " + declared.ToString() +
                      ", but is of " + std::string(Name(computed.dtype())));
}

// "encoder.layer.0" of "['', 'encoder', 'encoder.layer.0', 'linear_1']": the modules around a node,
// which comes last.
std::string ModuleIn(std::string_view scopes) {
  constexpr std::string_view kBetween = "', '";
  const std::size_t end = scopes.rfind(kBetween);
  if (end == std::string_view::npos) return "";
  scopes = scopes.substr(0, end);
  const std::size_t begin = scopes.rfind('\'');
  return begin == std::string_view::npos ? "" : std::string(scopes.substr(begin + 1));
}

}  // namespace

OnnxGraphLowering::OnnxGraphLowering(const Model& source, const Facts& facts)
    : source_(source), facts_(facts) {
  for (const Function& function : source.functions) functions_.emplace(function.op, &function);
}

Result<std::unique_ptr<Graph>> OnnxGraphLowering::LowerEntry(const Graph& graph) {
  auto common = std::make_unique<Graph>();
  common->set_name(graph.name());
  GraphBuilder builder(*common, inference_, names_);
  DRAGOMAN_TRY(LowerInputs(graph, builder));
  declared_ = DeclaredTypes(*common);
  CallScope scope;
  scope.opsets = &source_.opsets;
  DRAGOMAN_TRY(LowerConstants(graph, builder));
  DRAGOMAN_TRY(LowerNodes(graph, scope, builder));
  DRAGOMAN_TRY(LowerOutputs(graph, builder));
  return common;
}

Status OnnxGraphLowering::LowerOutputs(const Graph& graph, GraphBuilder& builder) {
  for (const Use& use : graph.outputs()) {
    DRAGOMAN_ASSIGN(Value * output, LookupOutput(use));
    const Value& declared = *use.value();
    const Type& type = declared.type();
    const bool of_maps = type.kind() == Type::Kind::kSequence &&
                         type.element().kind() == Type::Kind::kMap && output->type().is_tensor();
    if (map_keys_.contains(&declared)) {
      DRAGOMAN_TRY(AddMapOutput(declared, builder));
    } else if (of_maps) {
      return Unsupported("output '" + declared.name() + "' is maps that a body gives");
    } else {
      DRAGOMAN_TRY(LowerOutput(declared.name(), declared.type(), output, builder));
    }
  }
  return {};
}

// An output keeps its name: its value takes it, or an Identity does where the value is an input, a
// constant or another output already.
Status OnnxGraphLowering::LowerOutput(const std::string& name, const Type& declared, Value* output,
                                      GraphBuilder& builder) {
  Graph& graph = builder.graph();
  bool taken = output->kind() != Value::Kind::kResult || output->graph() != &graph;
  for (const Use* use = output->first_use(); use != nullptr; use = use->next()) {
    taken = taken || (use->user() == nullptr && use->graph() == &graph);
  }
  if (taken && output->name() != name) {
    DRAGOMAN_ASSIGN(output, builder.Add("Identity", {output}));
  }
  if (output->name() != name) {
    if (Value* other = FindByName(graph, name)) other->set_name(builder.UniqueName(other->name()));
    output->set_name(name);
  }
  DRAGOMAN_TRY(CheckElements(name, declared, output->type()));
  output->set_type(declared_.Merge(output->type(), declared, name));
  graph.AddOutput(output);
  return {};
}

Status OnnxGraphLowering::LowerInputs(const Graph& graph, GraphBuilder& builder) {
  for (const auto& input : graph.inputs()) {
    if (input->data() != nullptr) {
      if (input->tensor() == nullptr)
        return Unsupported("the default of input '" + input->name() + "' is not a dense tensor");
      values_[input.get()] = builder.Constant(*input->tensor(), input->name());
      continue;
    }
    if (input->type().kind() == Type::Kind::kMap) {
      DRAGOMAN_TRY(AddMapInput(*input, builder));
      continue;
    }
    DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts_, input->name(), kNoPosition, input->type()));
    values_[input.get()] =
        builder.graph().AddInput(builder.UniqueName(input->name()), std::move(type));
  }
  return {};
}

Status OnnxGraphLowering::LowerConstants(const Graph& graph, GraphBuilder& builder) {
  for (const auto& constant : graph.constants()) {
    if (const SparseTensor* sparse = constant->sparse_tensor()) {
      Result<Tensor> dense = Densify(*sparse);
      if (!dense.ok()) return std::move(dense).error().At("constant '" + constant->name() + "'");
      values_[constant.get()] = builder.Constant(std::move(*dense), constant->name());
    } else if (constant->tensor() == nullptr) {
      return InvalidInput(WhyWithoutElements(*constant)).At("constant '" + constant->name() + "'");
    } else {
      values_[constant.get()] = builder.Constant(*constant->tensor(), constant->name());
    }
  }
  return {};
}

Status OnnxGraphLowering::LowerNodes(const Graph& graph, const CallScope& scope,
                                     GraphBuilder& builder) {
  if (depth_ == kMaxNesting)
    return Unsupported("calls and bodies nest more than " + std::to_string(kMaxNesting) + " deep");
  DRAGOMAN_ASSIGN(std::vector<const Node*> order, TopologicalOrder(graph));
  ++depth_;
  Status status;
  for (std::size_t i = 0; status.ok() && i < order.size(); ++i)
    status = LowerNode(*order[i], scope, builder);
  --depth_;
  return status;
}

Status OnnxGraphLowering::LowerNode(const Node& node, const CallScope& scope,
                                    GraphBuilder& builder) {
  const OriginPtr outer = builder.origin();
  const OriginPtr own = OriginOf(node, scope);
  builder.set_origin(own);
  Result<std::vector<Value*>> results = LowerOperator(node, scope, builder);
  builder.set_origin(outer);
  if (!results.ok()) {
    Error error = std::move(results).error().At(node.Describe());
    const std::string& location = own->leaf()->location;
    for (Finding& finding : error.findings()) {
      if (!location.empty() && finding.place == node.Describe()) finding.place += " at " + location;
    }
    return error;
  }
  return BindResults(node, *results);
}

Status OnnxGraphLowering::BindResults(const Node& node, const std::vector<Value*>& results) {
  for (std::size_t i = 0; i < node.num_results() && i < results.size(); ++i) {
    const Value* declared = node.result(i);
    if (declared == nullptr || results[i] == nullptr) continue;
    values_[declared] = results[i];
    if (node.op().domain == "ai.onnx.ml" && node.op().type == "ZipMap" && results.size() == 2)
      map_keys_[declared] = results[1];
    // A body is lowered once a pass: what its values were declared to be holds for the first only.
    if (node.graph()->parent() == nullptr && declared->type().is_tensor()) {
      DRAGOMAN_TRY(CheckElements(declared->name(), declared->type(), results[i]->type()));
      results[i]->set_type(declared_.Merge(results[i]->type(), declared->type(), declared->name()));
    }
  }
  return {};
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerOperator(const Node& node,
                                                             const CallScope& scope,
                                                             GraphBuilder& builder) {
  const std::string& type = node.op().type;
  if (const Function* function = FindFunction(node))
    return InlineCall(node, *function, scope, builder);
  if (IsDefaultDomain(node.op().domain) && !ImportOf(node, scope) && !scope.opsets->empty())
    return InvalidInput("no operator set of ai.onnx is imported").At(node.Describe());
  DRAGOMAN_TRY(CheckAttributeVersions(node, OpsetOf(node, scope)));
  if (!IsDefaultDomain(node.op().domain)) return LowerOtherDomain(node, scope, builder);
  if (type == "Constant") return LowerConstantNode(node, scope, builder);
  if (type == "If") return LowerIf(node, scope, builder);
  if (type == "Loop") return LowerLoop(node, scope, builder);
  if (type == "Scan") return LowerScan(node, scope, builder);
  if (type == "SequenceMap") return LowerSequenceMap(node, scope, builder);
  const std::int64_t opset = OpsetOf(node, scope);
  const OnnxLowering lowering = FindOnnxLowering(type, opset);
  if (lowering == nullptr && FindOp(type) == nullptr) return LowerForeign(node, scope, builder);
  return LowerOrCopy(node, type, lowering, opset, scope, builder);
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerOtherDomain(const Node& node,
                                                                const CallScope& scope,
                                                                GraphBuilder& builder) {
  const std::string& domain = node.op().domain;
  const std::string label = domain + "." + node.op().type;
  if (label == "ai.onnx.preview.FlexAttention") return LowerFlexAttention(node, scope, builder);
  const bool is_own = domain == "dragoman" && FindOp(label) != nullptr;
  const OnnxLowering lowering = FindDomainLowering(domain, node.op().type);
  if (!is_own && lowering == nullptr) return LowerForeign(node, scope, builder);
  return LowerOrCopy(node, label, is_own ? nullptr : lowering, 0, scope, builder);
}

Result<OpLowering> OnnxGraphLowering::StartLowering(const Node& node, std::int64_t opset,
                                                    const CallScope& scope,
                                                    GraphBuilder& builder) const {
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, Operands(node));
  return OpLowering{node, opset, builder, std::move(operands), std::move(attributes)};
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerForeign(const Node& node,
                                                            const CallScope& scope,
                                                            GraphBuilder& builder) {
  if (!node.subgraphs().empty()) {
    return Unsupported("operator with a body is unknown").At(node.Describe());
  }
  DRAGOMAN_ASSIGN(OpLowering op, StartLowering(node, 0, scope, builder));
  return op.EmitForeign();
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerConstantNode(const Node& node,
                                                                 const CallScope& scope,
                                                                 GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
  if (attributes.size() != 1 || node.result(0) == nullptr) {
    return InvalidInput("a Constant has exactly one attribute and one result").At(node.Describe());
  }
  DRAGOMAN_ASSIGN(Tensor tensor, ConstantTensor(attributes.front().value));
  return std::vector<Value*>{builder.Constant(std::move(tensor), node.result(0)->name())};
}

const Function* OnnxGraphLowering::FindFunction(const Node& node) const {
  const auto found = functions_.find(&node.op());
  return found != functions_.end() ? found->second : nullptr;
}

Result<CallScope> OnnxGraphLowering::EnterCall(const Node& node, const Function& function,
                                               const CallScope& scope) {
  for (const CallScope* at = &scope; at != nullptr; at = at->caller) {
    if (at->function == &function) return InvalidInput("function calls itself").At(node.Describe());
  }
  if (Status status = TakeSteps(function.graph->num_nodes() + 1); !status.ok())
    return std::move(status).error().At(node.Describe());
  CallScope inner;
  inner.function = &function;
  inner.path = scope.path + "/" + (node.name().empty() ? node.op().type : node.name());
  inner.opsets = function.opsets.empty() ? scope.opsets : &function.opsets;
  inner.caller = &scope;
  DRAGOMAN_ASSIGN(inner.attributes, ResolveAttributes(node, scope));
  for (const NamedAttribute& attribute : function.defaults) {
    if (Find(inner.attributes, attribute.name) == nullptr) inner.attributes.push_back(attribute);
  }
  if (node.num_operands() > function.graph->num_inputs() ||
      node.num_results() > function.graph->num_outputs()) {
    return InvalidInput("the call has more operands or results than the function")
        .At(node.Describe());
  }
  return inner;
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerFused(const Node& node,
                                                          const Function& function,
                                                          const CallScope& scope,
                                                          GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(const CallScope inner, EnterCall(node, function, scope));
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, Operands(node));
  std::vector<Type> types;
  for (const Value* operand : operands) types.push_back(operand->type());
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> body, LowerBody(*function.graph, inner, types));
  body->set_name("body");
  return AppendWithBodies(node, builder, "dragoman.Fused", operands, {{"body", Attribute(body)}});
}

Result<std::vector<Value*>> OnnxGraphLowering::InlineCall(const Node& node,
                                                          const Function& function,
                                                          const CallScope& scope,
                                                          GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Operands(node));
  if (IsFused(function, operands)) return LowerFused(node, function, scope, builder);
  if (IsSequence(node, function)) {
    DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ResolveAttributes(node, scope));
    return AppendWithBodies(node, builder, "dragoman.LSTM", operands, std::move(attributes));
  }
  DRAGOMAN_ASSIGN(const CallScope inner, EnterCall(node, function, scope));
  const Graph& body = *function.graph;
  for (std::size_t i = 0; i < body.num_inputs(); ++i) {
    values_[body.input(i)] = i < operands.size() ? operands[i] : nullptr;
  }
  DRAGOMAN_TRY(LowerConstants(body, builder));
  DRAGOMAN_TRY(LowerNodes(body, inner, builder));
  std::vector<Value*> results;
  for (const Use& use : body.outputs()) {
    DRAGOMAN_ASSIGN(Value * result, Lookup(use.value()));
    results.push_back(result);
  }
  // The names that the caller knows; an operand that is given back has its own.
  for (std::size_t i = 0; i < std::min(results.size(), node.num_results()); ++i) {
    const bool computed = results[i] != nullptr && results[i]->kind() == Value::Kind::kResult &&
                          std::ranges::find(operands, results[i]) == operands.end();
    if (computed && node.result(i) != nullptr)
      results[i]->set_name(builder.UniqueName(node.result(i)->name()));
    const auto keys = map_keys_.find(body.output(i));
    if (keys != map_keys_.end()) map_keys_[node.result(i)] = keys->second;
  }
  return results;
}

Result<std::vector<Value*>> OnnxGraphLowering::Operands(const Node& node) const {
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    DRAGOMAN_ASSIGN(Value * operand, Lookup(use.value()));
    if (const auto keys = map_keys_.find(use.value()); keys != map_keys_.end()) {
      if (node.op().domain != "ai.onnx.ml")
        return Unsupported("takes a map, as only operators of ai.onnx.ml do").At(node.Describe());
      operands.push_back(keys->second);
    }
    operands.push_back(operand);
  }
  return operands;
}

Result<std::vector<Value*>> OnnxGraphLowering::RequiredOperands(const Node& node,
                                                                std::size_t first) const {
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, Operands(node));
  for (std::size_t i = first; i < operands.size(); ++i) {
    if (operands[i] == nullptr)
      return InvalidInput("operand " + std::to_string(i) + " is missing").At(node.Describe());
  }
  return operands;
}

Result<Value*> OnnxGraphLowering::Lookup(const Value* value) const {
  if (value == nullptr) return static_cast<Value*>(nullptr);
  auto found = values_.find(value);
  if (found == values_.end())
    return InvalidInput("value '" + value->name() + "' is read before it is computed");
  return found->second;
}

Result<Value*> OnnxGraphLowering::LookupOutput(const Use& output) const {
  DRAGOMAN_ASSIGN(Value * value, Lookup(output.value()));
  if (value != nullptr) return value;
  const char* const why =
      output.value() == nullptr ? " has no name" : " is an operand that the call leaves out";
  return InvalidInput("output " + std::to_string(output.index()) + why)
      .At("graph '" + output.graph()->name() + "'");
}

Result<std::vector<NamedAttribute>> OnnxGraphLowering::ResolveAttributes(
    const Node& node, const CallScope& scope) const {
  std::vector<NamedAttribute> resolved;
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto* reference = attribute.value.As<AttributeRef>();
    if (reference == nullptr) {
      resolved.emplace_back(attribute.name, attribute.value);
      continue;
    }
    if (scope.function == nullptr) {
      return InvalidInput("attribute '" + attribute.name +
                          "' refers to a function's attribute outside of one")
          .At(node.Describe());
    }
    // An attribute that the call leaves out is left out here too.
    if (const Attribute* value = Find(scope.attributes, reference->name)) {
      resolved.emplace_back(attribute.name, *value);
    }
  }
  return resolved;
}

std::optional<std::int64_t> OnnxGraphLowering::ImportOf(const Node& node,
                                                        const CallScope& scope) const {
  const std::string_view domain = CanonicalDomain(node.op().domain);
  for (const OpsetImport& opset : *scope.opsets) {
    if (CanonicalDomain(opset.domain) == domain) return opset.version;
  }
  return std::nullopt;
}

std::int64_t OnnxGraphLowering::OpsetOf(const Node& node, const CallScope& scope) const {
  // Files of IR version 1 and 2 import nothing: they mean version 1.
  return ImportOf(node, scope).value_or(1);
}

OriginPtr OnnxGraphLowering::OriginOf(const Node& node, const CallScope& scope) const {
  SourceOp op;
  op.op = node.op().ToString();
  op.name = node.name();
  op.scope = scope.path;
  for (const NamedAttribute& attribute : node.attributes()) {
    NamedAttribute copy(attribute.name, attribute.value);
    if (const Graph* body = attribute.value.graph()) copy.value = Symbol{body->name()};
    op.attributes.push_back(std::move(copy));
  }
  // As torch.onnx.export writes it.
  for (const auto& [key, value] : NodeMetadata(node)) {
    if (key == "pkg.torch.onnx.stack_trace") SetLocation(op, value, "torch");
    if (key == "pkg.torch.onnx.name_scopes" && op.scope.empty()) op.scope = ModuleIn(value);
  }
  return Origin::Leaf(std::move(op));
}

}  // namespace dragoman
