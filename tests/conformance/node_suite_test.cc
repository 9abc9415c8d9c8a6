// ONNX's own backend suite, in process and by the interpreter: every case is read, lowered, run on
// its recorded inputs, and compared with the recorded outputs.
//
// Cases with an operator that the common dialect lacks are counted, not run. A case that fails is
// expected to by node_manifest.txt, with the reason; one that is listed and passes is a failure
// too. The environment variable DRAGOMAN_CASES limits the run to cases whose name contains it, and
// DRAGOMAN_CASES_OP to those with a node of that type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ops/op_def.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/conformance/onnx_values.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// "NAME: REASON" lines; '#' starts a comment line.
std::map<std::string, std::string> ReadManifest() {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/tests/conformance/node_manifest.txt");
  EXPECT_TRUE(file.good());
  std::map<std::string, std::string> reasons;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return reasons;
}

std::vector<fs::path> CasesIn(const fs::path& folder) {
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "model.onnx")) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::set<std::string> UnknownOperators(const Model& model) {
  std::set<std::string> types;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (FindOp(node) == nullptr) types.insert(node.op().type);
    }
  });
  return types;
}

bool HasOperator(const Model& model, const std::string& type) {
  bool found = type.empty();
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) found = found || node.op().type == type;
  });
  return found;
}

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
  std::vector<RuntimeValue> inputs;
  for (std::size_t i = 0; i < source.main().num_inputs(); ++i) {
    const fs::path path = folder / ("input_" + std::to_string(i) + ".pb");
    DRAGOMAN_ASSIGN(RuntimeValue input, ReadOnnxValue(path, source.main().input(i)->type()));
    inputs.push_back(std::move(input));
  }
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(common));
  DRAGOMAN_ASSIGN(std::vector<RuntimeValue> outputs,
                  interpreter.Run(common.entries.front(), std::move(inputs)));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path path = folder / ("output_" + std::to_string(i) + ".pb");
    const Type& declared = source.main().outputs()[i].value()->type();
    DRAGOMAN_ASSIGN(RuntimeValue recorded, ReadOnnxValue(path, declared));
    const std::string place = "output " + std::to_string(i);
    if (auto difference = FindDifference(outputs[i], recorded, Tolerance()))
      return Internal(*difference).At(place);
    const Type& inferred = common.main().outputs()[i].value()->type();
    if (!Agrees(inferred, outputs[i]))
      return Internal("inference says " + inferred.ToString()).At(place);
  }
  return {};
}

struct Tally {
  int passed = 0;
  int expected_failures = 0;
  int failed = 0;
  int not_in_dialect = 0;
  std::set<std::string> unknown_operators;
};

class Suite {
 public:
  explicit Suite(fs::path folder) : folder_(std::move(folder)) {}

  void Run() {
    for (const fs::path& path : CasesIn(folder_)) {
      const std::string name = path.filename();
      if (name.find(filter_) != std::string::npos) RunCase(name, path);
    }
    std::cout << folder_.string() << ": " << tally_.passed << " passed, " << tally_.failed
              << " failed, " << tally_.expected_failures << " failed as expected, "
              << tally_.not_in_dialect << " with operators beyond the common dialect\n";
    for (const std::string& type : tally_.unknown_operators) std::cout << "  " << type << "\n";
  }

 private:
  void RunCase(const std::string& name, const fs::path& path) {
    const Result<Model> source = ReadOnnx(path / "model.onnx");
    if (!source.ok()) return Report(name, source.error());
    if (!HasOperator(*source, op_filter_)) return;
    const Result<Model> common = LowerOnnx(*source);
    if (!common.ok()) return Report(name, common.error());
    const std::set<std::string> unknown = UnknownOperators(*common);
    if (!unknown.empty()) {
      ++tally_.not_in_dialect;
      tally_.unknown_operators.insert(unknown.begin(), unknown.end());
      return;
    }
    Report(name, RunDataSet(*source, *common, path / "test_data_set_0"));
  }

  void Report(const std::string& name, const Status& status) {
    const auto expected = manifest_.find(name);
    if (status.ok() && expected == manifest_.end()) {
      ++tally_.passed;
    } else if (!status.ok() && expected != manifest_.end()) {
      ++tally_.expected_failures;
    } else {
      ++tally_.failed;
      ADD_FAILURE() << name << ": "
                    << (status.ok() ? "passes, but is expected to fail: " + expected->second
                                    : status.error().ToString());
    }
  }

  fs::path folder_;
  std::string filter_ = Environment("DRAGOMAN_CASES");
  std::string op_filter_ = Environment("DRAGOMAN_CASES_OP");
  std::map<std::string, std::string> manifest_ = ReadManifest();
  Tally tally_;
};

class NodeSuite : public testing::TestWithParam<const char*> {};

TEST_P(NodeSuite, RecordedOutputsAreComputed) {
  if (!fs::exists(GetParam())) GTEST_SKIP() << GetParam() << " is not there";
  Suite(GetParam()).Run();
}

INSTANTIATE_TEST_SUITE_P(Onnx12, NodeSuite,
                         testing::Values("/usr/share/libonnx-testdata/data/node"));
INSTANTIATE_TEST_SUITE_P(Onnx17, NodeSuite, testing::Values("../shared/data/onnx-1.17/node"));

}  // namespace
}  // namespace dragoman
