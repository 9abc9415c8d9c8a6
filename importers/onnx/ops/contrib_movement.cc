// SPDX-License-Identifier: Apache-2.0
// Operators that ai.onnx has in much the same form, and small sums and products.
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {

// Padding is a vector or one row of a matrix, the filler a vector of one element.
LoweredResults LowerContribPad(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* padding = f.Op("Reshape", {op.operand(1), f.Ints({-1})});
  return f.Finish({f.Op("Pad", {op.operand(0), padding, OneNumber(f, op.operand(2))},
                        std::exchange(op.attributes, {}), op.ResultName(0))});
}

// In the order of first occurrence. Results: elements, for each operand its place, counts.
LoweredResults LowerContribUnique(OpLowering& op) {
  OpComposer f(op);
  const std::vector<Value*> made =
      f.Ops("Unique", op.operands, {{"sorted", std::int64_t{0}}},
            {op.ResultName(0), "", op.ResultName(1), op.ResultName(2)});
  std::vector<Value*> results = {made[0], made[2], made[3]};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

LoweredResults LowerContribTrilu(OpLowering& op) {
  return op.EmitOne("Trilu", op.operands, std::exchange(op.attributes, {}));
}

LoweredResults LowerContribGridSample(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::vector<Value*> results, LowerGridSample(op));
  op.attributes.clear();
  return results;
}

LoweredResults LowerExpandDims(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* axes = f.Op("Reshape", {f.Cast(op.operand(1), DType::kI64), f.Ints({1})});
  return f.Finish({f.Op("Unsqueeze", {op.operand(0), axes}, {}, op.ResultName(0))});
}

LoweredResults LowerContribRange(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* step = op.operand(2) != nullptr ? OneNumber(f, op.operand(2)) : f.Number(1, op.operand(0));
  return f.Finish({f.Op("Range", {OneNumber(f, op.operand(0)), OneNumber(f, op.operand(1)), step},
                        {}, op.ResultName(0))});
}

LoweredResults LowerContribGatherNd(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* indices = op.operand(1);
  if (indices->type().dtype() != DType::kI64) indices = f.Cast(indices, DType::kI64);
  return f.Finish({f.Op("GatherND", {op.operand(0), indices}, {}, op.ResultName(0))});
}

// Distances of each row of the first operand from each of the second.
LoweredResults LowerCDist(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("metric"));
  const std::string metric = given.value_or("sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") return op.Unsupported("metric " + metric);
  OpComposer f(op);
  Value* a = f.Op("Unsqueeze", {op.operand(0), f.Ints({1})});
  Value* b = f.Op("Unsqueeze", {op.operand(1), f.Ints({0})});
  const char* reduction = metric == "euclidean" ? "ReduceL2" : "ReduceSumSquare";
  return f.Finish({f.Op(reduction, {f.Op("Sub", {a, b}), f.Ints({2})},
                        {{"keepdims", std::int64_t{0}}}, op.ResultName(0))});
}

// The sum of all operands: BiasAdd.
LoweredResults LowerBiasAdd(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  OpComposer f(op);
  Value* sum = f.Op("Add", {op.operand(0), op.operand(1)});
  return f.Finish({f.Op("Add", {sum, op.operand(2)}, {}, op.ResultName(0))});
}

// data + bias (+ residual): nothing is dropped when it is not trained.
LoweredResults LowerBiasDropout(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_TRY(RefuseResult(op, 1, "the mask"));
  const Tensor* training = op.operand(4) != nullptr ? op.operand(4)->tensor() : nullptr;
  if (op.operand(4) != nullptr && (training == nullptr || training->size() != 1))
    return op.Unsupported("training_mode known only at run time");
  if (training != nullptr && training->IntAt(0) != 0) return op.Unsupported("training_mode");
  op.Drop("seed");
  OpComposer f(op);
  const bool residual = op.operand(2) != nullptr;
  Value* sum = f.Op("Add", {op.operand(0), op.operand(1)}, {}, residual ? "" : op.ResultName(0));
  if (residual) sum = f.Op("Add", {sum, op.operand(2)}, {}, op.ResultName(0));
  std::vector<Value*> results = {sum};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

// y with U y = L^-1 P, of the factors L U = P x.
LoweredResults LowerInverse(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  OpComposer f(op);
  Value* x = op.operand(0);
  const DType dtype = x->type().dtype();
  if (dtype == DType::kF16) x = f.Cast(x, DType::kF32);
  const std::vector<Value*> factors = f.Ops("dragoman.LuFactor", {x}, {}, {"lu", "pivots", "rows"});
  Value* size = f.Size(x, -1);
  Value* number = f.Iota(size);
  Value* permuted = f.Op("Equal", {f.Op("Unsqueeze", {factors[2], f.Ints({-1})}), number});
  Value* unit = f.Cast(permuted, factors[0] != nullptr ? factors[0]->type().dtype() : dtype);
  Value* lower = f.Op("dragoman.TriangularSolve", {factors[0], unit},
                      {{"upper", std::int64_t{0}}, {"unit", std::int64_t{1}}});
  const bool cast = dtype == DType::kF16;
  Value* inverse =
      f.Op("dragoman.TriangularSolve", {factors[0], lower},
           {{"upper", std::int64_t{1}}, {"unit", std::int64_t{0}}}, cast ? "" : op.ResultName(0));
  return f.Finish({cast ? f.NamedCast(inverse, DType::kF16, op.ResultName(0)) : inverse});
}

LoweredResults RefuseBlockedLayout(OpLowering& op) {
  return op.Unsupported(
      "a layout for one processor; have ONNX Runtime write the file at the level 'extended'");
}

}  // namespace dragoman
