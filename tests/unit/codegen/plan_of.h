// SPDX-License-Identifier: Apache-2.0
// Plans of graphs that tests give as text, and what tests ask of them.
#ifndef DRAGOMAN_TESTS_UNIT_CODEGEN_PLAN_OF_H_
#define DRAGOMAN_TESTS_UNIT_CODEGEN_PLAN_OF_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/build.h"
#include "core/ir/parse.h"

namespace dragoman::onednn {

inline Result<Plan> TryPlan(std::string_view text, const PlanOptions& options = {}) {
  const Result<Model> model = ParseText(text);
  if (!model.ok()) return model.error();
  return MakePlan(*model, "test", options);
}

// A text that has no Plan fails the test; then the Plan is empty.
inline Plan PlanOf(std::string_view text, const PlanOptions& options = {}) {
  Result<Plan> plan = TryPlan(text, options);
  EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().ToString());
  if (plan.ok()) return std::move(*plan);
  Plan empty;
  empty.entries.emplace_back();
  return empty;
}

// Of the default entry.
inline const std::vector<Step>& Steps(const Plan& plan) { return plan.entries.front().body.steps; }

// Matches a step whose action is a T.
template <class T>
auto IsA() {
  return testing::ResultOf([](const Step& step) { return step.Is<T>(); }, true);
}

// What each step calls: the type of a prepared operator, a kernel with its template arguments, or
// "map". Aliases call nothing and are left out.
inline std::vector<std::string> Calls(const Plan& plan) {
  std::vector<std::string> calls;
  for (const Step& step : Steps(plan)) {
    if (const Prepared* prepared = plan.PreparedOf(step)) calls.push_back(prepared->type);
    if (step.Is<MapStep>()) calls.push_back("map");
    if (const auto* call = step.As<KernelStep>()) calls.push_back(call->function);
    if (const auto* call = step.As<LaidOutStep>()) calls.push_back(call->function);
  }
  return calls;
}

// The buffer of that label. Without one the test fails, and an empty one stands for it.
inline const Buffer& Named(const Plan& plan, std::string_view label) {
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.label == label) return buffer;
  }
  ADD_FAILURE() << "no buffer " << label;
  static const Buffer kNone;
  return kNone;
}

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_TESTS_UNIT_CODEGEN_PLAN_OF_H_
