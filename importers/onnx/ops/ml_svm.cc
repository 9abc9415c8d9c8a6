// SPDX-License-Identifier: Apache-2.0
// Support vector machines.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/lowering/name_body.h"
#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

struct SvmKernel {
  std::string type;
  float gamma = 0;
  float offset = 0;
  float degree = 0;
};

Result<SvmKernel> TakeSvmKernel(OpLowering& op) {
  SvmKernel kernel;
  DRAGOMAN_ASSIGN(const std::optional<std::string> type, op.TakeString("kernel_type"));
  DRAGOMAN_ASSIGN(const std::vector<float> parameters, TakeFloatList(op, "kernel_params"));
  kernel.type = type.value_or("LINEAR");
  if (kernel.type == "LINEAR") return kernel;
  if (kernel.type != "POLY" && kernel.type != "RBF" && kernel.type != "SIGMOID")
    return op.Invalid("kernel_type is " + kernel.type + ", expected LINEAR, POLY, RBF or SIGMOID");
  if (parameters.size() != 3) return op.Invalid("kernel_params are not three");
  kernel.gamma = parameters[0];
  kernel.offset = parameters[1];
  kernel.degree = parameters[2];
  return kernel;
}

// Of each example and each support vector: (examples, vectors).
Value* Similarities(OpLowering& op, OpComposer& f, const SvmKernel& kernel, Value* x,
                    const Tensor& vectors) {
  const auto number = [&](float value) { return op.builder.Float(value); };
  Value* rows = op.builder.Constant(vectors);
  if (kernel.type == "RBF") {
    Value* apart = f.Op("Sub", {f.Op("Unsqueeze", {x, f.Ints({1})}), rows});
    Value* squares = f.Op("ReduceSumSquare", {apart, f.Ints({2})}, {{"keepdims", std::int64_t{0}}});
    return f.Op("Exp", {f.Op("Mul", {squares, number(-kernel.gamma)})});
  }
  Value* products = f.Op("MatMul", {x, f.Transpose(rows, {1, 0})});
  if (kernel.type == "LINEAR") return products;
  Value* scaled = f.Op("Mul", {products, number(kernel.gamma)});
  Value* shifted = f.Op("Add", {scaled, number(kernel.offset)});
  if (kernel.type == "SIGMOID") return f.Op("Tanh", {shifted});
  return f.Op("Pow", {shifted, number(kernel.degree)});
}

// The support vectors as rows. Errors: they are not `count` of equal length.
Result<Tensor> TakeVectors(OpLowering& op, std::int64_t count) {
  DRAGOMAN_ASSIGN(const std::vector<float> elements, TakeFloatList(op, "support_vectors"));
  const auto size = static_cast<std::int64_t>(elements.size());
  if (count < 1 || size == 0 || size % count != 0)
    return op.Invalid(std::to_string(size) + " elements do not make " + std::to_string(count) +
                      " support vectors");
  return FloatMatrix(count, elements);
}

Status CheckCount(const OpLowering& op, std::string_view name, std::size_t found,
                  std::int64_t expected) {
  if (static_cast<std::int64_t>(found) == expected) return {};
  return op.Invalid("attribute '" + std::string(name) + "' has " + std::to_string(found) +
                    " elements, expected " + std::to_string(expected));
}

}  // namespace

LoweredResults LowerSvmRegressor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const SvmKernel kernel, TakeSvmKernel(op));
  // ONNX Runtime leaves the score as it is.
  DRAGOMAN_ASSIGN([[maybe_unused]] const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> one_class, op.TakeInt("one_class"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> supports, op.TakeInt("n_supports"));
  DRAGOMAN_ASSIGN(const std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(const std::vector<float> rho, TakeFloatList(op, "rho"));
  DRAGOMAN_TRY(CheckCount(op, "rho", rho.size(), 1));
  if (coefficients.empty()) return op.Invalid("has no coefficients");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * features, Examples(op, f));
  if (const std::int64_t count = supports.value_or(0); count > 0) {
    DRAGOMAN_TRY(CheckCount(op, "coefficients", coefficients.size(), count));
    DRAGOMAN_ASSIGN(const Tensor vectors, TakeVectors(op, count));
    features = Similarities(op, f, kernel, features, vectors);
  }
  const auto terms = static_cast<std::int64_t>(coefficients.size());
  Value* weights = op.builder.Constant(FloatMatrix(terms, coefficients));
  const bool is_sign = one_class.value_or(0) != 0;
  Value* score = f.Op("Add", {f.Op("MatMul", {features, weights}), op.builder.Float(rho[0])}, {},
                      is_sign ? "" : op.ResultName(0));
  if (!is_sign) return f.Finish({score});
  Value* inside = f.Op("Greater", {score, op.builder.Float(0)});
  return f.Finish(
      {f.Op("Where", {inside, op.builder.Float(1), op.builder.Float(-1)}, {}, op.ResultName(0))});
}

