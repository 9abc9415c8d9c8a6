// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/random.h"

#include <bit>

#include "core/ir/node_attributes.h"
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
                        ", which is not an element type");
  }
  const auto dtype = static_cast<DType>(number);
  if (!context.def().signature.variables.back().allowed.Has(dtype))
    return context.Fail("the result cannot be of element type " + std::string(Name(dtype)));
  return dtype;
}

Status InferGenerated(InferContext& context) {
  DRAGOMAN_ASSIGN(DType dtype, AttributeDType(context, DType::kF32));
  const auto* sizes = context.attribute("shape")->As<Attribute::Ints>();
  if (sizes == nullptr) return context.Fail("attribute 'shape' is not a list of ints");
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

// By the attributes `first` and `second`, if they are not empty.
Result<Params> Fill(const Node& node, std::string_view first, std::string_view second) {
  rt::RandomParams params;
  params.first = FloatAttribute(node, first, params.first);
  params.second = FloatAttribute(node, second, params.second);
  params.has_seed = node.attribute("seed") != nullptr;
  params.seed = std::bit_cast<std::int32_t>(FloatAttribute(node, "seed", 0));
  return Params::Of(params, ParamsToCpp(params));
}

constexpr std::string_view kRandomHeader = "runtime/kernels/random.h";

OpBuilder Generator(std::string_view type, OpVersions versions) {
  return Op(type, versions, "() -> (output: T)", "T: float")
      .Attribute("dtype", Attribute::Kind::kInt, std::int64_t{1})
      .Attribute("seed", Attribute::Kind::kFloat)
      .Attribute("shape", Attribute::Kind::kInts)
      .Required("shape")
      .Infer(InferGenerated)
      .Random()
      .Kernel({.header = kRandomHeader, .types = "T"});
}

OpBuilder Like(std::string_view type, OpVersions versions) {
  return Op(type, versions, "(input: T1) -> (output: T2)", "T1: any; T2: float")
      .Attribute("dtype", Attribute::Kind::kInt)
      .Attribute("seed", Attribute::Kind::kFloat)
      .Infer(InferLike)
      .Random()
      .Kernel({.header = kRandomHeader, .types = "bits(T1) T2"});
}

OpDef Normal(OpBuilder op) {
  return std::move(op)
      .Attribute("mean", Attribute::Kind::kFloat, 0.0f)
      .Attribute("scale", Attribute::Kind::kFloat, 1.0f)
      .FillWith([](const Node& node) { return Fill(node, "mean", "scale"); });
}

OpDef Uniform(OpBuilder op) {
  return std::move(op)
      .Attribute("high", Attribute::Kind::kFloat, 1.0f)
      .Attribute("low", Attribute::Kind::kFloat, 0.0f)
      .FillWith([](const Node& node) { return Fill(node, "low", "high"); });
}

Result<Params> FillBernoulli(const Node& node) { return Fill(node, "", ""); }

}  // namespace

std::vector<OpDef> RandomOps() {
  return {
      Op("Bernoulli", {15, 22}, "(input: T1) -> (output: T2)", "T1: float; T2: number bool")
          .Attribute("dtype", Attribute::Kind::kInt)
          .Attribute("seed", Attribute::Kind::kFloat)
          .FillWith(FillBernoulli)
          .Infer(InferLike)
          .Random()
          .Kernel({.header = kRandomHeader, .types = "T1 T2"}),
      Op("Multinomial", {7, 22}, "(input: T1) -> (output: T2)", "T1: float; T2: index")
          .Attribute("dtype", Attribute::Kind::kInt, std::int64_t{6})
          .Attribute("sample_size", Attribute::Kind::kInt, std::int64_t{1})
          .Attribute("seed", Attribute::Kind::kFloat)
          .FillWith(FillBernoulli)
          .Infer(InferMultinomial)
          .Random()
          .Kernel({.header = kRandomHeader, .types = "T1 T2", .fallible = true}),
      Normal(Generator("RandomNormal", {1, 22})),
      Normal(Like("RandomNormalLike", {1, 22})),
      Uniform(Generator("RandomUniform", {1, 22})),
      Uniform(Like("RandomUniformLike", {1, 22})),
  };
}

}  // namespace dragoman
