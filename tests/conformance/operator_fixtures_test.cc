// SPDX-License-Identifier: Apache-2.0
// Operators of torch: each overload that is lowered, called once by a method of a file of
// tests/models/torchscript/operators, against what torch 1.13 recorded. Overloads without a call
// are listed with a reason in not_called.txt there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/tensor_differences.h"
#include "core/interpreter/interpreter.h"
#include "core/support/npy.h"
#include "driver/data.h"
#include "importers/torch/lower/lower.h"
#include "importers/torch/ops/op_table.h"
#include "importers/torch/schema/schema_text.h"
#include "importers/torch/script/read_model.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using Arrays = std::map<std::string, NpyArray>;

const fs::path kFolder = ProjectRoot() / "tests/models/torchscript/operators";

Arrays ReadArrays(const fs::path& path) {
  Result<std::vector<std::pair<std::string, NpyArray>>> read = ReadNpz(path.string());
  EXPECT_TRUE(read.ok()) << read.error().ToString();
  return read.ok() ? Arrays(read->begin(), read->end()) : Arrays();
}

// Empty, or how the two differ.
std::string Difference(const Tensor& found, const Tensor& expected) {
  if (found.type() != expected.type())
    return found.type().ToString() + ", expected " + expected.type().ToString();
  const rt::ElementDifferences differences = compare::FindDifferences(
      found, expected, rt::UsualCloseness(compare::RuntimeType(found.dtype())));
  if (differences.outside == 0) return "";
  return fmt::format("{} of {} elements differ, element {} by {}", differences.outside,
                     found.size(), differences.worst, differences.largest);
}

// Lowers and runs `entry` of `source`; empty, or what went wrong.
std::string Check(const Model& source, const Entry& entry, const Arrays& pool,
                  const Arrays& expected) {
  Facts facts;
  facts.entry = entry.name;
  std::vector<RuntimeValue> inputs;
  for (std::size_t i = 1; i < entry.graph->num_inputs(); ++i) {
    const std::string& name = entry.graph->input(i)->name();
    const NpyArray& array = pool.at(name);
    const DType dtype = PlainDType(array);
    ShapeFact fact{name, dtype, {}, false};
    for (std::int64_t size : array.shape) fact.dims.emplace_back(Dim(size));
    facts.shapes.push_back(std::move(fact));
    Result<Array> value = FromNpy(array, dtype);
    if (!value.ok()) return value.error().ToString();
    inputs.push_back(RuntimeValue::Of(*value));
  }
  Result<Model> model = LowerTorchScript(source, facts);
  if (!model.ok()) return model.error().ToString();
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return interpreter.error().ToString();
  Result<std::vector<RuntimeValue>> results =
      interpreter->Run(model->entries.front(), std::move(inputs));
  if (!results.ok()) return results.error().ToString();
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto wanted = expected.find(entry.name + "." + std::to_string(i));
    if (wanted == expected.end()) return "gives too many results";
    Result<Array> array = FromNpy(wanted->second, PlainDType(wanted->second));
    if (!array.ok()) return array.error().ToString();
    const std::string difference = Difference((*results)[i].array.ToTensor(), array->ToTensor());
    if (!difference.empty()) return fmt::format("result {}: {}", i, difference);
  }
  const bool all = !expected.contains(entry.name + "." + std::to_string(results->size()));
  return all ? "" : "gives too few results";
}

// What stands before ": " on each line that is not a comment or heading.
std::set<std::string> Labels(const fs::path& path) {
  std::ifstream file(path);
  std::set<std::string> labels;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line[0] != '#') labels.insert(line.substr(0, colon));
  }
  return labels;
}

TEST(OperatorFixturesTest, CallEveryOverloadThatIsLowered) {
  const std::set<std::string> called = Labels(kFolder / "calls.txt");
  const std::set<std::string> excused = Labels(kFolder / "not_called.txt");
  std::istringstream lines{std::string(torch::TorchSchemaText())};
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find_first_of(".("));
    const std::size_t colons = name.find("::");
    if (colons == std::string::npos) continue;
    const std::string row = name.substr(0, colons) + "." + name.substr(colons + 2);
    const bool writes = line.find("!)") != std::string::npos;
    if (writes || torch::FindOpRow(row) == nullptr) continue;
    std::string label = line.substr(0, line.find('('));
    label.replace(colons, 2, ".");
    if (label.starts_with("aten.")) label.erase(0, 5);
    EXPECT_TRUE(called.contains(label) != excused.contains(label)) << label;
  }
}

class OperatorFixtures : public testing::TestWithParam<std::string> {};

TEST_P(OperatorFixtures, GiveWhatTorchGives) {
  const Arrays pool = ReadArrays(kFolder / "pool.npz");
  const Arrays expected = ReadArrays(kFolder / (GetParam() + ".npz"));
  Result<Model> source = ReadTorchScript((kFolder / (GetParam() + ".pt")).string());
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  for (const Entry& entry : source->entries)
    EXPECT_EQ(Check(*source, entry, pool, expected), "") << entry.name;
}

INSTANTIATE_TEST_SUITE_P(Families, OperatorFixtures,
                         testing::Values("arithmetic", "elementwise", "fourier", "indexing",
                                         "layers", "losses", "products", "quantized", "reductions",
                                         "shapes"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dragoman