namespace {

// A machine for each pair of classes: a positive score is a vote for the first.
struct Pairs {
  std::vector<float> weights;  // (vectors, pairs)
  std::vector<float> first;    // (pairs, classes): whom a positive score votes for
  std::vector<float> second;   // and any other
  std::int64_t count = 0;
};

// `coefficients` (classes - 1, vectors): vectors lie class by class, each has one coefficient for
// each other class, in their order.
Pairs MakePairs(const std::vector<std::int64_t>& vectors_per_class,
                const std::vector<float>& coefficients) {
  const std::size_t classes = vectors_per_class.size();
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < classes; ++i)
    owner.insert(owner.end(), static_cast<std::size_t>(vectors_per_class[i]), i);
  const std::size_t vectors = owner.size();
  const std::size_t count = classes * (classes - 1) / 2;
  Pairs pairs;
  pairs.count = static_cast<std::int64_t>(count);
  pairs.weights.resize(vectors * count);
  pairs.first.resize(count * classes);
  pairs.second.resize(count * classes);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
      pairs.first[pair * classes + i] = 1;
      pairs.second[pair * classes + j] = 1;
      for (std::size_t v = 0; v < vectors; ++v) {
        if (owner[v] != i && owner[v] != j) continue;
        const std::size_t row = owner[v] == i ? j - 1 : i;
        pairs.weights[v * count + pair] = coefficients[row * vectors + v];
      }
    }
  }
  return pairs;
}

constexpr std::int64_t kMostTerms = 1 << 28;
constexpr std::int64_t kMostCoupled = 128;  // classes

struct Machine {
  Tensor labels;
  SvmKernel kernel;
  PostTransform transform;
  std::vector<std::int64_t> vectors_per_class;
  std::vector<float> coefficients;
  std::vector<float> rho;
  std::vector<float> slopes, offsets;  // of probabilities of pairs; empty: scores are the result
  std::int64_t vectors = 0;
};

Result<Machine> TakeMachine(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_ints", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(SvmKernel kernel, TakeSvmKernel(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> counts, TakeIntList(op, "vectors_per_class"));
  DRAGOMAN_ASSIGN(std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(std::vector<float> rho, TakeFloatList(op, "rho"));
  DRAGOMAN_ASSIGN(std::vector<float> slopes, TakeFloatList(op, "prob_a"));
  DRAGOMAN_ASSIGN(std::vector<float> offsets, TakeFloatList(op, "prob_b"));
  if (!labels) return op.Invalid("has no class labels");
  const std::int64_t classes = labels->size();
  std::int64_t vectors = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 || count > kMostTerms - vectors)
      return op.Invalid("vectors_per_class is damaged");
    vectors += count;
  }
  DRAGOMAN_TRY(CheckCount(op, "vectors_per_class", counts.size(), classes));
  if (classes < 2) return op.Invalid("has one class");
  DRAGOMAN_TRY(CheckCount(op, "rho", rho.size(), classes * (classes - 1) / 2));
  DRAGOMAN_TRY(CheckCount(op, "coefficients", coefficients.size(), (classes - 1) * vectors));
  if (!slopes.empty() || !offsets.empty()) {
    DRAGOMAN_TRY(CheckCount(op, "prob_a", slopes.size(), classes * (classes - 1) / 2));
    DRAGOMAN_TRY(CheckCount(op, "prob_b", offsets.size(), classes * (classes - 1) / 2));
    if (classes > kMostCoupled)
      return op.Unsupported("probabilities of more than " + std::to_string(kMostCoupled) +
                            " classes");
  }
  if (std::max(vectors, classes) > kMostTerms / static_cast<std::int64_t>(rho.size()))
    return op.Unsupported("more than " + std::to_string(kMostTerms) + " terms of pairs");
  return Machine{std::move(*labels), std::move(kernel),       transform,
                 std::move(counts),  std::move(coefficients), std::move(rho),
                 std::move(slopes),  std::move(offsets),      vectors};
}

}  // namespace

