// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/steps.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/lowering/name_body.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {

Values RunSteps(Composer& c, Value* count, const Values& first, const Step& run) {
  if (c.failed()) return {};
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder builder(*body, c.builder().inference(), names);
  builder.set_origin(c.builder().origin());
  Value* step = body->AddInput("step", Type::Tensor(DType::kI64, Shape{}));
  Value* more = body->AddInput("more", Type::Tensor(DType::kBool, Shape{}));
  Values state;
  for (std::size_t i = 0; i < first.size(); ++i)
    state.push_back(body->AddInput("state" + std::to_string(i), first[i]->type()));
  Composer inner(builder);
  const Values kept = run(inner, step, state);
  Value* again = inner.Op("Identity", {more});
  c.Check(inner.status());
  if (c.failed()) return {};
  body->AddOutput(again);
  for (Value* value : state) body->AddOutput(value);
  for (Value* value : kept) body->AddOutput(value);
  NameInModel(*body, c.builder());
  Values operands = {count, c.BoolConstant(true)};
  operands.insert(operands.end(), first.begin(), first.end());
  return c.Ops("Loop", std::move(operands), {{"body", Attribute(body)}},
               state.size() + kept.size());
}

Value* StepsLast(Composer& c, Value* kept) {
  std::vector<std::int64_t> axes = AllAxes(c.Rank(kept));
  if (!axes.empty()) std::rotate(axes.begin(), axes.begin() + 1, axes.end());
  return c.Transpose(kept, std::move(axes));
}

}  // namespace dragoman::torch
