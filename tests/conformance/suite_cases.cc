// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/suite_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

#include "core/ops/op_def.h"
#include "tests/conformance/onnx_values.h"
#include "tests/support/paths.h"

namespace dragoman {

namespace fs = std::filesystem;

namespace {

// Of ONNX, that the cases come from: Debian 12 has those of 1.12, Debian 13 those of 1.17; of 1.23
// tests/conformance/onnx-1.23.tar.xz has those that are new.
std::string_view ReleaseOf(const fs::path& cases) {
  if (fs::exists(cases / "test_swiglu")) return "onnx-1.23";
  return fs::exists(cases / "test_dft_opset19") ? "onnx-1.17" : "onnx-1.12";
}

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<fs::path> CasesIn(const fs::path& folder) {
  const std::string filter = Environment("DRAGOMAN_CASES");
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool wanted = entry.path().filename().string().find(filter) != std::string::npos;
    if (wanted && fs::exists(entry.path() / "model.onnx")) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

bool IsSelected(const Model& model) {
  const std::string type = Environment("DRAGOMAN_CASES_OP");
  bool found = type.empty();
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) found = found || node.op().type == type;
  });
  return found;
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

Result<RecordedRun> ReadRecordedRun(const fs::path& folder, const Model& source) {
  RecordedRun run;
  for (std::size_t i = 0; i < source.main().num_inputs(); ++i) {
    const fs::path path = folder / ("input_" + std::to_string(i) + ".pb");
    DRAGOMAN_ASSIGN(RuntimeValue value, ReadOnnxValue(path, source.main().input(i)->type()));
    run.inputs.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < source.main().num_outputs(); ++i) {
    const fs::path path = folder / ("output_" + std::to_string(i) + ".pb");
    DRAGOMAN_ASSIGN(RuntimeValue value, ReadOnnxValue(path, source.main().output(i)->type()));
    run.outputs.push_back(std::move(value));
  }
  return run;
}

CaseReport::CaseReport(const fs::path& cases, std::initializer_list<std::string_view> manifests) {
  const std::string release = std::string(ReleaseOf(cases)) + "/";
  for (std::string_view manifest : manifests) {
    std::ifstream file(ProjectRoot() / "tests/conformance" / manifest);
    EXPECT_TRUE(file.good()) << manifest;
    for (std::string line; std::getline(file, line);) {
      const std::size_t colon = line.find(": ");
      if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
      std::string name = line.substr(0, colon);
      if (name.starts_with(release)) name.erase(0, release.size());
      if (name.find('/') == std::string::npos) reasons_[name] = line.substr(colon + 2);
    }
  }
}

void CaseReport::Add(const std::string& name, const Status& status) {
  const auto expected = reasons_.find(name);
  if (status.ok() && expected == reasons_.end()) {
    ++passed_;
  } else if (!status.ok() && expected != reasons_.end()) {
    ++failed_as_expected_;
  } else {
    ++failed_;
    ADD_FAILURE() << name << ": "
                  << (status.ok() ? "passes, but is expected to fail: " + expected->second
                                  : status.error().ToString());
  }
}

void CaseReport::AddBeyondDialect(const std::set<std::string>& operators) {
  ++beyond_dialect_;
  unknown_operators_.insert(operators.begin(), operators.end());
}

void CaseReport::Print(const std::string& title) const {
  std::cout << title << ": " << passed_ << " passed, " << failed_ << " failed, "
            << failed_as_expected_ << " failed as expected, " << beyond_dialect_
            << " with operators beyond the common dialect\n";
  for (const std::string& type : unknown_operators_) std::cout << "  " << type << "\n";
}

}  // namespace dragoman
