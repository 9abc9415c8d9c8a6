// SPDX-License-Identifier: Apache-2.0
// ONNX's own backend suite, in process and by the interpreter: every case is read, lowered, run on
// its recorded inputs, and compared with the recorded outputs. Cases with an operator that the
// common dialect lacks are counted, not run.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/conformance/onnx_values.h"
#include "tests/conformance/suite_cases.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// What inference said of an output holds for what was computed.
bool Agrees(const Type& inferred, const RuntimeValue& value) {
  if (!inferred.is_tensor() || value.kind != RuntimeValue::Kind::kTensor) return true;
  const Type type = value.array.ToTensor().type();
  if (inferred.dtype() != type.dtype()) return false;
  if (inferred.shape() == nullptr) return true;
  if (inferred.rank() != type.rank()) return false;
  for (std::size_t i = 0; i < type.shape()->size(); ++i) {
    if (Equal((*inferred.shape())[i], (*type.shape())[i]) == Truth::kNo) return false;
  }
  return true;
}

Status RunDataSet(const Model& source, const Model& common, const fs::path& folder) {
  DRAGOMAN_ASSIGN(RecordedRun recorded, ReadRecordedRun(folder, source));
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(common));
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> outputs,
                  interpreter.Run(common.entries.front(), std::move(recorded.inputs)));
  if (outputs.size() != recorded.outputs.size()) return Internal("another number of outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string place = "output " + std::to_string(i);
    if (auto difference = FindDifference(outputs[i], recorded.outputs[i]))
      return Internal(*difference).At(place);
    const Type& inferred = common.main().output(i)->type();
    if (!Agrees(inferred, outputs[i]))
      return Internal("inference says " + inferred.ToString()).At(place);
  }
  return {};
}

void RunCase(const fs::path& path, CaseReport& report) {
  const std::string name = path.filename();
  const Result<Model> source = ReadOnnx(path / "model.onnx");
  if (!source.ok()) return report.Add(name, source.error());
  if (!IsSelected(*source)) return;
  const Result<Model> common = LowerOnnx(*source);
  if (!common.ok()) return report.Add(name, common.error());
  const std::set<std::string> unknown = UnknownOperators(*common);
  if (!unknown.empty()) return report.AddBeyondDialect(unknown);
  report.Add(name, RunDataSet(*source, *common, path / "test_data_set_0"));
}

class NodeSuite : public testing::TestWithParam<const char*> {};

TEST_P(NodeSuite, RecordedOutputsAreComputed) {
  if (!fs::exists(GetParam())) GTEST_SKIP() << GetParam() << " is not there";
  CaseReport report(GetParam(), {"node_manifest.txt"});
  for (const fs::path& path : CasesIn(GetParam())) RunCase(path, report);
  report.Print(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Onnx12, NodeSuite,
                         testing::Values("/usr/share/libonnx-testdata/data/node"));
INSTANTIATE_TEST_SUITE_P(Onnx17, NodeSuite, testing::Values("../shared/data/onnx-1.17/node"));
INSTANTIATE_TEST_SUITE_P(Onnx23, NodeSuite, testing::Values(DRAGOMAN_ONNX_23_CASES));

}  // namespace
}  // namespace dragoman
