// SPDX-License-Identifier: Apache-2.0
// What the builder and the rewrites of a Plan ask of a value. An omitted operand, nullptr, has none
// of these.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_VALUE_QUERIES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_VALUE_QUERIES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/ir/graph.h"
#include "core/rewrite/reader.h"
#include "core/rewrite/scalar.h"
#include "runtime/params/shape.h"

namespace dragoman::onednn {

bool IsF32(const Value* value);
// Whether its elements are 8-bit integers of either sign.
bool IsInt8(const Value* value);
// Whether it is a constant whose elements are at hand, not a sparse one.
bool IsConstant(const Value* value);
// nullopt: a size that is not a number, more axes than rt::kMaxRank.
std::optional<rt::Shape> SizesOf(const Value* value);
// For asking whether a kernel supports a value: its sizes, `open` for each known at run time only.
// nullopt: an unknown rank, more axes than rt::kMaxRank.
std::optional<rt::Shape> SampleSizesOf(const Value* value, std::int64_t open = 1);
// The same of an image of one to three axes after N and C, of which C is known: open sizes are
// longer than any window.
std::optional<rt::Shape> SampleImageSizesOf(const Value* image);
// Whether attribute `axis`, by default -1, names the last axis of operand 0, whose rank is known.
bool IsAlongLastAxis(const Node& node);
// "'x' f32[1, 41]", of a value that is there.
std::string Label(const Value* value);
// Where the user's source called what became `node`, with the line if it stands there itself:
// ", at policy.py:87: return self.actor(x)".
std::string SourcePlace(const Node& node);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_VALUE_QUERIES_H_
