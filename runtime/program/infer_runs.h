// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs and outputs of a run, as the driver of a generated program reads and writes them:
// those of all calls of one entry lie after one another.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_INFER_RUNS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_INFER_RUNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/program/any_tensor.h"
#include "runtime/program/infer_options.h"
#include "runtime/program/info.h"

namespace dragoman::rt {

// A tensor for all calls of its entry.
struct InputTensor {
  AnyTensor whole;
  bool sliced = false;  // each call gets its part of the first axis; else all get the whole

  AnyTensor At(std::int64_t call) const;
};

// One input: a tensor, or what a sequence holds.
struct InputData {
  std::vector<InputTensor> tensors;

  AnyValue At(std::int64_t call) const;
};

// A tensor of one output: of the last call, or stacked over all calls along a new first axis.
struct OutputTensor {
  std::string name;
  AnyTensor tensor;

  // Throws Error: sizes other than those of the calls before.
  void Add(const AnyTensor& one, std::int64_t call, std::int64_t calls, bool stacked);
};

// One output: a tensor, or what a sequence holds.
struct OutputData {
  const TensorInfo* info = nullptr;
  std::vector<OutputTensor> tensors;

  // Throws Error: other sizes, or another number, than in the calls before.
  void Add(const AnyValue& one, std::int64_t call, std::int64_t calls, bool stacked);
};

// The calls of one entry.
struct EntryRun {
  const EntryInfo* info = nullptr;
  std::int64_t calls = 0;
  std::int64_t done = 0;
  std::vector<InputData> inputs;
  std::vector<OutputData> outputs;
};

// One for each entry of the model, with the inputs that the options name, or give by position.
// Throws Error: an input is missing or does not fit, a file cannot be read.
std::vector<EntryRun> PrepareRuns(const ModelInfo& info, const InferOptions& options);

// The first output of that name. Throws Error: there is none.
const OutputTensor& FindOutput(const std::vector<EntryRun>& runs, const std::string& name);

// One .npy file an output, a .json file for maps, and index.json: {"outputs": [{"name", "file",
// "dtype", "shape"}]}, all of them or none. "shape" of a list of maps is their number. Throws
// Error.
void WriteOutputs(const std::string& folder, const std::vector<EntryRun>& runs);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_INFER_RUNS_H_
