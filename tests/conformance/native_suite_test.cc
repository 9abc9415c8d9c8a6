// SPDX-License-Identifier: Apache-2.0
// ONNX's own backend suite by generated programs: every case is read, lowered, rewritten, generated
// as C++, compiled together with all others, run on its recorded inputs, and compared with the
// recorded outputs. The newer suite, which takes as long again, is run if the environment variable
// DRAGOMAN_ALL is set.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "core/rewrite/pipeline.h"
#include "driver/data.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/conformance/native_programs.h"
#include "tests/conformance/onnx_values.h"
#include "tests/conformance/suite_cases.h"
#include "tests/support/paths.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// A case whose program has been generated.
struct NativeCase {
  std::string name;
  fs::path path;
  Model source;
  Model common;
};

Result<GeneratedProgram> Generate(Model& common, const std::string& name) {
  DRAGOMAN_TRY(RunPipeline(common, {}));
  CodegenOptions options;
  options.name = name;
  return GenerateCpp(common, options);
}

Status RunCase(const NativeCase& c, const NativePrograms& programs) {
  DRAGOMAN_ASSIGN(RecordedRun recorded, ReadRecordedRun(c.path / "test_data_set_0", c.source));
  const Entry& entry = c.common.entries.front();
  const TestFolder folder;
  std::vector<std::string> arguments = {"--output-dir", folder / "out"};
  int number = 0;
  for (const auto& [name, array] : Flatten(InputSlots(entry), recorded.inputs)) {
    const std::string file = folder / (std::to_string(number++) + ".npy");
    DRAGOMAN_TRY(WriteNpy(file, ToNpy(array)));
    arguments.insert(arguments.end(), {"--input", name + "=" + file});
  }
  DRAGOMAN_TRY(programs.Run(c.name, arguments));
  DRAGOMAN_ASSIGN(auto outputs, ReadOutputs(folder / "out"));
  const auto expected = Flatten(OutputSlots(entry), recorded.outputs);
  if (outputs.size() != expected.size()) return Internal("another number of outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto difference =
        FindDifference(RuntimeValue::Of(outputs[i].second), RuntimeValue::Of(expected[i].second));
    if (difference) return Internal(*difference).At("output '" + expected[i].first + "'");
  }
  return {};
}

class NativeSuite : public testing::TestWithParam<const char*> {
 protected:
  // Generates a program, unless the case has an operator that the common dialect lacks.
  void Prepare(const fs::path& path) {
    const std::string name = path.filename();
    Result<Model> source = ReadOnnx(path / "model.onnx");
    if (!source.ok()) return report_.Add(name, source.error());
    if (!IsSelected(*source)) return;
    Result<Model> common = LowerOnnx(*source);
    if (!common.ok()) return report_.Add(name, common.error());
    const std::set<std::string> unknown = UnknownOperators(*common);
    if (!unknown.empty()) return report_.AddBeyondDialect(unknown);
    const Result<GeneratedProgram> program = Generate(*common, name);
    if (!program.ok()) return report_.Add(name, program.error());
    ASSERT_TRUE(programs_.Add(*program).ok()) << name;
    cases_.push_back({name, path, std::move(*source), std::move(*common)});
  }

  CaseReport report_ = CaseReport(GetParam(), {"node_manifest.txt", "native_manifest.txt"});
  NativePrograms programs_{BuildFolder() / "native_suite" /
                           fs::path(GetParam()).parent_path().filename()};
  std::vector<NativeCase> cases_;
};

TEST_P(NativeSuite, RecordedOutputsAreComputed) {
  if (!fs::exists(GetParam())) GTEST_SKIP() << GetParam() << " is not there";
  for (const fs::path& path : CasesIn(GetParam())) Prepare(path);
  const Status built = programs_.Build();
  ASSERT_TRUE(built.ok()) << built.error().ToString();
  for (const NativeCase& c : cases_) report_.Add(c.name, RunCase(c, programs_));
  report_.Print(GetParam());
}

std::vector<const char*> Suites() {
  std::vector<const char*> suites = {"/usr/share/libonnx-testdata/data/node"};
  if (!Environment("DRAGOMAN_ALL").empty()) {
    suites.push_back("../shared/data/onnx-1.17/node");
    suites.push_back(DRAGOMAN_ONNX_23_CASES);
  }
  return suites;
}

INSTANTIATE_TEST_SUITE_P(Onnx, NativeSuite, testing::ValuesIn(Suites()));

}  // namespace
}  // namespace dragoman
