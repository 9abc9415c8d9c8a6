// SPDX-License-Identifier: Apache-2.0
// Operators that call the operator that an argument names, or print.
#include <string>
#include <string_view>
#include <vector>

#include "importers/torch/export_archive/graph_reader.h"
#include "importers/torch/export_archive/numbering.h"
#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

const Attribute* TaggedArgument(const Node& node, std::size_t index, std::string_view tag) {
  const Attribute* argument =
      index < node.attributes().size() ? &node.attributes()[index].value : nullptr;
  const auto* dict = argument != nullptr ? argument->As<Attribute::Dict>() : nullptr;
  return dict != nullptr ? Find(*dict, tag) : nullptr;
}

// Whether torch's promotion of `from` with `to` gives `to`.
bool PromotesTo(DType from, DType to) {
  if (from == to) return true;
  if (IsFloating(from) != IsFloating(to)) return IsFloating(to) && IsInteger(from);
  if (Info(from).bits >= Info(to).bits) return false;
  return IsFloating(to) || Info(to).is_signed || !Info(from).is_signed;
}

}  // namespace

Result<const Schema*> ScriptWriter::NamedSchema(const Node& node, std::size_t index) {
  const Attribute* said = TaggedArgument(node, index, "as_operator");
  const auto* target = said != nullptr ? said->As<std::string>() : nullptr;
  if (target == nullptr)
    return InvalidInput("operator " + node.op().ToString() + " names no operator");
  const OpName& op = *OpOfTarget(*target);
  const Schema* schema =
      schemas_.Find(op.dialect, op.type, op.overload == "default" ? "" : op.overload);
  if (schema == nullptr) return Unsupported("operator " + op.ToString() + " is not supported");
  return schema;
}

Result<std::vector<Value*>> ScriptWriter::CallOperands(const Node& node, const Schema& schema,
                                                       std::size_t first) {
  std::vector<Value*> operands;
  std::size_t position = first;
  for (const SchemaArgument& formal : schema.arguments) {
    const Attribute* argument = node.attribute(formal.name);
    const bool is_positional = argument == nullptr && position < node.attributes().size() &&
                               !IsKeyword(node.attributes()[position]);
    if (is_positional) argument = &node.attributes()[position++].value;
    DRAGOMAN_ASSIGN(Value * operand, argument != nullptr ? Argument(*argument, OperandValues(node))
                                                         : Default(formal, node.op()));
    operands.push_back(operand);
  }
  return operands;
}

// out_dtype(operator, element type, its arguments): computed with that type.
Status ScriptWriter::WriteWiderCall(const Node& node) {
  DRAGOMAN_ASSIGN(const Schema* schema, NamedSchema(node, 0));
  const Attribute* said = TaggedArgument(node, 1, "as_scalar_type");
  const auto* number = said != nullptr ? said->As<std::int64_t>() : nullptr;
  const auto dtype = number != nullptr ? DTypeOfExport(*number) : std::nullopt;
  if (!dtype) return InvalidInput("out_dtype without an element type");
  for (const Use& use : node.operands()) {
    const DType from = use.value()->type().dtype();
    if (from == DType::kUnknown || !PromotesTo(from, Info(*dtype).element))
      return Unsupported("out_dtype of wider operands than its result");
  }
  DRAGOMAN_ASSIGN(std::vector<Value*> operands, CallOperands(node, *schema, 2));
  const auto converted = [&](Value* tensor) {
    return Append({"aten", "to", "dtype"},
                  {tensor, Int(static_cast<std::int64_t>(*dtype)), Bool(false), Bool(false),
                   Constant(Attribute(), Type::Opaque("torch", "NoneType"))},
                  Type::Tensor(DType::kUnknown));
  };
  for (Value*& operand : operands) {
    if (operand->type().is_tensor()) operand = converted(operand);
  }
  Node* call = Append({schema->ns, schema->name, schema->overload}, operands);
  return BindResults(node, *call, schema);
}

// with_effects(token, operator, its arguments): the token orders calls, which stand in order.
Status ScriptWriter::WriteOrderedCall(const Node& node) {
  DRAGOMAN_ASSIGN(const Schema* schema, NamedSchema(node, 1));
  DRAGOMAN_ASSIGN(Value * token, Argument(node.attributes().front().value, OperandValues(node)));
  if (FindControl({schema->ns, "", schema->name, ""}) == &ScriptWriter::WriteNothing)
    return BindFlat(node, {token});
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, CallOperands(node, *schema, 2));
  Node* call = Append({schema->ns, schema->name, schema->overload}, operands);
  std::vector<Value*> results = {token};
  for (const SchemaArgument& result : schema->results)
    results.push_back(call->AddResult("", ToIrType(result.type)));
  return BindFlat(node, results);
}

// print(format, *, values): what stands between the values, and these in the place of "{name}".
Status ScriptWriter::WritePrint(const Node& node) {
  const auto* format =
      node.attributes().empty() ? nullptr : node.attributes().front().value.As<std::string>();
  if (format == nullptr || node.num_results() != 0)
    return InvalidInput("operator " + node.op().ToString() + " without a text to print");
  std::vector<Value*> printed;
  const auto add_text = [&](std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);  // one is printed between all parts
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (!text.empty())
      printed.push_back(Constant(Attribute(std::string(text)), Type::Opaque("torch", "str")));
  };
  std::string_view rest = *format;
  while (!rest.empty()) {
    const std::size_t open = rest.find('{');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string name(rest.substr(open + 1, close - open - 1));
    const Attribute* argument = node.attribute(name);
    if (argument == nullptr)
      return Unsupported("operator " + node.op().ToString() + " of a text with {" + name + "}");
    add_text(rest.substr(0, open));
    DRAGOMAN_ASSIGN(Value * value, Argument(*argument, OperandValues(node)));
    printed.push_back(value);
    rest.remove_prefix(close + 1);
  }
  add_text(rest);
  Append({"prim", "Print"}, printed);
  return {};
}

}  // namespace dragoman::torch
