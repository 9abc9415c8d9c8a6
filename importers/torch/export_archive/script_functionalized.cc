// SPDX-License-Identifier: Apache-2.0
// auto_functionalized: an operator that writes to its arguments, on copies of them.
#include <string>

#include "core/ir/find_as.h"
#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

Type TensorType() { return Type::Tensor(DType::kUnknown); }

Result<std::int64_t> IntArgument(const Node& node, const std::string& name) {
  const auto* number = FindAs<std::int64_t>(node.attributes(), name);
  if (number != nullptr) return *number;
  return InvalidInput("operator " + node.op().ToString() + " lacks the number " + name);
}

// Of results that are lists each item.
Attribute::List FlatResultsOf(const Node& node) {
  Attribute::List flat;
  for (const Attribute& result : ResultsOf(node)) {
    const auto* dict = result.As<Attribute::Dict>();
    const bool is_tagged = dict != nullptr && dict->size() == 1;
    const auto* list = is_tagged ? dict->front().value.As<Attribute::List>() : nullptr;
    if (list != nullptr) {
      flat.insert(flat.end(), list->begin(), list->end());
    } else {
      flat.push_back(result);
    }
  }
  return flat;
}

}  // namespace

// Calls the operator; the results of `node` are its results, None if it has none, and what
// `mutated` are then: those of a list are one result in the file.
Status ScriptWriter::WriteMutable(const Node& node, const Schema& schema,
                                  const std::vector<Value*>& operands,
                                  const std::vector<Value*>& mutated) {
  Node* call = Append({schema.ns, schema.name, schema.overload}, operands);
  std::vector<Value*> values;
  for (const SchemaArgument& result : schema.results)
    values.push_back(call->AddResult("", ToIrType(result.type)));
  if (values.empty()) values.push_back(nullptr);
  values.insert(values.end(), mutated.begin(), mutated.end());
  const Attribute::List results = FlatResultsOf(node);
  if (results.size() != values.size()) {
    return InvalidInput("operator " + node.op().ToString() +
                        " has another number of results than the operator that it runs");
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::optional<std::size_t> index = IndexOf(results[i]);
    const Value* result = index ? node.result(*index) : nullptr;
    if (result != nullptr && values[i] != nullptr) Bind(*result, values[i]);
  }
  return {};
}

Value* ScriptWriter::CopyOf(Value* tensor) {
  return Append({"aten", "clone"}, {tensor, Constant(Attribute(), Type())}, TensorType());
}

Value* ScriptWriter::ListOf(const std::vector<Value*>& tensors) {
  return Append({"prim", "ListConstruct"}, tensors, Type::Sequence(TensorType()));
}

// An argument that is written: a tensor, a list of them, or None. The copies are added to
// `mutated`.
Result<Value*> ScriptWriter::CopiedArgument(const Attribute& argument, const ValuesOf& values,
                                            std::vector<Value*>& mutated) {
  if (argument.kind() == Attribute::Kind::kNone) {
    mutated.push_back(nullptr);
    return Argument(argument, values);
  }
  std::vector<Value*> copies;
  DRAGOMAN_TRY(AddFlat(argument, values, copies));
  for (Value*& copy : copies) copy = CopyOf(copy);
  mutated.insert(mutated.end(), copies.begin(), copies.end());
  return IndexOf(argument) ? copies.front() : ListOf(copies);
}

// auto_functionalized(operator, *, its arguments)
Status ScriptWriter::WriteFunctionalized(const Node& node) {
  DRAGOMAN_ASSIGN(const Schema* schema, NamedSchema(node, 0));
  std::vector<Value*> operands;
  std::vector<Value*> mutated;
  for (const SchemaArgument& formal : schema->arguments) {
    const Attribute* argument = node.attribute(formal.name);
    const ValuesOf values = OperandValues(node);
    DRAGOMAN_ASSIGN(Value * operand, argument == nullptr ? Default(formal, node.op())
                                     : formal.mutated() ? CopiedArgument(*argument, values, mutated)
                                                        : Argument(*argument, values));
    operands.push_back(operand);
  }
  return WriteMutable(node, *schema, operands, mutated);
}