namespace {

// Of each example the probability of class i against class j, from the scores of pairs:
// (examples, classes, classes), zero for i = j.
Value* PairProbabilities(OpComposer& f, const Machine& machine, Value* scores) {
  constexpr double kLeast = 1e-7;
  const std::int64_t classes = machine.labels.size();
  const auto pairs = static_cast<std::int64_t>(machine.rho.size());
  Value* slopes = f.builder().Constant(FloatVector(machine.slopes));
  Value* offsets = f.builder().Constant(FloatVector(machine.offsets));
  Value* first = f.Sigmoid(f.Neg(f.Add(f.Mul(scores, slopes), offsets)));
  first = f.Max(f.Min(first, 1 - kLeast), kLeast);
  // Columns: pairs, the same for the second class, zero.
  Value* columns = f.Concat({first, f.Sub(1, first), f.Mul(f.Slice(first, 1, 0, 1), 0)}, 1);
  std::vector<std::int64_t> places(static_cast<std::size_t>(classes * classes), 2 * pairs);
  std::int64_t pair = 0;
  for (std::int64_t i = 0; i < classes; ++i) {
    for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
      places[static_cast<std::size_t>(i * classes + j)] = pair;
      places[static_cast<std::size_t>(j * classes + i)] = pairs + pair;
    }
  }
  return f.Reshape(f.Gather(columns, f.Ints(std::move(places)), 1), {-1, classes, classes});
}

// One step of the iteration in all classes, for examples whose error is not small yet; `q`
// (examples, classes, classes), `diagonal` and `p` (examples, classes).
struct CouplingStep {
  Value* p;
  Value* goes_on;  // of any example, rank 0
};

CouplingStep Improve(Composer& c, std::int64_t classes, Value* q, Value* diagonal, Value* before) {
  Value* p = before;
  Value* qp = c.ReduceSum(c.Mul(q, c.Unsqueeze(p, {1})), {2});
  Value* pqp = c.ReduceSum(c.Mul(p, qp), {1}, true);
  Value* error = c.Reduce("ReduceMax", c.Abs(c.Sub(qp, pqp)), {1}, true);
  Value* open = c.Not(c.Less(error, 0.005 / static_cast<double>(classes)));
  const auto column = [&](Value* x, std::int64_t t) { return c.Slice(x, 1, t, t + 1); };
  for (std::int64_t t = 0; t < classes; ++t) {
    std::vector<float> unit(static_cast<std::size_t>(classes), 0.0f);
    unit[static_cast<std::size_t>(t)] = 1;
    Value* change = c.Div(c.Sub(pqp, column(qp, t)), column(diagonal, t));
    Value* whole = c.Add(change, 1);
    Value* slope = c.Add(c.Mul(change, column(diagonal, t)), c.Mul(column(qp, t), 2));
    pqp = c.Div(c.Add(pqp, c.Mul(change, slope)), c.Mul(whole, whole));
    qp = c.Div(c.Add(qp, c.Mul(change, c.Select(q, 1, t))), whole);
    p = c.Div(c.Add(p, c.Mul(change, c.builder().Constant(FloatVector(unit)))), whole);
  }
  Value* any = c.ReduceSum(c.Cast(open, DType::kF32), {0, 1});
  return {c.Where(open, p, before), c.Greater(any, 0)};
}

// The probabilities of classes that agree best with those of pairs, `r`: T.-F. Wu, C.-J. Lin,
// R. C. Weng, "Probability estimates for multi-class classification by pairwise coupling", 2004,
// algorithm 2, with the steps and the tolerance that libsvm and ONNX Runtime have.
Result<Value*> Coupled(OpLowering& op, OpComposer& f, std::int64_t classes, Value* r) {
  Value* transposed = f.Transpose(r, {0, 2, 1});
  Value* diagonal = f.Reduce("ReduceSumSquare", r, {1}, false);
  std::vector<float> eye(static_cast<std::size_t>(classes * classes), 0.0f);
  for (std::int64_t i = 0; i < classes; ++i) eye[static_cast<std::size_t>(i * (classes + 1))] = 1;
  Value* q =
      f.Sub(f.Mul(f.Unsqueeze(diagonal, {2}), op.builder.Constant(FloatMatrix(classes, eye))),
            f.Mul(transposed, r));
  Value* even = f.Add(f.Mul(diagonal, 0), 1 / static_cast<double>(classes));
  DRAGOMAN_TRY(f.status());

  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, op.builder.inference(), names);
  inner.set_origin(op.builder.origin());
  body->AddInput("step", Type::Tensor(DType::kI64, Shape{}));
  body->AddInput("more", Type::Tensor(DType::kBool, Shape{}));
  Value* p = body->AddInput("p", even->type());
  Composer c(inner);
  const CouplingStep step = Improve(c, classes, q, diagonal, p);
  DRAGOMAN_TRY(c.status());
  body->AddOutput(step.goes_on);
  body->AddOutput(step.p);
  NameInModel(*body, op.builder);
  constexpr std::int64_t kMostSteps = 100;
  Value* coupled =
      f.Op("Loop", {f.Int(kMostSteps), f.BoolConstant(true), even}, {{"body", Attribute(body)}});
  return f.Done(coupled);
}

}  // namespace

