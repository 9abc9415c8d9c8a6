// SPDX-License-Identifier: Apache-2.0
#include "core/ops/operand_checks.h"

#include <string>
#include <utility>

namespace dragoman {
namespace {

thread_local OpenCheckScope* current_scope = nullptr;

// "operand 1 (scale) has type f32[3]"
std::string Say(const InferContext& context, std::size_t i) {
  return "operand " + std::to_string(i) + " (" + context.def().signature.Operand(i)->name +
         ") has type " + context.type(i).ToString();
}

Truth And(Truth a, Truth b) {
  if (a == Truth::kNo || b == Truth::kNo) return Truth::kNo;
  return a == Truth::kYes ? b : a;
}

Truth Or(Truth a, Truth b) {
  if (a == Truth::kYes || b == Truth::kYes) return Truth::kYes;
  return a == Truth::kNo ? b : a;
}

Truth HasOneElement(const Shape* shape) {
  return shape != nullptr ? Equal(NumElements(*shape), Dim(1)) : Truth::kUnknown;
}

Truth HasSizes(const Shape* shape, const Shape* expected) {
  if (shape == nullptr || expected == nullptr) return Truth::kUnknown;
  Truth same = shape->size() == expected->size() ? Truth::kYes : Truth::kNo;
  for (std::size_t k = 0; same != Truth::kNo && k < shape->size(); ++k)
    same = And(same, Equal((*shape)[k], (*expected)[k]));
  return same;
}

Truth Broadcasts(const Shape* shape, const Shape* to) {
  if (shape == nullptr || to == nullptr) return Truth::kUnknown;
  Truth fits = shape->size() <= to->size() ? Truth::kYes : Truth::kNo;
  for (std::size_t k = 1; fits != Truth::kNo && k <= shape->size(); ++k) {
    const Dim& size = (*shape)[shape->size() - k];
    fits = And(fits, Or(Equal(size, Dim(1)), Equal(size, (*to)[to->size() - k])));
  }
  return fits;
}

// Leaves `check` open if the answer is not known. `expected` completes "…, expected ".
Status Decide(const InferContext& context, Truth holds, OpenCheck check,
              const std::string& expected) {
  if (!context.has(check.operand) || holds == Truth::kYes) return {};
  if (holds == Truth::kNo)
    return context.Fail(Say(context, check.operand) + ", expected " + expected);
  LeaveOpen(context, std::move(check));
  return {};
}

std::string SizesText(const InferContext& context, std::size_t i, const Shape& sizes) {
  return Type::Tensor(context.dtype(i), sizes).ToString();
}

}  // namespace

OpenCheckScope::OpenCheckScope() { current_scope = this; }
OpenCheckScope::~OpenCheckScope() { current_scope = nullptr; }

void LeaveOpen(const InferContext& context, OpenCheck check) {
  if (current_scope != nullptr && context.has(check.operand))
    current_scope->checks_.push_back(std::move(check));
}

Status CheckScalar(const InferContext& context, std::size_t i) {
  return Decide(context, HasOneElement(context.shape(i)), {OpenCheck::Kind::kOneElement, i},
                "one element");
}

Status CheckMinRank(const InferContext& context, std::size_t i, int rank) {
  const Shape* shape = context.shape(i);
  const Truth holds = shape == nullptr                          ? Truth::kUnknown
                      : static_cast<int>(shape->size()) >= rank ? Truth::kYes
                                                                : Truth::kNo;
  return Decide(context, holds, {.kind = OpenCheck::Kind::kMinRank, .operand = i, .rank = rank},
                "rank " + std::to_string(rank) + " or more");
}

Status CheckVector(const InferContext& context, std::size_t i, const Dim& size) {
  const Shape expected = {size};
  return Decide(context, HasSizes(context.shape(i), &expected),
                {OpenCheck::Kind::kSizes, i, expected}, "[" + size.ToString() + "]");
}

Status CheckScalarOrVector(const InferContext& context, std::size_t i, const Dim& size) {
  const Shape expected = {size};
  const Shape* shape = context.shape(i);
  return Decide(context, Or(HasOneElement(shape), HasSizes(shape, &expected)),
                {OpenCheck::Kind::kOneElementOrSizes, i, expected}, "[" + size.ToString() + "]");
}

Status CheckShape(const InferContext& context, std::size_t i, const Shape& expected) {
  return Decide(context, HasSizes(context.shape(i), &expected),
                {OpenCheck::Kind::kSizes, i, expected}, "sizes " + SizesText(context, i, expected));
}

Status CheckSameShape(const InferContext& context, std::size_t i, std::size_t j) {
  return Decide(context, HasSizes(context.shape(i), context.shape(j)),
                {.kind = OpenCheck::Kind::kSizes, .operand = i, .like = j},
                "the sizes of " + context.type(j).ToString());
}

Status CheckBroadcastsTo(const InferContext& context, std::size_t i, std::size_t j) {
  return Decide(context, Broadcasts(context.shape(i), context.shape(j)),
                {.kind = OpenCheck::Kind::kBroadcastsTo, .operand = i, .like = j},
                "one that broadcasts to " + context.type(j).ToString());
}

Status CheckBroadcastsTo(const InferContext& context, std::size_t i, const Shape& to) {
  return Decide(context, Broadcasts(context.shape(i), &to), {OpenCheck::Kind::kBroadcastsTo, i, to},
                "one that broadcasts to " + SizesText(context, i, to));
}

Dim ChannelsOf(const InferContext& context) {
  const Shape* shape = context.shape(0);
  if (shape == nullptr) return Dim::Unknown();
  return shape->size() < 2 ? Dim(1) : (*shape)[1];
}

}  // namespace dragoman
