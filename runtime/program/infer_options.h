// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of a generated program.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_INFER_OPTIONS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_INFER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/program/info.h"

namespace dragoman::rt {

struct InferOptions {
  std::vector<std::pair<std::string, std::string>> inputs;    // NAME=FILE.npy
  std::vector<std::string> archives;                          // FILE.npz
  std::vector<std::pair<std::string, std::string>> expected;  // NAME=FILE.npy, of outputs
  double rms = 0;                                             // expect.h
  std::string output_dir;
  std::string weights;
  std::vector<int> calls;  // entries, in the order of their calls
  bool stacked = false;    // --steps was given
  int repeat = 0;
  int threads = 1;
  std::uint64_t seed = 0;  // of random numbers
  bool profile = false;
  bool help = false;
};

// Throws Error: an unknown option, a bad value.
InferOptions ParseInferOptions(const ModelInfo& info, int argc, char** argv);

// What --help prints.
std::string InferHelp(const ModelInfo& info);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_INFER_OPTIONS_H_
