// Statements that a remark of ours says to be one operator (composed.h).
#include <utility>

#include "core/ir/parse.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

// Whether the text states no other element type or rank than the operator gives.
bool Fits(const Value& made, const Type& stated) {
  if (!stated.is_tensor()) return true;
  const bool same_dtype =
      stated.dtype() == DType::kUnknown || stated.dtype() == made.type().dtype();
  return same_dtype &&
         (!stated.rank() || !made.type().rank() || stated.rank() == made.type().rank());
}

// Sizes that the text states of a result, and that only run time would tell.
void StateSizes(Value& made, const Type& stated) {
  if (stated.shape() == nullptr) return;
  if (made.type().shape() == nullptr) {
    if (KnownShape(*stated.shape()))
      made.set_type(Type::Tensor(made.type().dtype(), *stated.shape()));
    return;
  }
  Shape shape = *made.type().shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].known() && (*stated.shape())[i].known()) shape[i] = (*stated.shape())[i];
  }
  made.set_type(Type::Tensor(made.type().dtype(), std::move(shape)));
}

}  // namespace

Result<std::vector<Value*>> Evaluator::OperandsOf(const ComposedOperator& op, Scope& scope) {
  std::vector<Value*> operands;
  for (const ComposedOperator::Operand& operand : op.operands) {
    Value* value = nullptr;
    if (operand.value != nullptr) {
      DRAGOMAN_ASSIGN(value, Tensor(operand.value, scope));
    } else if (!operand.constant.empty()) {
      DRAGOMAN_ASSIGN(const Attribute constant, ParseAttribute(operand.constant));
      if (constant.tensor() == nullptr) return InvalidInput("an operand that is no constant");
      value = builder().Constant(*constant.tensor());
    }
    operands.push_back(value);
  }
  return operands;
}

Result<Node*> Evaluator::AppendComposed(const ComposedOperator& op, Scope& scope) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, OperandsOf(op, scope));
  DRAGOMAN_ASSIGN(const Attribute parsed, ParseAttribute(op.attributes));
  const auto* attributes = parsed.As<Attribute::Dict>();
  if (attributes == nullptr) return InvalidInput("attributes that are no dictionary");
  std::vector<std::string> names;
  for (const Value* result : op.results) names.push_back(result != nullptr ? result->name() : "");
  return builder().Append(op.label, operands, *attributes, names);
}

// What the operator refuses is run as it is written.
void Evaluator::RunComposed(const ComposedStatements& composed, Scope& scope) {
  std::vector<OriginPtr> origins;
  for (const Node* node : composed.nodes) origins.push_back(OriginOf(*node));
  builder().set_origin(Origin::Merge(origins));
  const std::vector<const Value*>& results = composed.op.results;
  const Result<Node*> made = AppendComposed(composed.op, scope);
  bool fits = made.ok();
  for (std::size_t i = 0; fits && i < results.size(); ++i)
    fits = results[i] == nullptr || Fits(*(*made)->result(i), results[i]->type());
  if (!fits) {
    for (const Node* node : composed.nodes) RunStatement(*node, scope);
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] == nullptr) continue;
    StateSizes(*(*made)->result(i), results[i]->type());
    scope.values[results[i]] = heap_.NewTensor((*made)->result(i));
    NameSizes(results[i]->type(), scope.values[results[i]], scope);
  }
}

}  // namespace dragoman::tvmscript