// The tensor that argument `name` is of the copies: one of them, a part, or None.
Result<Value*> ScriptWriter::ViewOf(const Node& node, const std::string& name,
                                    const std::vector<Value*>& bases) {
  const Attribute* said = node.attribute("_" + name + "_base_index");
  if (said != nullptr && said->kind() == Attribute::Kind::kNone)
    return Argument(*said, OperandValues(node));
  DRAGOMAN_ASSIGN(const std::int64_t index, IntArgument(node, "_" + name + "_base_index"));
  if (index < 0 || static_cast<std::size_t>(index) >= bases.size())
    return InvalidInput("argument " + name + " is of a tensor that is not there");
  Value* base = bases[static_cast<std::size_t>(index)];
  const auto part = [&](const char* suffix) -> Result<Value*> {
    const Attribute* argument = node.attribute("_" + name + suffix);
    if (argument == nullptr) return InvalidInput("argument " + name + " lacks " + suffix);
    return Argument(*argument, OperandValues(node));
  };
  if (node.attribute("_" + name + "_slice_dim") != nullptr) {
    DRAGOMAN_ASSIGN(Value * axis, part("_slice_dim"));
    DRAGOMAN_ASSIGN(Value * start, part("_slice_start"));
    DRAGOMAN_ASSIGN(Value * end, part("_slice_end"));
    return Append({"aten", "slice", "Tensor"}, {base, axis, start, end, Int(1)}, TensorType());
  }
  if (node.attribute("_" + name + "_storage_offset") != nullptr) {
    DRAGOMAN_ASSIGN(Value * sizes, part("_size"));
    DRAGOMAN_ASSIGN(Value * strides, part("_stride"));
    DRAGOMAN_ASSIGN(Value * offset, part("_storage_offset"));
    return Append({"aten", "as_strided"}, {base, sizes, strides, offset}, TensorType());
  }
  return base;
}

// A written argument, of a list each item: `_x_length`, `_x_0_base_index`, …
Result<Value*> ScriptWriter::ViewsOf(const Node& node, const SchemaArgument& formal,
                                     const std::vector<Value*>& bases) {
  const Attribute* length = node.attribute("_" + formal.name + "_length");
  if (length == nullptr) return ViewOf(node, formal.name, bases);
  if (length->kind() == Attribute::Kind::kNone) return Argument(*length, OperandValues(node));
  DRAGOMAN_ASSIGN(const std::int64_t count, IntArgument(node, "_" + formal.name + "_length"));
  std::vector<Value*> views;
  for (std::int64_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(Value * view, ViewOf(node, formal.name + "_" + std::to_string(i), bases));
    views.push_back(view);
  }
  return ListOf(views);
}

// auto_functionalized_v2(operator, *, its arguments, those that it writes to as parts of
// _all_bases)
Status ScriptWriter::WriteFunctionalizedViews(const Node& node) {
  DRAGOMAN_ASSIGN(const Schema* schema, NamedSchema(node, 0));
  const Attribute* all = node.attribute("_all_bases");
  if (all == nullptr) return InvalidInput("operator " + node.op().ToString() + " has no bases");
  std::vector<Value*> bases;
  DRAGOMAN_TRY(AddFlat(*all, OperandValues(node), bases));
  for (Value*& base : bases) base = CopyOf(base);
  std::vector<Value*> operands;
  for (const SchemaArgument& formal : schema->arguments) {
    const Attribute* argument = node.attribute(formal.name);
    DRAGOMAN_ASSIGN(Value * operand, formal.mutated() ? ViewsOf(node, formal, bases)
                                     : argument != nullptr
                                         ? Argument(*argument, OperandValues(node))
                                         : Default(formal, node.op()));
    operands.push_back(operand);
  }
  return WriteMutable(node, *schema, operands, bases);
}

}  // namespace dragoman::torch
