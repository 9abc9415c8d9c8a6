// SPDX-License-Identifier: Apache-2.0
// Loops over tensors, and those that a condition ends.
#include <cstdint>
#include <utility>

#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

Type NumberType() { return Type::Opaque("torch", "int"); }

}  // namespace

// Whether an iteration follows where `values` are carried.
Result<Value*> ScriptWriter::GoesOn(const Graph& condition, std::vector<Value*> values,
                                    const std::vector<Value*>& further) {
  values.insert(values.end(), further.begin(), further.end());
  DRAGOMAN_TRY(Inline(condition, values));
  const Attribute::List outputs = EncodedOutputs(condition);
  if (outputs.size() != 1) return InvalidInput("the condition of while_loop is not one value");
  return Condition(outputs.front(), OutputValues(condition));
}

// while_loop(cond_graph, body_graph, carried, further), while_loop_stack_output: the latter gives
// what each iteration has left, or what is carried into the loop if it has no iteration.
Status ScriptWriter::WriteWhile(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* condition, GraphArgument(node, 0));
  DRAGOMAN_ASSIGN(const Graph* iteration, GraphArgument(node, 1));
  DRAGOMAN_ASSIGN(const std::vector<Value*> carried, Flat(node, 2, 3));
  DRAGOMAN_ASSIGN(const std::vector<Value*> further, Flat(node, 3, node.attributes().size()));
  std::vector<Value*> lists;
  if (node.op().type == "while_loop_stack_output") {
    for (Value* value : carried) {
      if (!value->type().is_tensor())
        return Unsupported("operator " + node.op().ToString() + " that carries a number");
      lists.push_back(Append({"prim", "ListConstruct"}, {value}, Type::Sequence(LoopTensor())));
    }
  }
  DRAGOMAN_ASSIGN(Value * starts, GoesOn(*condition, carried, further));
  std::vector<Value*> operands = {Int(INT64_MAX), starts};
  operands.insert(operands.end(), carried.begin(), carried.end());
  Node* loop = Append({"prim", "Loop"}, operands);
  DRAGOMAN_TRY(WriteBlock(*loop, "body", [&](Graph& body) -> Status {
    body.AddInput("i", NumberType());
    std::vector<Value*> values;
    for (const Value* value : carried)
      values.push_back(body.AddInput(value->name(), value->type()));
    std::vector<Value*> given = values;
    given.insert(given.end(), further.begin(), further.end());
    DRAGOMAN_ASSIGN(values, Inline(*iteration, given));
    if (values.size() != carried.size())
      return InvalidInput("the body of while_loop gives another number of values than it carries");
    for (std::size_t i = 0; i < lists.size(); ++i)
      Append({"aten", "append", "t"}, {lists[i], values[i]}, lists[i]->type());
    DRAGOMAN_ASSIGN(Value * goes_on, GoesOn(*condition, values, further));
    body.AddOutput(goes_on);
    for (Value* value : values) body.AddOutput(value);
    return {};
  }));
  std::vector<Value*> results;
  for (const Value* value : carried) results.push_back(loop->AddResult("", value->type()));
  for (std::size_t i = 0; i < lists.size(); ++i) results[i] = IterationsOf(lists[i]);
  return BindFlat(node, results);
}

// All of `list` but the first item, which counts where it is the only one, as one tensor.
Value* ScriptWriter::IterationsOf(Value* list) {
  Value* zero = Int(0);
  Value* one = Int(1);
  Value* rows = Append({"aten", "stack", ""}, {list, zero}, LoopTensor());
  Value* begin = OfInts("sub", SizeOf(rows, 0), one);
  begin = Append({"prim", "min", "int"}, {begin, one}, NumberType());
  return Append({"aten", "slice", "Tensor"}, {rows, zero, begin, Int(INT64_MAX), one},
                LoopTensor());
}

Status ScriptWriter::WriteScanLoop(const Node& node, const Graph& body,
                                   const std::vector<Value*>& carried,
                                   const std::vector<Value*>& xs,
                                   const std::vector<Value*>& further) {
  if (xs.empty()) return Unsupported(node.op().ToString() + " without a tensor to run over");
  if (node.num_results() < carried.size())
    return InvalidInput(node.op().ToString() + " has fewer results than it carries");
  Value* zero = Int(0);
  Value* count = Append({"aten", "size", "int"}, {xs.front(), zero}, NumberType());
  std::vector<Value*> lists;
  for (std::size_t i = carried.size(); i < node.num_results(); ++i)
    lists.push_back(Append({"prim", "ListConstruct"}, {}, Type::Sequence(LoopTensor())));
  std::vector<Value*> operands = {count, Bool(true)};
  operands.insert(operands.end(), carried.begin(), carried.end());
  Node* loop = Append({"prim", "Loop"}, operands);
  DRAGOMAN_TRY(WriteBlock(*loop, "body", [&](Graph& block) -> Status {
    Value* iteration = block.AddInput("i", NumberType());
    std::vector<Value*> given;
    for (std::size_t i = 0; i < carried.size(); ++i)
      given.push_back(block.AddInput(carried[i]->name(), carried[i]->type()));
    for (Value* x : xs)
      given.push_back(Append({"aten", "select", "int"}, {x, zero, iteration}, LoopTensor()));
    given.insert(given.end(), further.begin(), further.end());
    DRAGOMAN_ASSIGN(const std::vector<Value*> outputs, Inline(body, given));
    if (outputs.size() != node.num_results()) {
      return InvalidInput("the graph of " + node.op().ToString() +
                          " gives another number of values than it has results");
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
      Append({"aten", "append", "t"}, {lists[i], outputs[carried.size() + i]},
             Type::Sequence(LoopTensor()));
    }
    block.AddOutput(Bool(true));
    for (std::size_t i = 0; i < carried.size(); ++i) block.AddOutput(outputs[i]);
    return {};
  }));
  std::vector<Value*> results;
  for (const Value* value : carried) results.push_back(loop->AddResult("", value->type()));
  for (Value* list : lists)
    results.push_back(Append({"aten", "stack", ""}, {list, zero}, LoopTensor()));
  return BindFlat(node, results);
}

