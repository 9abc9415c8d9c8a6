// SPDX-License-Identifier: Apache-2.0
// How long calls of a model take, by itself or beside another one.
#ifndef DRAGOMAN_DRIVER_BENCH_MODEL_H_
#define DRAGOMAN_DRIVER_BENCH_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/data.h"
#include "driver/run_model.h"
#include "driver/session.h"

namespace dragoman {

struct BenchRequest {
  RunRequest run;           // run.repeat: the calls of a round
  std::int64_t rounds = 5;  // of two models in turn
  // Of the first model; none: drawn from run.seed, with sizes from 2 to 5 where no size is known.
  std::vector<NamedArray> inputs;
};

// Of the calls of one round, in microseconds.
struct RoundTimes {
  double fastest = 0;
  double median = 0;
  double p99 = 0;
};

// In bytes.
struct MemoryUse {
  std::uint64_t weights = 0;
  std::optional<std::int64_t> activations;  // at once, as the interpreter would hold them
  std::int64_t program = 0;  // all that the generated program held at once; 0: there is none
};

struct Benchmark {
  std::vector<RoundTimes> rounds;
  MemoryUse memory;
  std::string profile;  // a table of steps, if the request asks for it

  double Fastest() const;  // of all calls
  double Median() const;   // of the rounds' medians
  double P99() const;      // the largest of the rounds
};

// Of `model` and, if there is one, of `other` on the same inputs; rounds of both alternate, so that
// what else the machine does slows both. Errors: those of RunModel; about `other`, in file
// `other_name`.
Result<std::vector<Benchmark>> BenchModels(const Session& session, const Model& model,
                                           const Model* other, const std::string& other_name,
                                           const BenchRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_BENCH_MODEL_H_
