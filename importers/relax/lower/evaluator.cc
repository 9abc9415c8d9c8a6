// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/lower/evaluator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "core/lowering/tuples.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/metadata_of.h"
#include "importers/relax/graph/parse_module.h"
#include "importers/relax/graph/signatures.h"

namespace dragoman::tvmscript {
namespace {

constexpr std::size_t kMaxNodesRun = 16'000'000;  // calls are lowered anew wherever they stand

// What the lowering has no use for.
bool SaysNothing(const std::string& op) {
  static constexpr std::string_view kOps[] = {"dataflow", "func_attr", "module", "output"};
  return std::ranges::count(kOps, op) > 0 || op.starts_with("T.");
}

std::string PlaceOf(const Node& node) {
  const auto* text = FindAs<std::string>(node.extra_if_any(), "relax.place");
  const std::string op = "R." + node.op().type;
  return text != nullptr ? fmt::format("line {}: {}", *text, op) : op;
}

std::string_view OperatorOf(const std::string& sign, bool unary) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"+", "add"},           {"-", "subtract"},  {"*", "multiply"},      {"/", "divide"},
      {"//", "floor_divide"}, {"%", "floor_mod"}, {"**", "power"},        {"<", "less"},
      {"<=", "less_equal"},   {">", "greater"},   {">=", "greater_equal"}};
  if (unary) return sign == "-" ? "negative" : "";
  for (const auto& [known, op] : kSigns) {
    if (known == sign) return op;
  }
  return "";
}

}  // namespace

Abstract NewTuple(std::vector<Abstract> items) {
  return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
}

FunctionTable FunctionsOf(const Model& source) {
  FunctionTable functions;
  for (const Function& function : source.functions)
    functions.emplace(function.op->type, function.graph.get());
  for (const Entry& entry : source.entries) functions.emplace(entry.name, entry.graph.get());
  return functions;
}

Evaluator::Evaluator(const Model& source, const FunctionTable& functions,
                     const ComposedNodes& composed, Heap& heap, Graph& graph, Inference& inference)
    : source_(source),
      heap_(heap),
      entry_(heap, graph, inference),
      composed_(composed),
      functions_(functions) {}

const Abstract& Evaluator::Get(const Value* value, const Scope& scope) const {
  static const Abstract kNothing = Poison();
  const auto found = scope.values.find(value);
  return found != scope.values.end() ? found->second : kNothing;
}

Result<Value*> Evaluator::Tensor(const Value* value, const Scope& scope) {
  const Abstract& given = Get(value, scope);
  if (const auto* tensor = given.As<TensorRef>()) return heap_.Read(builder(), *tensor);
  return Unsupported("an operand is " + Describe(given) + ", not a tensor");
}

void Evaluator::Report(const Node& node, const Error& error) {
  for (Finding finding : error.findings()) {
    // What a common operator refuses, Relax allows.
    if (finding.kind == ErrorKind::kInvalidInput) finding.kind = ErrorKind::kUnsupported;
    if (!finding.place.starts_with("line ")) {
      if (!finding.place.empty()) finding.message = finding.place + ": " + finding.message;
      finding.place = PlaceOf(node);
    }
    entry_.findings.push_back(std::move(finding));
  }
}

// R.print, R.assert_op.
Result<Abstract> Evaluator::EvaluateEffect(const Node& node, Scope& scope) {
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    const Abstract& value = Get(use.value(), scope);
    if (const auto* list = value.As<Tuple>()) {
      for (const Abstract& item : *list->items) {
        const auto* tensor = item.As<TensorRef>();
        if (tensor == nullptr) return Unsupported("only tensors can be printed");
        DRAGOMAN_ASSIGN(Value * read, heap_.Read(builder(), *tensor));
        operands.push_back(read);
      }
      continue;
    }
    DRAGOMAN_ASSIGN(Value * read, Tensor(use.value(), scope));
    operands.push_back(read);
  }
  std::string message;
  for (const char c : FindText(node.attributes(), "format")) {
    const bool doubled = (c == '{' || c == '}') && message.ends_with(c);
    if (!doubled) message += c;
  }
  const bool asserts = node.op().type == "assert_op";
  if (asserts && operands.empty()) return InvalidInput("it has no condition");
  const std::vector<NamedAttribute> attributes = {{"message", Attribute(message)}};
  DRAGOMAN_TRY(
      builder().Append(asserts ? "dragoman.Assert" : "dragoman.Print", operands, attributes, {}));
  return NewTuple({});
}

