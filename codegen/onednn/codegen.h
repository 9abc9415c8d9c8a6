// SPDX-License-Identifier: Apache-2.0
// Generates a C++ program on oneDNN from a common Model: a folder that builds with CMake, a C++17
// compiler and oneDNN alone.
//
// It holds the model's class NAME.{h,cc}, each entry a method (the entry "main" is called run), its
// weights NAME.weights, the runtime files that it uses, the program infer, and recorded runs as
// tests.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_CODEGEN_H_
#define DRAGOMAN_CODEGEN_ONEDNN_CODEGEN_H_

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "core/ir/model.h"
#include "core/ops/op_def.h"
#include "core/support/npy.h"
#include "core/support/result.h"

namespace dragoman {

// A recorded run. Names are those of inputs and outputs.
struct ReplayCase {
  std::vector<std::pair<std::string, NpyArray>> inputs;
  std::vector<std::pair<std::string, NpyArray>> outputs;
};

// How large the r.m.s. of the error of an output may be, against that of the output, in programs of
// less precision than f32.
inline constexpr float kNarrowRms = 0.02f;

struct CodegenOptions {
  std::string name = "model";     // namespace, CMake target and file names; an identifier
  std::vector<ReplayCase> cases;  // kept in data/, and replayed by a test of the folder
  onednn::PlanOptions plan;
  std::string steps;           // the calls of each case, as for --steps; empty: one call
  bool embed_weights = false;  // in the library; else the program maps their file
  bool loadable = false;       // also as a library that CompiledModel (driver/) opens
};

struct GeneratedFile {
  std::string path;  // "policy.cc", "runtime/kernels/softmax.h"
  std::string text;
};

// A whole program. The weights are not text: they stay in the Plan, whose tensors share the
// Model's buffers.
struct GeneratedProgram {
  onednn::Plan plan;
  std::vector<GeneratedFile> files;  // all but the weights, sorted by path
};

// Errors: a name that is not an identifier; all nodes that a program cannot have, as findings.
Result<GeneratedProgram> GenerateCpp(const Model& model, const CodegenOptions& options);
// What stands in the way of GenerateCpp, without the program.
Status CheckCpp(const Model& model);

// Whether a program can have nodes of operator `def`, of some types at least.
bool CppHasOp(const OpDef& def);

// The program as a folder (core/support/output_file.h: whole or not at all).
Status WriteProgram(const GeneratedProgram& program, const std::filesystem::path& folder);
Status WriteProgram(const Model& model, const std::filesystem::path& folder,
                    const CodegenOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_CODEGEN_H_
