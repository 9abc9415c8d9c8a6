#include "core/ops/random.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

constexpr std::int64_t kNotGiven = 0;

// The element type that attribute 'dtype' names, else `other`.
Result<DType> AttributeDType(const InferContext& context, DType other) {
  const std::int64_t number = context.IntAttribute("dtype", kNotGiven);
  if (number == kNotGiven) return other;
  if (!IsDTypeNumber(number)) {
    return context.Fail("attribute 'dtype' is " + std::to_string(number) +
                        ", which is no element type");
  }
  return static_cast<DType>(number);
}

Status InferGenerated(InferContext& context) {
  DRAGOMAN_ASSIGN(DType dtype, AttributeDType(context, DType::kF32));
  const auto* sizes = context.attribute("shape")->As<Attribute::Ints>();
  if (sizes == nullptr) return context.Fail("attribute 'shape' is no list of ints");
  for (std::int64_t size : *sizes) {
    if (size < 0) return context.Fail("attribute 'shape' holds " + std::to_string(size));
  }
  context.SetType(0, Type::Tensor(dtype, *sizes));
  return {};
}

Status InferLike(InferContext& context) {
  DRAGOMAN_ASSIGN(DType dtype, AttributeDType(context, context.dtype(0)));
  context.SetType(0, Type::Tensor(dtype));
  return SameShapeAsFirst(context);
}

Status InferMultinomial(InferContext& context) {
  DRAGOMAN_ASSIGN(DType dtype, AttributeDType(context, DType::kI32));
  const Shape* shape = context.shape(0);
  if (shape != nullptr && shape->size() != 2)
    return context.Fail("operand 0 (input) has rank " + std::to_string(shape->size()) +
                        ", expected 2");
  const std::int64_t samples = context.IntAttribute("sample_size", 1);
  const Dim batch = shape != nullptr ? (*shape)[0] : Dim::Unknown();
  context.SetType(0, Type::Tensor(dtype, Shape{batch, Dim(samples)}));
  return {};
}

OpBuilder Generator(std::string_view type) {
  return Op(type, "() -> (output: T)", "T: float")
      .Attribute("dtype", Attribute::Kind::kInt, std::int64_t{1})
      .Attribute("seed", Attribute::Kind::kFloat)
      .Attribute("shape", Attribute::Kind::kInts)
      .Required("shape")
      .Infer(InferGenerated)
      .Random();
}

OpBuilder Like(std::string_view type) {
  return Op(type, "(input: T1) -> (output: T2)", "T1: any; T2: any")
      .Attribute("dtype", Attribute::Kind::kInt)
      .Attribute("seed", Attribute::Kind::kFloat)
      .Infer(InferLike)
      .Random();
}

OpDef Normal(OpBuilder op) {
  return std::move(op)
      .Attribute("mean", Attribute::Kind::kFloat, 0.0f)
      .Attribute("scale", Attribute::Kind::kFloat, 1.0f);
}

OpDef Uniform(OpBuilder op) {
  return std::move(op)
      .Attribute("high", Attribute::Kind::kFloat, 1.0f)
      .Attribute("low", Attribute::Kind::kFloat, 0.0f);
}

// Whether operand `i` is there and constant, and what it holds: 0 or not.
bool IsConstantly(const Node& node, std::size_t i, bool zero) {
  const Value* value = node.operand(i);
  const Tensor* tensor = value != nullptr ? value->tensor() : nullptr;
  return tensor != nullptr && tensor->size() == 1 && (tensor->FloatAt(0) == 0) == zero;
}

}  // namespace

std::string_view WhyRandom(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def != nullptr && def->random) return "it draws random numbers";
  const bool trains = node.Is("Dropout") && IsConstantly(node, 2, false);
  if (trains && (node.operand(1) == nullptr || IsConstantly(node, 1, false)))
    return "in training mode it draws random numbers";
  return "";
}

bool MayDrawRandomNumbers(const Node& node) { return node.Is("Dropout"); }

std::vector<OpDef> RandomOps() {
  return {
      Like("Bernoulli"),
      Op("Multinomial", "(input: T1) -> (output: T2)", "T1: float; T2: index")
          .Attribute("dtype", Attribute::Kind::kInt, std::int64_t{6})
          .Attribute("sample_size", Attribute::Kind::kInt, std::int64_t{1})
          .Attribute("seed", Attribute::Kind::kFloat)
          .Infer(InferMultinomial)
          .Random(),
      Normal(Generator("RandomNormal")),
      Normal(Like("RandomNormalLike")),
      Uniform(Generator("RandomUniform")),
      Uniform(Like("RandomUniformLike")),
  };
}

}  // namespace dragoman