// metadata["relax.expr.Constant"][3]
Result<Abstract> Evaluator::EvaluateMetadata(const Node& node) {
  if (!metadata_) {
    DRAGOMAN_ASSIGN(metadata_, MetadataOf(FindText(source_.extra, "relax.preamble")));
  }
  const Attribute* type = node.attribute("type");
  const Attribute* index = node.attribute("index");
  const auto* key = type != nullptr ? type->As<std::string>() : nullptr;
  const auto* place = index != nullptr ? index->As<std::int64_t>() : nullptr;
  if (key == nullptr || place == nullptr || *place < 0 || *key != "relax.expr.Constant")
    return Unsupported("metadata other than constants");
  if (metadata_->empty())
    return Unsupported(
        "the constant is not in the text, which was printed without metadata (show_meta=True)");
  DRAGOMAN_ASSIGN(dragoman::Tensor tensor,
                  metadata_->Constant({*key, static_cast<std::size_t>(*place)}));
  return heap_.NewTensor(builder().Constant(std::move(tensor)));
}

Result<Abstract> Evaluator::EvaluateOperator(const Node& node, const std::string& op,
                                             Scope& scope) {
  const LoweringRow* row = FindLowering(op);
  if (row == nullptr && (op.starts_with("call_") || op == "vm.call_tir_dyn"))
    return EvaluatePacked(node, scope);
  if (row == nullptr) return Unsupported("the operator has no lowering");
  const std::vector<SignatureParameter> signature = SignatureOf(op);
  std::map<std::string, Argument, std::less<>> arguments;
  for (const SignatureParameter& parameter : signature) {
    if (!parameter.absent) continue;
    const Result<python::Expr> value = ParseExpression(std::string(*parameter.absent));
    if (value.ok()) arguments[std::string(parameter.name)].attribute = AttributeOf(*value).value;
  }
  const auto* names = FindAs<Attribute::Strings>(node.extra_if_any(), "relax.arguments");
  std::size_t operand = 0;
  const std::size_t count = names != nullptr ? names->size() : node.num_operands();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = names != nullptr ? (*names)[i] : "";
    if (!name.empty() && !name.ends_with('=')) continue;
    if (name.empty() && i >= signature.size()) return InvalidInput("it has too many arguments");
    const std::string parameter =
        name.empty() ? std::string(signature[i].name) : name.substr(0, name.size() - 1);
    arguments[parameter] = {Get(node.operand(operand++), scope), std::nullopt};
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto known =
        std::ranges::find(signature, std::string_view(attribute.name), &SignatureParameter::name);
    if (known == signature.end() && attribute.name != "operator")
      return Unsupported("the argument '" + attribute.name + "' is not known");
    arguments[attribute.name] = {Abstract(), attribute.value};
  }
  Call call(
      heap_, builder(), std::move(arguments),
      [&](const std::string& text) { return FindSize(text, scope); }, row->target);
  Abstract result = row->lower(call);
  DRAGOMAN_TRY(call.status());
  return result;
}

