// SPDX-License-Identifier: Apache-2.0
// Inference against the shapes that ONNX's backend suite states: of every case, the outputs' types
// are taken away and inferred again from the inputs' static shapes.
//
// An input that says how large a result is (the shape of Reshape, the axes of a reduction) becomes
// a constant with its recorded value. Cases whose sizes depend on data or a loop are listed in
// shape_manifest.txt, with the reason; one that is listed and inferred is a failure too. The
// environment variable DRAGOMAN_CASES limits the run to cases whose name contains it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/conformance/onnx_values.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// "NAME: REASON" lines; '#' starts a comment line.
std::map<std::string, std::string> ReadManifest() {
  std::ifstream file(ProjectRoot() / "tests/conformance/shape_manifest.txt");
  EXPECT_TRUE(file.good());
  std::map<std::string, std::string> reasons;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return reasons;
}

bool SaysSizes(const Value& input) {
  for (const Use* use = input.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr) continue;
    const OpDef* def = FindOp(*use->user());
    const Formal* formal = def != nullptr ? def->signature.Operand(use->index()) : nullptr;
    if (formal != nullptr && formal->sizes_results) return true;
  }
  return false;
}

Status FixInputsThatSaySizes(Graph& graph, const fs::path& data_set) {
  for (std::size_t i = graph.num_inputs(); i-- > 0;) {
    Value* input = graph.input(i);
    if (!SaysSizes(*input)) continue;
    const fs::path path = data_set / ("input_" + std::to_string(i) + ".pb");
    DRAGOMAN_ASSIGN(RuntimeValue recorded, ReadOnnxValue(path, input->type()));
    if (recorded.kind != RuntimeValue::Kind::kTensor) continue;
    input->ReplaceAllUsesWith(graph.AddConstant(input->name(), recorded.array.ToTensor()));
    graph.RemoveInput(i);
  }
  return {};
}

// The types of the outputs, which are forgotten.
std::vector<Type> TakeOutputTypes(Graph& graph) {
  std::vector<Type> types;
  for (const Use& output : graph.outputs()) types.push_back(output.value()->type());
  for (Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) node.result(i)->set_type({});
    }
  }
  return types;
}

// Whether all that `stated` says is inferred.
bool Says(const Type& inferred, const Type& stated) {
  if (inferred == stated || !stated.known()) return true;
  if (inferred.kind() != stated.kind()) return false;
  if (!stated.is_tensor())
    return stated.elements().empty() || Says(inferred.element(), stated.element());
  if (inferred.dtype() != stated.dtype()) return false;
  if (stated.shape() == nullptr) return true;
  if (inferred.rank() != stated.rank()) return false;
  for (std::size_t i = 0; i < stated.shape()->size(); ++i) {
    const Dim& size = (*stated.shape())[i];
    if (size.known() && (*inferred.shape())[i] != size) return false;
  }
  return true;
}

Status InferCase(const fs::path& folder) {
  DRAGOMAN_ASSIGN(Model source, ReadOnnx(folder / "model.onnx"));
  DRAGOMAN_TRY(FixInputsThatSaySizes(source.main(), folder / "test_data_set_0"));
  const std::vector<Type> stated = TakeOutputTypes(source.main());
  DRAGOMAN_ASSIGN(Model common, LowerOnnx(source));
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const Type& inferred = common.main().output(i)->type();
    if (Says(inferred, stated[i])) continue;
    return Internal("output " + std::to_string(i) + " is inferred as " + inferred.ToString() +
                    ", the suite states " + stated[i].ToString());
  }
  return {};
}

bool IsInDialect(const fs::path& folder) {
  const Result<Model> source = ReadOnnx(folder / "model.onnx");
  if (!source.ok()) return false;
  const Result<Model> common = LowerOnnx(*source);
  bool known = common.ok();
  if (!known) return false;
  ForEachGraph(*common, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) known = known && FindOp(node) != nullptr;
  });
  return known;
}

class ShapeSuite : public testing::TestWithParam<const char*> {};

TEST_P(ShapeSuite, EveryStatedSizeIsInferred) {
  if (!fs::exists(GetParam())) GTEST_SKIP() << GetParam() << " is not there";
  const char* filter = std::getenv("DRAGOMAN_CASES");
  const std::map<std::string, std::string> manifest = ReadManifest();
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(GetParam())) {
    const std::string name = entry.path().filename();
    const bool chosen = filter == nullptr || name.find(filter) != std::string::npos;
    if (chosen && fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  int inferred = 0;
  for (const fs::path& folder : folders) {
    if (!IsInDialect(folder)) continue;
    const std::string name = folder.filename();
    const Status status = InferCase(folder);
    inferred += status.ok();
    const auto expected = manifest.find(name);
    if (status.ok() && expected != manifest.end())
      ADD_FAILURE() << name << ": is inferred, but listed: " << expected->second;
    if (!status.ok() && expected == manifest.end())
      ADD_FAILURE() << name << ": " << status.error().ToString();
  }
  std::cout << GetParam() << ": " << inferred << " cases inferred\n";
}

INSTANTIATE_TEST_SUITE_P(Onnx12, ShapeSuite,
                         testing::Values("/usr/share/libonnx-testdata/data/node"));
INSTANTIATE_TEST_SUITE_P(Onnx17, ShapeSuite, testing::Values("../shared/data/onnx-1.17/node"));
INSTANTIATE_TEST_SUITE_P(Onnx23, ShapeSuite, testing::Values(DRAGOMAN_ONNX_23_CASES));

}  // namespace
}  // namespace dragoman
