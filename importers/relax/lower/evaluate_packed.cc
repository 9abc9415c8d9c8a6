// SPDX-License-Identifier: Apache-2.0
// Calls of packed functions. Those of codegen/relax/packed_functions.py are operators of the common
// dialect; nobody knows what others compute.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/ops/op_def.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/parse_module.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

constexpr std::string_view kOurs = "dragoman.";

// Why a call of code that is no Relax is not lowered.
Error ForeignCall(const Node& node) {
  const std::string& op = node.op().type;
  const Attribute* callee = node.attributes().empty() ? nullptr : &node.attributes().front().value;
  if (const auto* symbol = callee != nullptr ? callee->As<Symbol>() : nullptr)
    return Unsupported(fmt::format("the PrimFunc '{}' is kept as text, but not run",
                                   symbol->name.substr(symbol->name.find('.') + 1)));
  const auto* text = callee != nullptr ? callee->As<std::string>() : nullptr;
  return Unsupported(
      fmt::format("{} calls the packed function '{}', which the module does not hold", op,
                  text != nullptr ? *text : ""));
}

const OpDef* OperatorOf(const Node& node) {
  const Attribute* function = node.attribute("func");
  const auto* name = function != nullptr ? function->As<std::string>() : nullptr;
  if (node.op().type != "call_pure_packed" || name == nullptr || !name->starts_with(kOurs))
    return nullptr;
  const OpDef* def = FindOp(std::string_view(*name).substr(kOurs.size()));
  return def != nullptr ? def : FindOp(std::string_view(*name));
}

// The attribute as the operator has it; numbers of the text may be ints where floats are meant.
Attribute AsDeclared(const OpDef& def, const NamedAttribute& given) {
  const auto declared = std::ranges::find(def.attributes, given.name, &AttributeDef::name);
  if (declared == def.attributes.end()) return given.value;
  const auto number = [](const Attribute& value) {
    if (const auto* integer = value.As<std::int64_t>()) return static_cast<float>(*integer);
    const auto* real = value.As<double>();
    return real != nullptr ? static_cast<float>(*real) : 0.0f;
  };
  const auto* list = given.value.As<Attribute::List>();
  if (declared->kind == Attribute::Kind::kFloat) return Attribute(number(given.value));
  if (declared->kind == Attribute::Kind::kInts && list != nullptr && list->empty())
    return Attribute(Attribute::Ints());
  if (declared->kind == Attribute::Kind::kFloats && list != nullptr) {
    Attribute::Floats floats;
    for (const Attribute& item : *list) floats.push_back(number(item));
    return Attribute(std::move(floats));
  }
  return given.value;
}

std::size_t NumResults(const Node& node) {
  for (const char* keyword : {"ty_args", "sinfo_args"}) {
    const Attribute* types = node.attribute(keyword);
    const Type* type = types != nullptr ? types->As<Type>() : nullptr;
    if (type != nullptr && type->kind() == Type::Kind::kTuple) return type->elements().size();
    const auto* list = types != nullptr ? types->As<Attribute::List>() : nullptr;
    if (list != nullptr && !list->empty()) return list->size();
  }
  return 1;
}

}  // namespace

Result<Abstract> Evaluator::EvaluatePacked(const Node& node, Scope& scope) {
  const OpDef* def = OperatorOf(node);
  const std::size_t count = node.num_operands();
  const Abstract last = count > 0 ? Get(node.operand(count - 1), scope) : Abstract();
  const auto* text = last.As<String>();
  if (def == nullptr || text == nullptr || !text->known()) return ForeignCall(node);
  DRAGOMAN_ASSIGN(const python::Expr expr, ParseExpression(text->text()));
  const Attribute parsed = AttributeOf(expr).value;
  const auto* dict = parsed.As<Attribute::Dict>();
  if (dict == nullptr) return ForeignCall(node);
  std::vector<Value*> operands;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    DRAGOMAN_ASSIGN(Value * operand, Tensor(node.operand(i), scope));
    operands.push_back(operand);
  }
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& given : *dict) {
    if (given.name != "absent") {
      attributes.push_back({given.name, AsDeclared(*def, given)});
      continue;
    }
    const auto* places = given.value.As<Attribute::Ints>();
    for (const std::int64_t place : places != nullptr ? *places : Attribute::Ints()) {
      if (place < 0 || static_cast<std::size_t>(place) > operands.size()) return ForeignCall(node);
      operands.insert(operands.begin() + static_cast<std::ptrdiff_t>(place), nullptr);
    }
  }
  const std::string name = node.num_results() > 0 ? node.result(0)->name() : "";
  const std::vector<std::string> names(NumResults(node), name.empty() ? def->name->type : name);
  DRAGOMAN_ASSIGN(Node * made,
                  builder().Append(def->Label(), operands, std::move(attributes), names));
  std::vector<Abstract> results;
  for (std::size_t i = 0; i < made->num_results(); ++i)
    results.push_back(heap_.NewTensor(made->result(i)));
  return results.size() == 1 ? results.front() : NewTuple(std::move(results));
}

}  // namespace dragoman::tvmscript