namespace {

// Without support vectors: a row of coefficients a class. Of two classes, the second one is chosen
// where a score is positive; where no coefficient is negative, 0.5 or more. The rest is ONNX
// Runtime's too.
LoweredResults LowerLinearMachine(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_ints", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(const std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(const std::vector<float> rho, TakeFloatList(op, "rho"));
  op.Drop("kernel_params");
  op.Drop("kernel_type");
  if (!labels) return op.Invalid("has no class labels");
  const std::int64_t classes = labels->size();
  const auto count = static_cast<std::int64_t>(coefficients.size());
  if (rho.empty() || count == 0 || count % classes != 0)
    return op.Invalid(std::to_string(count) + " coefficients and " + std::to_string(rho.size()) +
                      " offsets are not those of " + std::to_string(classes) + " classes");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * x, Examples(op, f));
  Value* rows = op.builder.Constant(FloatMatrix(classes, coefficients));
  Value* scores = f.Add(f.Op("MatMul", {x, f.Transpose(rows, {1, 0})}), rho.front());
  const std::int64_t drop = 0, columns = 1;
  Value* index = f.Op("ArgMax", {scores}, {{"axis", columns}, {"keepdims", drop}});
  if (classes == 2) {
    const bool positive = std::ranges::all_of(coefficients, [](float c) { return c >= 0; });
    Value* largest = f.Reduce("ReduceMax", scores, {1}, false);
    Value* second = positive ? f.GreaterOrEqual(largest, 0.5) : f.Greater(largest, 0);
    index = f.Where(second, 1, index);
  }
  Value* label = f.Op("Gather", {op.builder.Constant(*labels), index}, {}, op.ResultName(0));
  return f.Finish({label, Transformed(f, transform, scores, op.ResultName(1))});
}

// Both scores of two classes that share `score`.
Value* ScoresOfTwo(OpComposer& f, PostTransform transform, Value* score, std::string_view name) {
  const bool complement =
      transform == PostTransform::kSoftmax || transform == PostTransform::kSoftmaxZero;
  Value* both = f.Concat({complement ? f.Sub(1, score) : f.Neg(score), score}, 1);
  return Transformed(f, complement ? PostTransform::kNone : transform, both, name);
}

}  // namespace

// Results: labels (examples), the class of most votes; scores (examples, pairs of classes), or
// those of both of two classes; or probabilities (examples, classes).
LoweredResults LowerSvmClassifier(OpLowering& op) {
  const Attribute* counts = Find(op.attributes, "vectors_per_class");
  const auto* listed = counts != nullptr ? counts->As<Attribute::Ints>() : nullptr;
  if (counts == nullptr || (listed != nullptr && listed->empty())) return LowerLinearMachine(op);
  DRAGOMAN_ASSIGN(const Machine machine, TakeMachine(op));
  DRAGOMAN_ASSIGN(const Tensor vectors, TakeVectors(op, machine.vectors));
  const bool two = machine.labels.size() == 2;
  const bool has_probabilities = !machine.slopes.empty();
  if (two && !has_probabilities && machine.transform == PostTransform::kProbit)
    return op.Unsupported("PROBIT of one score for two classes, which ONNX Runtime leaves open");
  const Pairs pairs = MakePairs(machine.vectors_per_class, machine.coefficients);
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * x, Examples(op, f));
  const auto matrix = [&](std::int64_t rows, const std::vector<float>& elements) {
    return op.builder.Constant(FloatMatrix(rows, elements));
  };
  Value* similar = Similarities(op, f, machine.kernel, x, vectors);
  Value* sums = f.Op("MatMul", {similar, matrix(machine.vectors, pairs.weights)});
  Value* scores = f.Op("Add", {sums, op.builder.Constant(FloatVector(machine.rho))});
  Value* positive = f.Op("Greater", {scores, op.builder.Float(0)});
  Value* others = f.Cast(f.Op("Not", {positive}), DType::kF32);
  Value* votes = f.Op(
      "Add", {f.Op("MatMul", {f.Cast(positive, DType::kF32), matrix(pairs.count, pairs.first)}),
              f.Op("MatMul", {others, matrix(pairs.count, pairs.second)})});
  Value* index =
      f.Op("ArgMax", {votes}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  Value* label = f.Op("Gather", {op.builder.Constant(machine.labels), index}, {}, op.ResultName(0));
  if (has_probabilities) {
    Value* of_pairs = PairProbabilities(f, machine, scores);
    DRAGOMAN_ASSIGN(scores, Coupled(op, f, machine.labels.size(), of_pairs));
  } else if (two) {
    return f.Finish({label, ScoresOfTwo(f, machine.transform, scores, op.ResultName(1))});
  }
  return f.Finish({label, Transformed(f, machine.transform, scores, op.ResultName(1))});
}

}  // namespace dragoman
