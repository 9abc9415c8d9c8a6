// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/scalar_ops.h"
#include "core/support/text.h"

namespace dragoman::onednn {
namespace {

constexpr std::size_t kWordsInName = 4;  // of operators; further ones are left out

// What a loop computes, whatever its tensors are called: equal texts are equal loops.
std::string KeyOf(const Step& step) {
  std::map<BufferId, std::string> places;
  for (std::size_t i = 0; i < step.inputs.size(); ++i)
    places[step.inputs[i]] = "i" + std::to_string(i);
  std::string key = std::to_string(step.inputs.size());
  const std::vector<MapTerm>& terms = step.As<MapStep>()->terms;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const MapTerm& term = terms[t];
    key += ";" + std::string(term.op->name);
    for (const MapArgument& argument : term.arguments)
      key += " " + (argument.buffer == kAbsent ? FormatFloat(argument.number)
                                               : places.at(argument.buffer));
    places[term.result] = "t" + std::to_string(t);
  }
  for (BufferId id : step.results) key += ">" + places.at(id);
  return key;
}

// "MulAddRelu"
std::string NameOf(const std::vector<MapTerm>& terms) {
  std::string name;
  for (std::size_t t = 0; t < std::min(terms.size(), kWordsInName); ++t) name += terms[t].op->name;
  return name;
}

void ForEachLoop(Block& block, const std::function<void(Step&)>& visit) {
  std::vector<Block*> left = {&block};
  while (!left.empty()) {
    Block& next = *left.back();
    left.pop_back();
    for (Step& step : next.steps) {
      if (step.Is<MapStep>()) visit(step);
      for (Block& body : step.bodies()) left.push_back(&body);
    }
  }
}

}  // namespace

void ShareLoops(Plan& plan) {
  std::map<std::string, std::vector<Step*>> equal;
  std::vector<std::string> order;
  for (PlanEntry& entry : plan.entries) {
    ForEachLoop(entry.body, [&](Step& step) {
      std::vector<Step*>& steps = equal[KeyOf(step)];
      if (steps.empty()) order.push_back(KeyOf(step));
      steps.push_back(&step);
    });
  }
  for (const std::string& key : order) {
    const std::vector<Step*>& steps = equal[key];
    const Step& first = *steps.front();
    const std::vector<MapTerm>& terms = first.As<MapStep>()->terms;
    plan.loops.push_back(
        {plan.names.Unique("k" + NameOf(terms)), terms, first.inputs, first.results});
    for (Step* step : steps) step->As<MapStep>()->loop = plan.loops.size() - 1;
  }
}

}  // namespace dragoman::onednn
