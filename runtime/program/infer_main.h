// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver of a generated program: the options of `dragoman run`, for one model.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_INFER_MAIN_H_
#define DRAGOMAN_RUNTIME_PROGRAM_INFER_MAIN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/params/status.h"
#include "runtime/program/any_tensor.h"
#include "runtime/program/info.h"
#include "runtime/program/trace.h"

namespace dragoman::rt {

// One object of a model's class, without its types.
class InferTarget {
 public:
  virtual ~InferTarget() = default;
  // Calls entry `entry` with as many inputs, of the right element types and ranks, as it has; gives
  // its outputs.
  virtual Status Call(int entry, std::vector<AnyValue>& inputs, std::vector<AnyValue>& outputs) = 0;
  virtual void SaveState() = 0;
  virtual Status RestoreState() = 0;      // what SaveState saw
  virtual void SetSeed(std::uint64_t) {}  // of random numbers, where the model draws some
  virtual Trace& trace() = 0;
};

// An empty `weights` stands for the file that the program was built with. May throw Error.
using MakeTarget = std::unique_ptr<InferTarget> (*)(const std::string& weights, int threads);

// The whole of main(). Exit codes: 0 done; 1 an output is not as expected; 2 the call or the input
// is at fault; 3 a bug of the program; 4 the input asks for what is not supported.
int InferMain(const ModelInfo& info, MakeTarget make, int argc, char** argv);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_INFER_MAIN_H_
