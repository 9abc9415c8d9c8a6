// SPDX-License-Identifier: Apache-2.0
// What the lowerings of attention share: heads, rotation, causal masks.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_HEADS_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_HEADS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "importers/onnx/op_composer.h"

namespace dragoman {

inline constexpr int kHeads = 1;  // axes of (batch, heads, steps, features)
inline constexpr int kSteps = 2;
inline constexpr int kFeatures = 3;

// (batch, steps, heads * features) as (batch, heads, steps, features), and back.
Value* SplitHeads(OpComposer& f, Value* x, std::int64_t heads);
Value* JoinHeads(OpComposer& f, Value* x, std::string_view name);

// Each of `heads` heads `times` times, one after the other.
Value* RepeatHeads(OpComposer& f, Value* x, std::int64_t heads, std::int64_t times);

// nullopt: the shape or this size of it is not known, or the rank is not 4.
std::optional<std::int64_t> KnownSize(const Value* x, int axis);

// Attribute `scale` of com.microsoft, where 0 is the same as none.
Result<std::optional<float>> TakeScale(OpLowering& op);

// The products of queries and keys, and those times `scale`, or over the root of the number of the
// query's features.
Value* Products(OpComposer& f, Value* query, Value* key);
Value* Scaled(OpComposer& f, Value* products, Value* query, std::optional<float> scale);

// The places of the queries among the keys, (steps of the query, 1): `past` keys lie before the
// first query, which is a number or one of each batch; nullptr: 0.
Value* QueryPlaces(OpComposer& f, Value* query, Value* past);

// Which keys a query may see, (steps of the query, steps of the key): those that are not after it.
Value* CausalMask(OpComposer& f, Value* query, Value* key, Value* past);

// x cos - y sin and x sin + y cos, of halves (x, y) of the features or of each two of them.
// Operands (..., features / 2), which broadcast to x.
struct Rotation {
  Value* cos;
  Value* sin;
  bool of_pairs;
};

// Of the first `size` features; 0: of all.
Value* Rotated(OpComposer& f, Value* x, std::int64_t size, const Rotation& rotation);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_HEADS_H_
