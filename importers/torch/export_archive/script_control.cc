// SPDX-License-Identifier: Apache-2.0
// Branches and regions, assertions, and what has no effect on results.
#include <cstdint>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "core/support/text.h"
#include "importers/torch/export_archive/numbering.h"
#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

Type Plain(const char* name) { return Type::Opaque("torch", name); }
Type AnyTensor() { return Type::Tensor(DType::kUnknown); }

// The type of a region under autocast on a CPU, bfloat16 where it does not say.
Result<DType> RegionType(const Attribute& argument) {
  if (argument.kind() == Attribute::Kind::kNone) return DType::kBF16;
  const auto* dict = argument.As<Attribute::Dict>();
  const auto* number = FindAs<std::int64_t>(dict, "as_scalar_type");
  const auto dtype = number != nullptr ? DTypeOfExport(*number) : std::nullopt;
  if (dtype == TorchDType::kBF16) return DType::kBF16;
  if (dtype == TorchDType::kF16) return DType::kF16;
  return Unsupported("a region under autocast to another type than bfloat16 and float16");
}

// Of an assertion that torch has added, without the node that it was found at.
std::string MessageOf(const Attribute* message) {
  const auto* text = message != nullptr ? message->As<std::string>() : nullptr;
  if (text == nullptr) return "an assertion";
  return text->starts_with("Runtime assertion failed for expression ")
             ? text->substr(0, text->find(" on node '"))
             : *text;
}

}  // namespace

const Attribute* ArgumentOf(const Node& node, std::size_t index) {
  return index < node.attributes().size() ? &node.attributes()[index].value : nullptr;
}

Attribute::List EncodedOutputs(const Graph& graph) {
  const Extra* extra = graph.extra_if_any();
  const Attribute* said = extra != nullptr ? Find(*extra, "pt2.outputs") : nullptr;
  if (said != nullptr && said->As<Attribute::List>() != nullptr)
    return *said->As<Attribute::List>();
  Attribute::List outputs;
  for (std::size_t i = 0; i < graph.num_outputs(); ++i)
    outputs.emplace_back(Symbol{std::to_string(i)});
  return outputs;
}

ScriptWriter::Control ScriptWriter::FindControl(const OpName& op) {
  struct Row {
    std::string_view name;
    Control control;
  };
  static constexpr Row kRows[] = {
      {"aten._assert_async", &ScriptWriter::WriteAssert},
      {"aten._assert_scalar", &ScriptWriter::WriteAssert},
      {"aten._assert_tensor_metadata", &ScriptWriter::WriteNothing},
      {"aten._functional_assert_async", &ScriptWriter::WriteAssert},
      {"aten._functional_assert_scalar", &ScriptWriter::WriteAssert},
      {"aten._functional_sym_constrain_range", &ScriptWriter::WriteNothing},
      {"aten._functional_sym_constrain_range_for_size", &ScriptWriter::WriteNothing},
      {"aten._linalg_check_errors", &ScriptWriter::WriteNothing},
      {"aten.sym_constrain_range", &ScriptWriter::WriteNothing},
      {"aten.sym_constrain_range_for_size", &ScriptWriter::WriteNothing},
      {"higher_order.associative_scan", &ScriptWriter::WriteAssociativeScan},
      {"higher_order.auto_functionalized", &ScriptWriter::WriteFunctionalized},
      {"higher_order.auto_functionalized_v2", &ScriptWriter::WriteFunctionalizedViews},
      {"higher_order.cond", &ScriptWriter::WriteCond},
      {"higher_order.foreach_map", &ScriptWriter::WriteGraphCall},
      {"higher_order.hints_wrapper", &ScriptWriter::WriteGraphCall},
      {"higher_order.invoke_quant", &ScriptWriter::WriteGraphCall},
      {"higher_order.invoke_quant_packed", &ScriptWriter::WriteGraphCall},
      {"higher_order.invoke_subgraph", &ScriptWriter::WriteSubgraphCall},
      {"higher_order.map_impl", &ScriptWriter::WriteMap},
      {"higher_order.out_dtype", &ScriptWriter::WriteWiderCall},
      {"higher_order.print", &ScriptWriter::WritePrint},
      {"higher_order.scan", &ScriptWriter::WriteScan},
      {"higher_order.strict_mode", &ScriptWriter::WriteGraphCall},
      {"higher_order.tag_activation_checkpoint", &ScriptWriter::WriteGraphCall},
      {"higher_order.while_loop", &ScriptWriter::WriteWhile},
      {"higher_order.while_loop_stack_output", &ScriptWriter::WriteWhile},
      {"higher_order.with_effects", &ScriptWriter::WriteOrderedCall},
      {"higher_order.wrap", &ScriptWriter::WriteGraphCall},
      {"higher_order.wrap_activation_checkpoint", &ScriptWriter::WriteGraphCall},
      {"higher_order.wrap_with_autocast", &ScriptWriter::WriteAutocastRegion},
      {"higher_order.wrap_with_set_grad_enabled", &ScriptWriter::WriteGradRegion},
      {"torch._functorch.predispatch.lazy_load_decompositions", &ScriptWriter::WriteNothing},
      {"torch.sym_ite", &ScriptWriter::WriteChoice},
      {"torch.sym_sum", &ScriptWriter::WriteSum},
  };
  const std::string name = op.dialect + "." + op.type;
  for (const Row& row : kRows) {
    if (row.name == name) return row.control;
  }
  return nullptr;
}

