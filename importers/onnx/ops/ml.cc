// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/ml.h"

#include <string>
#include <utility>

namespace dragoman {
namespace {

template <class T>
Result<std::vector<T>> TakeList(OpLowering& op, std::string_view name, std::string_view kind) {
  const Attribute* attribute = Find(op.attributes, name);
  if (attribute == nullptr) return std::vector<T>();
  const auto* list = attribute->As<std::vector<T>>();
  if (list == nullptr)
    return op.Invalid("attribute '" + std::string(name) + "' is not a list of " +
                      std::string(kind));
  std::vector<T> taken = *list;
  op.Drop(name);
  return taken;
}

}  // namespace

Result<std::vector<float>> TakeFloatList(OpLowering& op, std::string_view name) {
  return TakeList<float>(op, name, "floats");
}
Result<std::vector<std::int64_t>> TakeIntList(OpLowering& op, std::string_view name) {
  return TakeList<std::int64_t>(op, name, "ints");
}
Result<std::vector<std::string>> TakeStringList(OpLowering& op, std::string_view name) {
  return TakeList<std::string>(op, name, "strings");
}

Result<std::optional<Tensor>> TakeVector(OpLowering& op, const ListNames& names) {
  DRAGOMAN_ASSIGN(const std::vector<std::int64_t> ints, TakeIntList(op, names.ints));
  DRAGOMAN_ASSIGN(std::vector<std::string> strings, TakeStringList(op, names.strings));
  DRAGOMAN_ASSIGN(const std::vector<float> floats, TakeFloatList(op, names.floats));
  if (!ints.empty()) return std::optional<Tensor>(Tensor::Ints(ints));
  if (!floats.empty()) return std::optional<Tensor>(FloatVector(floats));
  if (strings.empty()) return std::optional<Tensor>();
  const auto count = static_cast<std::int64_t>(strings.size());
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::MakeStrings({count}, std::move(strings)));
  return std::optional<Tensor>(std::move(tensor));
}

Result<std::optional<Tensor>> TakeValue(OpLowering& op, const ListNames& names) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> number, op.TakeInt(names.ints));
  DRAGOMAN_ASSIGN(std::optional<std::string> text, op.TakeString(names.strings));
  DRAGOMAN_ASSIGN(const std::optional<float> real, op.TakeFloat(names.floats));
  if (number) return std::optional<Tensor>(Tensor::Int(*number));
  if (real) return std::optional<Tensor>(Tensor::Float(*real));
  if (!text) return std::optional<Tensor>();
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::MakeStrings({}, {std::move(*text)}));
  return std::optional<Tensor>(std::move(tensor));
}

Tensor FloatVector(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<std::int64_t>(values.size())}, values);
}

Tensor FloatMatrix(std::int64_t rows, const std::vector<float>& values) {
  return Tensor::Of<float>({rows, static_cast<std::int64_t>(values.size()) / rows}, values);
}

Result<PostTransform> TakePostTransform(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> name, op.TakeString("post_transform"));
  if (!name || *name == "NONE") return PostTransform::kNone;
  if (*name == "LOGISTIC") return PostTransform::kLogistic;
  if (*name == "SOFTMAX") return PostTransform::kSoftmax;
  if (*name == "SOFTMAX_ZERO") return PostTransform::kSoftmaxZero;
  if (*name == "PROBIT") return PostTransform::kProbit;
  return op.Invalid("post_transform is " + *name);
}

PostTransform OfTargets(PostTransform transform, std::int64_t targets) {
  return targets > 1 || transform == PostTransform::kProbit ? transform : PostTransform::kNone;
}

namespace {

// Softmax of the scores that are not zero, within 1e-7 as the standard's reference has it; the
// others are left out of the sum.
Value* SoftmaxOfNonZero(OpComposer& f, Value* scores, std::string_view name) {
  Value* largest = f.Op("ReduceMax", {scores, f.Ints({-1})});
  Value* counts = f.Op("Greater", {f.Op("Abs", {scores}), f.Number(1e-7, scores)});
  Value* powers = f.Op("Exp", {f.Op("Sub", {scores, largest})});
  Value* sum =
      f.Op("ReduceSum", {f.Op("Where", {counts, powers, f.Number(0, scores)}), f.Ints({-1})});
  Value* rest = f.Op("Mul", {scores, f.Op("Exp", {f.Op("Neg", {largest})})});
  return f.Op("Div", {f.Op("Where", {counts, powers, rest}), sum}, {}, name);
}

// The quantile of the standard normal distribution, by the approximation of the inverse error
// function that ONNX Runtime has: S. Winitzki, "A handy approximation for the error function and
// its inverse", 2008, with a = 0.147.
Value* Probit(OpComposer& f, Value* p, std::string_view name) {
  constexpr double kA = 0.147, kPi = 3.14159265358979323846;
  Value* x = f.Sub(f.Mul(p, 2), 1);
  Value* logarithm = f.Log(f.Mul(f.Sub(1, x), f.Add(x, 1)));
  Value* middle = f.Add(f.Mul(logarithm, 0.5), 2 / (kPi * kA));
  Value* root = f.Sqrt(f.Sub(f.Mul(middle, middle), f.Mul(logarithm, 1 / kA)));
  Value* size = f.Mul(f.Sqrt(f.Sub(root, middle)), 1.41421356);
  return f.Op("Where", {f.Less(x, 0), f.Neg(size), size}, {}, name);
}

}  // namespace

Value* Transformed(OpComposer& f, PostTransform transform, Value* scores, std::string_view name) {
  if (transform == PostTransform::kSoftmaxZero) return SoftmaxOfNonZero(f, scores, name);
  if (transform == PostTransform::kProbit) return Probit(f, scores, name);
  // By name: the operators of the first enumerators.
  constexpr std::string_view kOperators[] = {"Identity", "Sigmoid", "Softmax"};
  return f.Op(kOperators[static_cast<int>(transform)], {scores}, {}, name);
}

Result<Value*> Examples(OpLowering& op, OpComposer& f) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank > 2)
    return op.Invalid("operand 0 has rank " + std::to_string(rank) + ", expected 1 or 2");
  Value* x = op.operand(0);
  if (x->type().dtype() != DType::kF32) x = f.Cast(x, DType::kF32);
  if (rank < 2) x = f.Op("Reshape", {x, f.Ints({1, -1})});
  return x;
}

}  // namespace dragoman
