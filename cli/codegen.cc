// dragoman codegen MODEL -o DIR
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/compare_outputs.h"
#include "cli/data_sets.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/structured_calls.h"
#include "codegen/onednn/codegen.h"
#include "core/support/text.h"

namespace dragoman::cli {
namespace {

struct CodegenCommand {
  std::string model;
  std::string output;
  std::optional<std::string> name;
  std::string precision = "f32";
  std::optional<std::string> data;
  LoweringOptions lowering;
  CommonOptions common;
};

// The namespace: as given, or the stem of the model file as an identifier.
Result<std::string> NamespaceOf(const CodegenCommand& options) {
  if (!options.name) return Identifier(std::filesystem::path(options.model).stem().string());
  if (IsIdentifier(*options.name)) return *options.name;
  return InvalidInput("--name " + *options.name + " is not a C++ identifier");
}

// The recorded runs that the folder's own tests replay.
Result<std::vector<ReplayCase>> ReadCases(const std::string& data, const Entry& entry) {
  DRAGOMAN_ASSIGN(std::vector<std::string> folders, FindDataSets(data));
  std::vector<ReplayCase> cases;
  for (const std::string& folder : folders) {
    DRAGOMAN_ASSIGN(DataSet set, ReadDataSet(folder, InputSlots(entry), OutputSlots(entry)));
    ReplayCase& made = cases.emplace_back();
    for (const NamedArray& input : set.inputs) made.inputs.emplace_back(input.name, input.array);
    for (const auto& [name, array] : set.outputs) made.outputs.emplace_back(name, ToNpy(array));
  }
  return cases;
}

// Replays recorded data through the native engine. The lines of the proof.
Result<std::string> Prove(const CodegenCommand& options, const Model& source, bool& all_equal) {
  DRAGOMAN_ASSIGN(std::vector<std::string> folders, FindDataSets(*options.data));
  RunRequest request;
  request.engine = "native";
  request.lowering = options.lowering;
  std::string proof;
  for (const std::string& folder : folders) {
    const Entry& entry = source.entries.front();
    const bool structured = HasStructuredCalls(source);
    DRAGOMAN_ASSIGN(DataSet set,
                    ReadDataSet(folder, structured ? std::vector<Slot>() : InputSlots(entry),
                                structured ? std::vector<Slot>() : OutputSlots(entry)));
    DRAGOMAN_ASSIGN(RunResult result, RunModel(source, set.inputs, request));
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      if (i >= result.outputs.size())
        return Internal("the program has fewer outputs than the model");
      const OutputComparison compared =
          CompareOutput(set.outputs[i].first, result.outputs[i].second, set.outputs[i].second, {});
      all_equal = all_equal && compared.ok;
      proof +=
          fmt::format("  {}: {}: {}\n", folder, compared.ok ? "ok" : "DIFFERENT", compared.message);
    }
  }
  return proof;
}

void PrintUse(const std::string& output, const std::string& name) {
  fmt::print(
      "{0}: C++ program `{1}`\n\n"
      "  cmake -S {0} -B {0}/build && cmake --build {0}/build\n\n"
      "In your CMakeLists.txt:\n"
      "  add_subdirectory({0})\n"
      "  target_link_libraries(app PRIVATE {1}::{1})\n\n"
      "The class, its methods and how to call them: {0}/{1}.h\n",
      output, name);
}

Result<bool> Generate(const CodegenCommand& options) {
  if (options.precision != "f32") {
    return Unsupported("--precision " + options.precision +
                       ": programs compute in the model's own precision");
  }
  DRAGOMAN_ASSIGN(std::string name, NamespaceOf(options));
  DRAGOMAN_ASSIGN(Model source, LoadModel(options.model));
  DRAGOMAN_ASSIGN(Model model, ToCommon(source, options.lowering, options.common));
  CodegenOptions codegen;
  codegen.name = name;
  if (options.data && !HasStructuredCalls(source)) {
    DRAGOMAN_ASSIGN(codegen.cases, ReadCases(*options.data, source.entries.front()));
  }
  DRAGOMAN_TRY(WriteProgram(model, options.output, codegen));
  bool all_equal = true;
  std::string proof;
  if (options.data) {
    DRAGOMAN_ASSIGN(proof, Prove(options, source, all_equal));
  }
  if (!options.common.quiet) {
    PrintUse(options.output, name);
    if (options.data) fmt::print("\nChecked against recorded data:\n{}", proof);
  }
  return all_equal;
}

int RunCodegen(const CodegenCommand& options) {
  Result<bool> equal = Generate(options);
  if (!equal.ok()) return Report(equal.error(), options.model);
  return *equal ? kDone : kAnswerIsNo;
}

}  // namespace

void AddCodegen(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<CodegenCommand>();
  CLI::App* command =
      program.add_subcommand("codegen", "Generate a standalone C++ program on oneDNN");
  command->add_option("MODEL", options->model, "A model file")->required();
  command->add_option("-o,--output", options->output, "The folder to write")->required();
  command->add_option("--name", options->name,
                      "Namespace of the program; default: the file's stem");
  command->add_option("--precision", options->precision, "f32")
      ->check(CLI::IsMember({"f32", "bf16", "f16", "int8"}));
  command->add_option("--data", options->data, "Recorded data that the program must reproduce");
  AddPasses(*command, options->lowering);
  AddFacts(*command, options->lowering);
  AddCut(*command, options->lowering);
  AddCommonOptions(*command, options->common);
  command->footer(
      "The folder builds with CMake, a C++17 compiler and oneDNN, nothing else.\n"
      "\n"
      "  dragoman codegen policy.onnx -o policy_cpp --data test_data_set_0\n"
      "  cmake -S policy_cpp -B build && cmake --build build");
  command->callback([options, &exit_code] { exit_code = RunCodegen(*options); });
}

}  // namespace dragoman::cli