Result<const Graph*> ScriptWriter::GraphArgument(const Node& node, std::size_t index) const {
  const Attribute* argument = ArgumentOf(node, index);
  if (argument != nullptr && argument->graph() != nullptr) return argument->graph();
  return InvalidInput(
      fmt::format("operator {} has no graph as argument {}", node.op().ToString(), index));
}

Status ScriptWriter::AddFlat(const Attribute& argument, const ValuesOf& values,
                             std::vector<Value*>& flat) {
  const auto* list = argument.As<Attribute::List>();
  if (const auto* dict = argument.As<Attribute::Dict>(); dict != nullptr && dict->size() == 1)
    list = dict->front().value.As<Attribute::List>();
  if (list == nullptr) {
    DRAGOMAN_ASSIGN(Value * made, Argument(argument, values));
    flat.push_back(made);
    return {};
  }
  for (const Attribute& item : *list) DRAGOMAN_TRY(AddFlat(item, values, flat));
  return {};
}

Result<std::vector<Value*>> ScriptWriter::Flat(const Node& node, std::size_t first,
                                               std::size_t last) {
  std::vector<Value*> flat;
  for (std::size_t i = first; i < last && i < node.attributes().size(); ++i) {
    // Of higher-order operators keywords alone have a name: before torch 2.7, only that shows them.
    const bool is_keyword =
        node.op().dialect == "higher_order" && !ParseUint64(node.attributes()[i].name).has_value();
    if (!is_keyword && !IsKeyword(node.attributes()[i]))
      DRAGOMAN_TRY(AddFlat(node.attributes()[i].value, OperandValues(node), flat));
  }
  return flat;
}

Result<std::vector<Value*>> ScriptWriter::Inline(const Graph& graph,
                                                 const std::vector<Value*>& operands) {
  if (graph.num_inputs() != operands.size()) {
    return InvalidInput(fmt::format("graph '{}' takes {} arguments, {} are given", graph.name(),
                                    graph.num_inputs(), operands.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) Bind(*graph.input(i), operands[i]);
  DRAGOMAN_TRY(WriteNodes(graph));
  std::vector<Value*> outputs;
  for (const Attribute& output : EncodedOutputs(graph))
    DRAGOMAN_TRY(AddFlat(output, OutputValues(graph), outputs));
  return outputs;
}

Value* ScriptWriter::ToBool(Value* value) {
  return Append({"aten", "Bool", "Tensor"}, {value}, Plain("bool"));
}

Result<Value*> ScriptWriter::Condition(const Attribute& argument, const ValuesOf& values) {
  DRAGOMAN_ASSIGN(Value * made, Argument(argument, values));
  return argument.As<Symbol>() != nullptr ? ToBool(made) : made;
}

Status ScriptWriter::BindFlat(const Node& node, const std::vector<Value*>& results) {
  if (node.num_results() != results.size()) {
    return InvalidInput(fmt::format("operator {} has {} results, its graphs give {}",
                                    node.op().ToString(), node.num_results(), results.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (node.result(i) != nullptr) Bind(*node.result(i), results[i]);
  }
  return {};
}

Status ScriptWriter::WriteBlock(Node& node, std::string_view name,
                                const std::function<Status(Graph&)>& write) {
  auto body = std::make_shared<Graph>();
  node.SetAttribute(name, Attribute(body));
  Graph* outer = std::exchange(block_, body.get());
  const OriginPtr origin = origin_;
  Status status = write(*body);
  block_ = outer;
  origin_ = origin;
  return status;
}

// cond(predicate, true_graph, false_graph, operands)
Status ScriptWriter::WriteCond(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* then_graph, GraphArgument(node, 1));
  DRAGOMAN_ASSIGN(const Graph* else_graph, GraphArgument(node, 2));
  DRAGOMAN_ASSIGN(Value * condition, Condition(*ArgumentOf(node, 0), OperandValues(node)));
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Flat(node, 3, node.attributes().size()));
  Node* choice = Append({"prim", "If"}, {condition});
  for (const auto& [name, graph] :
       {std::pair("then_branch", then_graph), std::pair("else_branch", else_graph)}) {
    DRAGOMAN_TRY(WriteBlock(*choice, name, [&, &graph = graph](Graph& body) -> Status {
      DRAGOMAN_ASSIGN(const std::vector<Value*> outputs, Inline(*graph, operands));
      if (outputs.size() != node.num_results())
        return InvalidInput("a branch of cond gives another number of results than cond");
      for (Value* output : outputs) body.AddOutput(output);
      return {};
    }));
  }
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    results.push_back(choice->AddResult(result != nullptr ? result->name() : "", AnyTensor()));
  }
  return BindFlat(node, results);
}

// sym_ite(condition, then, else)
Status ScriptWriter::WriteChoice(const Node& node) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Flat(node, 0, node.attributes().size()));
  if (operands.size() != 3) return InvalidInput("sym_ite does not have three arguments");
  Node* choice = Append({"prim", "If"}, {operands[0]});
  for (const auto& [name, value] :
       {std::pair("then_branch", operands[1]), std::pair("else_branch", operands[2])}) {
    DRAGOMAN_TRY(WriteBlock(*choice, name, [value = value](Graph& body) -> Status {
      body.AddOutput(value);
      return {};
    }));
  }
  return BindFlat(node, {choice->AddResult("", Plain("int"))});
}

