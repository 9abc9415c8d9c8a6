// Support vector machines.
#include <algorithm>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

struct Kernel {
  std::string type;
  float gamma = 0;
  float offset = 0;
  float degree = 0;
};

Result<Kernel> TakeKernel(OpLowering& op) {
  Kernel kernel;
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
Value* Similarities(OpLowering& op, OpComposer& f, const Kernel& kernel, Value* x,
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
  DRAGOMAN_ASSIGN(const Kernel kernel, TakeKernel(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> one_class, op.TakeInt("one_class"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> supports, op.TakeInt("n_supports"));
  DRAGOMAN_ASSIGN(const std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(const std::vector<float> rho, TakeFloatList(op, "rho"));
  if (transform != PostTransform::kNone) return op.Unsupported("a post_transform of one score");
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

struct Machine {
  Tensor labels;
  Kernel kernel;
  PostTransform transform;
  std::vector<std::int64_t> vectors_per_class;
  std::vector<float> coefficients;
  std::vector<float> rho;
  std::int64_t vectors = 0;
};

Result<Machine> TakeMachine(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_ints", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(Kernel kernel, TakeKernel(op));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> counts, TakeIntList(op, "vectors_per_class"));
  DRAGOMAN_ASSIGN(std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(std::vector<float> rho, TakeFloatList(op, "rho"));
  DRAGOMAN_ASSIGN(const std::vector<float> probabilities, TakeFloatList(op, "prob_a"));
  if (!labels) return op.Invalid("has no class labels");
  if (!probabilities.empty())
    return op.Unsupported("prob_a: probabilities, which an iteration couples");
  if (counts.empty()) return op.Unsupported("a classifier without support vectors");
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
  if (std::max(vectors, classes) > kMostTerms / static_cast<std::int64_t>(rho.size()))
    return op.Unsupported("more than " + std::to_string(kMostTerms) + " terms of pairs");
  return Machine{std::move(*labels),      std::move(kernel), transform, std::move(counts),
                 std::move(coefficients), std::move(rho),    vectors};
}

}  // namespace

// Results: labels (examples), the class of most votes; scores (examples, pairs of classes), or
// those of both of two classes.
LoweredResults LowerSvmClassifier(OpLowering& op) {
  DRAGOMAN_ASSIGN(const Machine machine, TakeMachine(op));
  DRAGOMAN_ASSIGN(const Tensor vectors, TakeVectors(op, machine.vectors));
  const bool logistic = machine.transform == PostTransform::kLogistic;
  const bool two = machine.labels.size() == 2;
  if (two && !logistic && machine.transform != PostTransform::kNone)
    return op.Unsupported("a softmax of two classes that share their score");
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
  if (two) {
    Value* first = f.Op("Neg", {scores});
    scores = f.Op("Concat", {first, scores}, {{"axis", std::int64_t{1}}});
  }
  return f.Finish({label, Transformed(f, machine.transform, scores, op.ResultName(1))});
}

}  // namespace dragoman
