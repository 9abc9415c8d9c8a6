// SPDX-License-Identifier: Apache-2.0
// Calls of packed functions. Those of codegen/relax/packed_functions.py are operators of the common
// dialect; nobody knows what others compute.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "core/ops/op_def.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/parse_module.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

constexpr std::string_view kOurs = "dragoman.";

// Why a call of code that is not Relax is not lowered.
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

// "cls.kernel" of R.call_tir is "kernel"; "": the call is another.
std::string PrimFuncOf(const Node& node) {
  if (node.op().type != "call_tir" && node.op().type != "call_tir_inplace") return "";
  const auto* symbol = FindAs<Symbol>(node.attributes(), "gvar");
  return symbol != nullptr ? symbol->name.substr(symbol->name.find('.') + 1) : "";
}

// Tensors that the call is said to give. Empty: something else, or nothing.
std::vector<Type> StatedResults(const Node& node) {
  std::vector<Type> types;
  for (const char* keyword : {"out_ty", "out_sinfo"}) {
    const Attribute* stated = node.attribute(keyword);
    if (stated == nullptr) continue;
    const auto add = [&](const Attribute& item) {
      if (const auto* type = item.As<Type>()) types.push_back(*type);
    };
    add(*stated);
    const auto* list = stated->As<Attribute::List>();
    for (const Attribute& item : list != nullptr ? *list : Attribute::List()) add(item);
  }
  if (types.size() == 1 && types[0].kind() == Type::Kind::kTuple) types = types[0].elements();
  for (Type& type : types) {
    if (!type.is_tensor()) return {};
    if (type.shape() == nullptr) continue;
    Shape sizes = *type.shape();
    for (Dim& size : sizes) size = size.known() ? size : Dim::Unknown();  // names are of the text
    type = Type::Tensor(type.dtype(), std::move(sizes));
  }
  return types;
}

const OpDef* OperatorOf(const Node& node) {
  const auto* name = FindAs<std::string>(node.attributes(), "func");
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

// A foreign node of domain tvm, of the PrimFunc's name: what it computes stands in the text alone.
Result<Abstract> Evaluator::EvaluatePrimFunc(const Node& node, Scope& scope) {
  const std::vector<Type> types = StatedResults(node);
  if (node.num_operands() != 1 || types.empty() || node.attribute("tir_vars") != nullptr)
    return ForeignCall(node);
  const Abstract given = Get(node.operand(0), scope);
  const auto* tuple = given.As<Tuple>();
  const std::vector<Abstract> arguments = tuple != nullptr ? *tuple->items : std::vector{given};
  std::vector<Value*> operands;
  for (const Abstract& argument : arguments) {
    const auto* tensor = argument.As<TensorRef>();
    if (tensor == nullptr) return ForeignCall(node);
    DRAGOMAN_ASSIGN(Value * operand, heap_.Read(builder(), *tensor));
    operands.push_back(operand);
  }
  Node* call = builder().graph().Append(InternOp("onnx", PrimFuncOf(node), "tvm"), operands);
  call->set_origin(builder().origin());
  std::vector<Abstract> results;
  for (const Type& type : types) {
    const std::string name = node.num_results() > 0 ? node.result(0)->name() : "";
    results.push_back(heap_.NewTensor(call->AddResult(builder().UniqueName(name), type)));
  }
  DRAGOMAN_TRY(builder().Infer(*call));
  return results.size() == 1 ? results.front() : NewTuple(std::move(results));
}

Result<Abstract> Evaluator::EvaluatePacked(const Node& node, Scope& scope) {
  if (!PrimFuncOf(node).empty()) return EvaluatePrimFunc(node, scope);
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