Result<Abstract> Evaluator::Evaluate(const Node& node, Scope& scope) {
  const std::string& op = node.op().type;
  if (op == "const" && node.attribute("value") != nullptr) {
    const dragoman::Tensor* tensor = node.attribute("value")->tensor();
    if (tensor == nullptr) return Unsupported("such a constant is not supported");
    return heap_.NewTensor(builder().Constant(*tensor));
  }
  if (op == "literal" || op == "shape" || op == "prim_value") {
    if (node.attributes().size() != 1) return Unsupported("such a literal is not supported");
    return Literal(node.attributes().front().value, scope);
  }
  if (op == "metadata") return EvaluateMetadata(node);
  if (op == "str" || op == "dtype") {
    const auto* text = FindAs<std::string>(node.attributes(), "value");
    if (text == nullptr) return Unsupported("such a literal is not supported");
    return Abstract(String{*text});
  }
  if (op == "alias") return Get(node.operand(0), scope);
  if (op == "Tuple" || op == "List" || op == "tuple") {
    std::vector<Abstract> items;
    for (const Use& use : node.operands()) items.push_back(Get(use.value(), scope));
    return BoundedTuple(std::move(items));
  }
  if (op == "TupleGetItem") {
    const auto* tuple = Get(node.operand(0), scope).As<Tuple>();
    const auto* index = FindAs<std::int64_t>(node.attributes(), "index");
    if (tuple == nullptr || index == nullptr || *index < 0 ||
        *index >= static_cast<std::int64_t>(tuple->items->size()))
      return Unsupported("an element of what is not a tuple of so many elements");
    return (*tuple->items)[static_cast<std::size_t>(*index)];
  }
  if (op == "if") return EvaluateIf(node, scope);
  if (op == "call") return EvaluateCall(node, scope);
  if (op == "call_value") return EvaluateCallOfValue(node, scope);
  if (op == "function") return EvaluateFunction(node, scope);
  if (op == "make_closure") return MakeClosure(node, scope);
  if (op == "invoke_closure" || op == "invoke_pure_closure") return InvokeClosure(node, scope);
  if (op == "match_cast") return EvaluateCast(node, scope);
  if (op == "shape_of") return ShapeOf(node, scope);
  if (op == "tensor_to_shape") return TensorToShape(node, scope);
  if (op == "shape_to_tensor") return ShapeToTensor(node, scope);
  if (op == "print" || op == "assert_op") return EvaluateEffect(node, scope);
  if (op == "binary" || op == "unary") {
    const std::string sign = FindText(node.attributes(), "operator");
    return EvaluateOperator(node, std::string(OperatorOf(sign, op == "unary")), scope);
  }
  return EvaluateOperator(node, op, scope);
}

OriginPtr Evaluator::OriginOf(const Node& node) const {
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.graph() == nullptr) attributes.push_back(attribute);
  }
  const std::string name = node.num_results() > 0 ? node.result()->name() : "";
  return Origin::Leaf(
      {.op = node.op().ToString(), .name = name, .attributes = std::move(attributes)});
}

void Evaluator::RunNode(const Node& node, Scope& scope) {
  if (SaysNothing(node.op().type)) return;
  if (const auto composed = composed_.first.find(&node); composed != composed_.first.end())
    return RunComposed(*composed->second, scope);
  if (!composed_.left_out.contains(&node)) RunStatement(node, scope);
}

void Evaluator::RunStatement(const Node& node, Scope& scope) {
  const auto poisoned = [&](const Use& use) { return HoldsPoison(Get(use.value(), scope)); };
  Result<Abstract> result = Abstract(Poison());
  if (++nodes_ > kMaxNodesRun) {
    result = Unsupported("the functions that are called are too large");
  } else if (std::ranges::none_of(node.operands(), poisoned)) {
    builder().set_origin(OriginOf(node));
    result = Evaluate(node, scope);
  }
  if (!result.ok()) Report(node, result.error());
  const Abstract value = result.ok() ? *result : Abstract(Poison());
  if (node.num_results() == 1) {
    scope.values[node.result()] = value;
    return;
  }
  const auto* tuple = value.As<Tuple>();
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const bool has = tuple != nullptr && i < tuple->items->size();
    scope.values[node.result(i)] = has ? (*tuple->items)[i] : Abstract(Poison());
  }
}

Abstract Evaluator::Run(const Graph& function, Scope& scope) {
  for (const auto& constant : function.constants()) {
    if (constant->tensor() == nullptr) continue;
    SetInput(*constant, heap_.NewTensor(builder().Constant(*constant->tensor(), constant->name())),
             scope);
  }
  calls_.push_back(&function);
  for (const Node& node : function.nodes()) RunNode(node, scope);
  calls_.pop_back();
  const Extra* extra = function.extra_if_any();
  if (extra == nullptr || Find(*extra, "relax.returns_tuple") == nullptr)
    return function.num_outputs() == 1 ? Get(function.output(0), scope) : Abstract(Poison());
  std::vector<Abstract> results;
  for (const Use& output : function.outputs()) results.push_back(Get(output.value(), scope));
  Result<Abstract> tuple = BoundedTuple(std::move(results));
  if (tuple.ok()) return *std::move(tuple);
  const Error error = std::move(tuple).error().At("the result of '" + function.name() + "'");
  std::ranges::copy(error.findings(), std::back_inserter(entry_.findings));
  return Poison();
}

}  // namespace dragoman::tvmscript