// associative_scan(graph, xs, further): the graph joins what came so far with the next slices.
// Until torch 2.6 an axis stands after xs.
Status ScriptWriter::WriteAssociativeScan(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* join, GraphArgument(node, 0));
  DRAGOMAN_ASSIGN(const std::vector<Value*> xs, Flat(node, 1, 2));
  const Attribute* said = ArgumentOf(node, 2);
  const auto* axis = said != nullptr ? said->As<std::int64_t>() : nullptr;
  DRAGOMAN_ASSIGN(const std::vector<Value*> further,
                  Flat(node, axis != nullptr ? 3 : 2, node.attributes().size()));
  if (xs.empty()) return Unsupported(node.op().ToString() + " without a tensor to run over");
  Value* along = Int(axis != nullptr ? *axis : 0);
  Value* one = Int(1);
  Value* count = Append({"aten", "size", "int"}, {xs.front(), along}, NumberType());
  std::vector<Value*> operands = {OfInts("sub", count, one), Bool(true)};
  std::vector<Value*> lists;
  for (Value* x : xs) {
    Value* first = Append({"aten", "select", "int"}, {x, along, Int(0)}, LoopTensor());
    operands.push_back(first);
    lists.push_back(Append({"prim", "ListConstruct"}, {first}, Type::Sequence(LoopTensor())));
  }
  Node* loop = Append({"prim", "Loop"}, operands);
  DRAGOMAN_TRY(WriteBlock(*loop, "body", [&](Graph& block) -> Status {
    Value* iteration = block.AddInput("i", NumberType());
    std::vector<Value*> given;
    for (std::size_t i = 0; i < xs.size(); ++i) given.push_back(block.AddInput("", LoopTensor()));
    Value* next = OfInts("add", iteration, one);
    for (Value* x : xs)
      given.push_back(Append({"aten", "select", "int"}, {x, along, next}, LoopTensor()));
    given.insert(given.end(), further.begin(), further.end());
    DRAGOMAN_ASSIGN(const std::vector<Value*> outputs, Inline(*join, given));
    if (outputs.size() != xs.size()) {
      return InvalidInput("the graph of " + node.op().ToString() +
                          " gives another number of values than it joins");
    }
    block.AddOutput(Bool(true));
    for (std::size_t i = 0; i < xs.size(); ++i) {
      Append({"aten", "append", "t"}, {lists[i], outputs[i]}, lists[i]->type());
      block.AddOutput(outputs[i]);
    }
    return {};
  }));
  for (std::size_t i = 0; i < xs.size(); ++i) loop->AddResult("", LoopTensor());
  std::vector<Value*> results;
  for (Value* list : lists)
    results.push_back(Append({"aten", "stack", ""}, {list, along}, LoopTensor()));
  return BindFlat(node, results);
}

// map_impl(graph, xs, further)
Status ScriptWriter::WriteMap(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* body, GraphArgument(node, 0));
  DRAGOMAN_ASSIGN(const std::vector<Value*> xs, Flat(node, 1, 2));
  DRAGOMAN_ASSIGN(const std::vector<Value*> further, Flat(node, 2, node.attributes().size()));
  return WriteScanLoop(node, *body, {}, xs, further);
}

// scan(graph, carried, xs, further); until torch 2.6 an axis and whether it runs backward stand
// after xs.
Status ScriptWriter::WriteScan(const Node& node) {
  DRAGOMAN_ASSIGN(const Graph* body, GraphArgument(node, 0));
  DRAGOMAN_ASSIGN(const std::vector<Value*> carried, Flat(node, 1, 2));
  DRAGOMAN_ASSIGN(const std::vector<Value*> xs, Flat(node, 2, 3));
  const Attribute* axis = ArgumentOf(node, 3);
  const Attribute* reverse = ArgumentOf(node, 4);
  const bool is_old = axis != nullptr && axis->As<std::int64_t>() != nullptr;
  const bool is_plain = is_old && *axis->As<std::int64_t>() == 0 && reverse != nullptr &&
                        reverse->As<bool>() != nullptr && !*reverse->As<bool>();
  if (is_old && !is_plain) return Unsupported("scan along another axis than 0, or backward");
  DRAGOMAN_ASSIGN(const std::vector<Value*> further,
                  Flat(node, is_old ? 5 : 3, node.attributes().size()));
  return WriteScanLoop(node, *body, carried, xs, further);
}

}  // namespace dragoman::torch
