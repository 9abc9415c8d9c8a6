// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/contrib.h"

#include <utility>

namespace dragoman {

bool WantsResult(const OpLowering& op, std::size_t i) {
  return i < op.num_results() && op.source.result(i) != nullptr;
}

Status RefuseResult(const OpLowering& op, std::size_t i, std::string_view what) {
  if (!WantsResult(op, i) || !op.source.result(i)->used()) return {};
  return op.Unsupported("result " + std::to_string(i) + ", " + std::string(what) + ", is used");
}

Result<int> ImageRank(const OpLowering& op) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank < 3) return op.Invalid("operand 0 has no spatial axis");
  return rank;
}

Result<bool> TakeFlag(OpLowering& op, std::string_view name) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> flag, op.TakeInt(name));
  return flag.value_or(0) != 0;
}

Value* ChannelsFirst(OpComposer& f, Value* x, int rank) {
  Attribute::Ints perm = {0, rank - 1};
  for (int axis = 1; axis + 1 < rank; ++axis) perm.push_back(axis);
  return f.Transpose(x, std::move(perm));
}

Value* ChannelsLast(OpComposer& f, Value* x, int rank, std::string_view name) {
  Attribute::Ints perm = {0};
  for (int axis = 2; axis < rank; ++axis) perm.push_back(axis);
  perm.push_back(1);
  return f.Op("Transpose", {x}, {{"perm", std::move(perm)}}, name);
}

Value* SoftmaxFrom(OpComposer& f, Value* x, std::int64_t axis, int rank, std::string_view name) {
  if (axis == rank - 1) return f.Op("Softmax", {x}, {{"axis", axis}}, name);
  Value* rows = f.Op("Flatten", {x}, {{"axis", axis}});
  Value* normal = f.Op("Softmax", {rows}, {{"axis", std::int64_t{1}}});
  return f.Op("Reshape", {normal, f.Op("Shape", {x})}, {}, name);
}

}  // namespace dragoman
