// SPDX-License-Identifier: Apache-2.0
// The native engine: the C++ program of a model, generated, compiled and run. What has been built
// once is found again by its content.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct NativeOptions {
  // Empty: NativeCacheFolder().
  std::filesystem::path cache;
  std::string compiler = "c++";
  std::string optimization = "-O3";  // as CMakeLists.txt of a program has it
  onednn::PlanOptions plan;
  // Where lines that the model prints go, one per call; nullptr: nowhere.
  std::function<void(std::string_view line)> line_sink;
};

// A compiled model.
struct NativeProgram {
  std::filesystem::path folder;
  std::filesystem::path infer;
  std::filesystem::path weights;
};

// Generates and compiles the common `model`. The runtime is compiled once for all models of a
// cache. Several processes may use one cache at a time. Errors: what the generator refuses; what
// the compiler says (internal: generated code always compiles); no compiler; no oneDNN.
Result<NativeProgram> BuildNative(const Model& model, const NativeOptions& options = {});

// A compiled model that a process loads: runtime/program/loaded_model.h.
struct NativeLibrary {
  std::filesystem::path library;
  std::filesystem::path weights;
};

// The same as a shared library.
Result<NativeLibrary> BuildNativeLibrary(const Model& model, const NativeOptions& options = {});

// Runs the program `infer` of the model with `arguments` (its own options: --input, --inputs,
// --output-dir, --steps, --repeat, --profile, --threads). Returns what it printed; outputs are in
// the folder given with --output-dir. Errors: those of BuildNative, and what the program refuses.
Result<std::string> CompileAndRun(const Model& model, const std::vector<std::string>& arguments,
                                  const NativeOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_NATIVE_H_
