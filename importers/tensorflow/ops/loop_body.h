// SPDX-License-Identifier: Apache-2.0
// A Loop whose body a lowering makes by hand:
//
//     LoopBody iteration(c, {{"sum", zero->type()}});
//     Composer at(iteration.builder);
//     Value* sum = at.Add(iteration.carried[0], …);
//     AppendLoop(c, iteration, at, {at.BoolConstant(true), sum}, {count, nullptr, zero});
//
// The body reads values around it as they are.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOOP_BODY_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOOP_BODY_H_

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

struct LoopBody {
  // `types`: of what is carried, with names.
  LoopBody(Call& c, const std::vector<std::pair<std::string, Type>>& types);

  std::shared_ptr<Graph> graph;
  std::unordered_set<std::string> names;
  GraphBuilder builder;
  Value* number = nullptr;  // of the iteration, from 0 on, int64
  Value* go = nullptr;      // the condition that led here
  std::vector<Value*> carried;
};

// `results` of the body, made by `done`: whether to go on, what is carried, what is collected
// iteration by iteration. `operands`: the number of iterations or nullptr, whether to begin or
// nullptr, what is carried first. Gives the last of what is carried, then what was collected.
std::vector<Value*> AppendLoop(Call& c, LoopBody& body, const Composer& done,
                               const std::vector<Value*>& results, std::vector<Value*> operands);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOOP_BODY_H_
