// SPDX-License-Identifier: Apache-2.0
// EmbedLayerNormalization, and QEmbedLayerNormalization of quantised tables.
#include <string>
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {
namespace {

enum Operand : std::size_t {
  kIds,
  kSegments,
  kWordTable,
  kPositionTable,
  kSegmentTable,
  kGamma,
  kBeta,
  kMask,
  kPositions  // quantised: the first scale
};

// Scales of the tables, of gamma and of beta; zero points follow in the same order.
constexpr std::size_t kFirstScale = kPositions;
constexpr std::size_t kNumScales = 5;

constexpr float kEpsilon = 1e-12f;  // where the attribute is absent

// How many words each of the examples has: those whose mask is 1; 0 without a mask.
Value* MaskIndex(OpComposer& f, const OpLowering& op) {
  Value* mask = op.operand(kMask);
  const std::string name = op.ResultName(1);
  Value* examples = f.SizeVector(op.operand(kIds), 0, 1);
  if (mask == nullptr) {
    Value* zero = f.Cast(f.Int(0), DType::kI32);
    return f.Op("Expand", {zero, examples}, {}, name);
  }
  Value* words = f.Cast(f.Op("Equal", {mask, f.Number(1, mask)}), DType::kI32);
  Value* counts = f.Op("ReduceSum", {words, f.Ints({1})}, {{"keepdims", std::int64_t{0}}});
  return f.Op("Reshape", {counts, examples}, {}, name);
}

Status CheckEmbedding(const OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kIds, kWordTable, kPositionTable, kGamma, kBeta}));
  if ((op.operand(kSegments) == nullptr) == (op.operand(kSegmentTable) == nullptr)) return {};
  return op.Invalid("segment_ids and segment_embedding come together");
}

// `real` gives operand `i`, or the rows of it that are given, as real numbers.
template <class Real>
LoweredResults Embedded(OpLowering& op, OpComposer& f, Value* positions, Real real) {
  DRAGOMAN_ASSIGN(const std::optional<float> epsilon, op.TakeFloat("epsilon"));
  op.Drop("mask_index_type");  // says no more than whether the result is there
  if (positions == nullptr) positions = f.Iota(f.Size(op.operand(kIds), 1));
  const auto rows = [&](std::size_t table, Value* ids) {
    return real(table, f.Op("Gather", {op.operand(table), ids}));
  };
  const bool segments = op.operand(kSegments) != nullptr;
  Value* sum = f.Op("Add", {rows(kWordTable, op.operand(kIds)), rows(kPositionTable, positions)},
                    {}, segments ? "" : op.ResultName(2));
  if (segments)
    sum = f.Op("Add", {sum, rows(kSegmentTable, op.operand(kSegments))}, {}, op.ResultName(2));
  Value* normal = f.Op(
      "LayerNormalization", {sum, real(kGamma, op.operand(kGamma)), real(kBeta, op.operand(kBeta))},
      {{"axis", std::int64_t{-1}}, {"epsilon", epsilon.value_or(kEpsilon)}}, op.ResultName(0));
  std::vector<Value*> results = {normal, WantsResult(op, 1) ? MaskIndex(f, op) : nullptr, sum};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace

LoweredResults LowerEmbedLayerNormalization(OpLowering& op) {
  DRAGOMAN_TRY(CheckEmbedding(op));
  OpComposer f(op);
  return Embedded(op, f, op.operand(kPositions), [](std::size_t, Value* x) { return x; });
}

LoweredResults LowerQEmbedLayerNormalization(OpLowering& op) {
  DRAGOMAN_TRY(CheckEmbedding(op));
  for (std::size_t i = kWordTable; i <= kBeta; ++i) {
    if (op.operand(i) != nullptr) DRAGOMAN_TRY(op.Require({kFirstScale + i - kWordTable}));
  }
  OpComposer f(op);
  return Embedded(op, f, nullptr, [&](std::size_t i, Value* x) {
    const std::size_t scale = kFirstScale + i - kWordTable;
    return f.Op("DequantizeLinear",
                {x, OneNumber(f, op.operand(scale)), OneNumber(f, op.operand(scale + kNumScales))});
  });
}

}  // namespace dragoman
