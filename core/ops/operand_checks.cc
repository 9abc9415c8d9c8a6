#include "core/ops/operand_checks.h"

#include <string>

namespace dragoman {
namespace {

// "operand 1 (scale) has type f32[3]"
std::string Say(const InferContext& context, std::size_t i) {
  return "operand " + std::to_string(i) + " (" + context.def().signature.Operand(i)->name +
         ") has type " + context.type(i).ToString();
}

bool Differ(const Dim& a, const Dim& b) { return Equal(a, b) == Truth::kNo; }

}  // namespace

Status CheckScalar(const InferContext& context, std::size_t i) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr || !Differ(NumElements(*shape), Dim(1))) return {};
  return context.Fail(Say(context, i) + ", expected one element");
}

Status CheckMinRank(const InferContext& context, std::size_t i, int rank) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr || static_cast<int>(shape->size()) >= rank) return {};
  return context.Fail(Say(context, i) + ", expected rank " + std::to_string(rank) + " or more");
}

Status CheckVector(const InferContext& context, std::size_t i, const Dim& size) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr) return {};
  if (shape->size() == 1 && !Differ((*shape)[0], size)) return {};
  return context.Fail(Say(context, i) + ", expected [" + size.ToString() + "]");
}

Status CheckScalarOrVector(const InferContext& context, std::size_t i, const Dim& size) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr || !Differ(NumElements(*shape), Dim(1))) return {};
  return CheckVector(context, i, size);
}

Status CheckShape(const InferContext& context, std::size_t i, const Shape& expected) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr) return {};
  bool same = shape->size() == expected.size();
  for (std::size_t k = 0; same && k < shape->size(); ++k) same = !Differ((*shape)[k], expected[k]);
  if (same) return {};
  return context.Fail(Say(context, i) + ", expected sizes " +
                      Type::Tensor(context.dtype(i), expected).ToString());
}

Status CheckSameShape(const InferContext& context, std::size_t i, std::size_t j) {
  const Shape* shape = context.shape(i);
  const Shape* other = context.shape(j);
  if (shape == nullptr || other == nullptr) return {};
  bool same = shape->size() == other->size();
  for (std::size_t k = 0; same && k < shape->size(); ++k) same = !Differ((*shape)[k], (*other)[k]);
  if (same) return {};
  return context.Fail(Say(context, i) + ", expected the sizes of " + context.type(j).ToString());
}

Status CheckBroadcastsTo(const InferContext& context, std::size_t i, std::size_t j) {
  const Shape* to = context.shape(j);
  return to != nullptr ? CheckBroadcastsTo(context, i, *to) : Status();
}

Status CheckBroadcastsTo(const InferContext& context, std::size_t i, const Shape& to) {
  const Shape* shape = context.shape(i);
  if (shape == nullptr) return {};
  bool fits = shape->size() <= to.size();
  for (std::size_t k = 1; fits && k <= shape->size(); ++k) {
    const Dim& size = (*shape)[shape->size() - k];
    fits = !Differ(size, Dim(1)) || !Differ(size, to[to.size() - k]);
  }
  if (fits) return {};
  return context.Fail(Say(context, i) + ", which does not broadcast to sizes " +
                      Type::Tensor(context.dtype(i), to).ToString());
}

Dim ChannelsOf(const InferContext& context) {
  const Shape* shape = context.shape(0);
  if (shape == nullptr) return Dim::Unknown();
  return shape->size() < 2 ? Dim(1) : (*shape)[1];
}

}  // namespace dragoman
