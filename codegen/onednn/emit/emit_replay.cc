// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_replay.h"

#include <string_view>
#include <utility>

#include "core/support/text.h"

namespace dragoman::onednn {
namespace {

using Arrays = std::vector<std::pair<std::string, NpyArray>>;

std::string PathOf(std::size_t number, std::string_view kind, std::size_t index) {
  return "data/" + std::to_string(number) + "/" + std::string(kind) + "_" + std::to_string(index) +
         ".npy";
}

Status AddFiles(const Arrays& arrays, std::size_t number, std::string_view kind,
                std::vector<GeneratedFile>& files) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    DRAGOMAN_ASSIGN(std::string bytes, SerializeNpy(arrays[i].second));
    files.push_back({PathOf(number, kind, i), std::move(bytes)});
  }
  return {};
}

// An argument of CMake that stands for itself, whatever it holds.
std::string Bracketed(const std::string& text) {
  std::string equals = "=";
  while (text.find("]" + equals + "]") != std::string::npos) equals += "=";
  return "[" + equals + "[" + text + "]" + equals + "]";
}

std::string Arguments(const Arrays& arrays, std::size_t number, std::string_view kind,
                      const std::string& option) {
  std::string text;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    text += "\n    " + option + " " + Bracketed(arrays[i].first + "=" + PathOf(number, kind, i));
  }
  return text;
}

}  // namespace

Status AddReplayData(std::span<const ReplayCase> cases, std::vector<GeneratedFile>& files) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    DRAGOMAN_TRY(AddFiles(cases[i].inputs, i, "input", files));
    DRAGOMAN_TRY(AddFiles(cases[i].outputs, i, "output", files));
  }
  return {};
}

std::string EmitReplayTests(const CodegenOptions& options) {
  const std::vector<ReplayCase>& cases = options.cases;
  if (cases.empty()) return "";
  const std::string steps =
      options.steps.empty() ? "" : "\n    --steps " + Bracketed(options.steps);
  const std::string tolerance =
      options.plan.precision == rt::Precision::kF32 ? "" : "\n    --rms " + FormatFloat(kNarrowRms);
  std::string text = "\n  # Recorded runs.\n  enable_testing()\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    text += "  add_test(NAME @NAME@.data_" + std::to_string(i) +
            " WORKING_DIRECTORY \"${CMAKE_CURRENT_SOURCE_DIR}\"\n    COMMAND @NAME@_infer" + steps +
            Arguments(cases[i].inputs, i, "input", "--input") +
            Arguments(cases[i].outputs, i, "output", "--expect") + tolerance + ")\n";
  }
  return text;
}

}  // namespace dragoman::onednn
