// SPDX-License-Identifier: Apache-2.0
// `--steps`: several calls, of one entry or of several, on one object.
#ifndef DRAGOMAN_DRIVER_STEPS_H_
#define DRAGOMAN_DRIVER_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/array.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/data.h"

namespace dragoman {

// One stretch of calls: `count` calls of an entry.
struct Step {
  std::string entry;  // empty: the default one
  std::int64_t count = 1;
};

// "10", or "forward*5,reset_memory,forward*5".
Result<std::vector<Step>> ParseSteps(const std::string& text);

// How many of the calls are of `entry`, the default one.
std::int64_t CountCalls(const std::vector<Step>& steps, const std::string& entry);

// What one entry is called with. Inputs that have one more leading axis, of the number of the
// entry's calls, than their slot are given a slice a call.
struct StepInputs {
  std::vector<RuntimeValue> whole;
  std::vector<bool> sliced;

  std::vector<RuntimeValue> At(std::int64_t call) const;
};

// All calls of one entry.
struct EntryCalls {
  std::string entry;
  std::int64_t total = 0;
  std::vector<NamedArray> arrays;  // what it is given
};

// The entries of `model` that `steps` call, each once: `chosen`, the default one, first if it is
// among them, the others in the model's order. Errors: an entry that the model has not.
Result<std::vector<EntryCalls>> CallsByEntry(const Model& model, const Entry& chosen,
                                             const std::vector<Step>& steps);

// Binds arrays to the slots of an entry that is called `calls` times; without `stepped` nothing is
// sliced. Errors: those of BindArrays and CheckSizes; an array that has one more axis than its
// slot, for another number of calls.
Result<StepInputs> BindSteps(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays,
                             std::int64_t calls, bool stepped);

// Makes the calls of `steps` in their order; `calls` and `inputs` are those of each entry. The
// outputs of the entries, one entry after the other; each, if `stepped`, stacked over the calls of
// its entry. Errors: an output that has other sizes at each call.
Result<FlatArrays> RunSteps(Interpreter& interpreter, const Model& model,
                            const std::vector<Step>& steps, const std::vector<EntryCalls>& calls,
                            const std::vector<StepInputs>& inputs, bool stepped);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_STEPS_H_