// sym_sum(numbers)
Status ScriptWriter::WriteSum(const Node& node) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> numbers, Flat(node, 0, node.attributes().size()));
  Value* sum = Int(0);
  for (Value* number : numbers) sum = Append({"aten", "add", "int"}, {sum, number}, Plain("int"));
  return BindFlat(node, {sum});
}

// The nodes of a graph that is called with the arguments from `first` on, up to `last`.
Status ScriptWriter::WriteRegion(const Node& node, const Graph& graph, std::size_t first,
                                 std::size_t last) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Flat(node, first, last));
  DRAGOMAN_ASSIGN(const std::vector<Value*> results, Inline(graph, operands));
  return BindFlat(node, results);
}

// wrap_with_set_grad_enabled(enabled, graph, operands…)
Status ScriptWriter::WriteGradRegion(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* graph, GraphArgument(node, 1));
  return WriteRegion(node, *graph, 2);
}

// strict_mode, tag_activation_checkpoint, wrap, foreach_map, invoke_quant (graph, operands…),
// hints_wrapper (graph, operands, hints): keywords and hints say how torch runs the graph.
Status ScriptWriter::WriteGraphCall(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* graph, GraphArgument(node, 0));
  return WriteRegion(node, *graph, 1, node.op().type == "hints_wrapper" ? 2 : SIZE_MAX);
}

// wrap_with_autocast(device, dtype, enabled, cache, graph, operands…)
Status ScriptWriter::WriteAutocastRegion(const Node& node) {
  const Attribute* device = ArgumentOf(node, 0);
  const auto* place = device != nullptr ? device->As<std::string>() : nullptr;
  const Attribute* enabled = ArgumentOf(node, 2);
  const bool* is_enabled = enabled != nullptr ? enabled->As<bool>() : nullptr;
  if (is_enabled == nullptr || place == nullptr)
    return InvalidInput("a region under autocast without its device or state");
  DRAGOMAN_ASSIGN(const Graph* graph, GraphArgument(node, 4));
  std::optional<DType> region;
  if (*is_enabled) {
    if (*place != "cpu") {
      return Unsupported("a region under autocast on " + *place +
                         "; decompose the program (run_decompositions), which states the element "
                         "types");
    }
    DRAGOMAN_ASSIGN(region, RegionType(*ArgumentOf(node, 1)));
  }
  const std::optional<DType> outer = std::exchange(autocast_, region);
  Status status = WriteRegion(node, *graph, 5);
  autocast_ = outer;
  return status;
}

// invoke_subgraph(graph, name, operands…)
Status ScriptWriter::WriteSubgraphCall(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* graph, GraphArgument(node, 0));
  return WriteRegion(node, *graph, 2);
}

// The functional forms of assertions have a token as their last argument, and give it.
Status ScriptWriter::PassToken(const Node& node) {
  if (node.num_results() == 0) return {};
  const bool is_functional = node.op().type.starts_with("_functional_") &&
                             node.num_results() == 1 && node.num_operands() > 0;
  if (!is_functional) return Unsupported("operator " + node.op().ToString() + " with a result");
  DRAGOMAN_ASSIGN(Value * token, Mapped(node.operand(node.num_operands() - 1)));
  return BindFlat(node, {token});
}

// _assert_scalar(condition, message), _assert_async(condition, message): an exception unless the
// condition holds.
Status ScriptWriter::WriteAssert(const Node& node) {
  const Attribute* condition = ArgumentOf(node, 0);
  if (condition == nullptr)
    return InvalidInput("operator " + node.op().ToString() + " lacks its condition");
  DRAGOMAN_TRY(PassToken(node));
  DRAGOMAN_ASSIGN(Value * holds, Condition(*condition, OperandValues(node)));
  return WriteRaiseUnless(holds, MessageOf(ArgumentOf(node, 1)));
}

Status ScriptWriter::WriteRaiseUnless(Value* holds, const std::string& message) {
  Node* choice = Append({"prim", "If"}, {holds});
  DRAGOMAN_TRY(WriteBlock(*choice, "then_branch", [](Graph&) { return Status(); }));
  return WriteBlock(*choice, "else_branch", [&](Graph&) -> Status {
    Value* said = Constant(Attribute(message), Plain("str"));
    Value* none = Constant(Attribute(), Plain("NoneType"));
    Append({"prim", "RaiseException"}, {said, none});
    return {};
  });
}

// It states what torch has found out of sizes and types.
Status ScriptWriter::WriteNothing(const Node& node) { return PassToken(node); }

}  // namespace dragoman::torch
