// SPDX-License-Identifier: Apache-2.0
// Loops of a program. One whose length is known and short is unrolled; any other becomes a Loop,
// whose carried values are found by running the body until what it changes is stable.
//
// A pass runs the body on inputs for what the plan so far takes for changing, and merges (merge.h)
// what went in with what came back: values, and cells that the body changed. Where they differ
// beyond those inputs, or in type, the plan grows and another pass begins. The body of the stable
// pass is the Loop's.
#ifndef DRAGOMAN_CORE_LOWERING_LOOP_H_
#define DRAGOMAN_CORE_LOWERING_LOOP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/lowering/entry_builder.h"

namespace dragoman {

// Loops whose length is known are unrolled up to so many iterations, or as long as they append
// fewer nodes than this.
inline constexpr std::int64_t kMaxUnrolledIterations = 32;
inline constexpr std::size_t kMaxUnrolledNodes = 2000;
// The same where no Loop can express it.
inline constexpr std::int64_t kMaxForcedIterations = 10'000;
inline constexpr std::size_t kMaxForcedNodes = 200'000;

// A loop as its program has it: at most `trips` iterations, the first if `starts`, each further one
// if the iteration before gives a condition that holds.
struct SourceLoop {
  // Runs the body in iteration `iteration` on what is carried: the results are the condition of the
  // next iteration and what is carried then.
  using Body = std::function<Flow(const Number& iteration, const std::vector<Abstract>& carried,
                                  std::vector<Abstract>& results)>;

  Number trips = Number::Int(INT64_MAX);  // INT64_MAX: no bound
  Number starts = Number::Bool(true);
  std::vector<Abstract> carried;   // by the first iteration
  std::vector<std::string> names;  // of what is carried, as many
  Body body;
};

// Runs `loop`: `results` is what is carried after it. Errors: what no Loop can express; what the
// body cannot do is among the entry's findings.
Result<Flow> RunLoop(EntryBuilder& entry, const SourceLoop& loop, std::vector<Abstract>& results);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_LOOP_H_
