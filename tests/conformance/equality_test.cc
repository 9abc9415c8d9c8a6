// SPDX-License-Identifier: Apache-2.0
// Equality and diff on models from elsewhere: disguised copies are equal, one change is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/compare/diff.h"
#include "driver/session.h"
#include "importers/onnx/read_model.h"
#include "tests/support/graph_mutations.h"
#include "tests/support/paths.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = 64u << 20;
constexpr int kDraws = 3;  // for each model and change

std::vector<fs::path> ModelFiles() {
  std::vector<fs::path> files;
  for (const char* folder :
       {"tests/models", "../shared/data/onnx-1.17/light", "../shared/data/real/onnx"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(ProjectRoot() / folder, error), end;
         !error && at != end; at.increment(error)) {
      const bool model = at->is_regular_file() && at->path().extension() == ".onnx";
      if (model && at->file_size() <= kMaxBytes) files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// DRAGOMAN_SEED draws other changes.
std::uint64_t Seed() {
  const char* given = std::getenv("DRAGOMAN_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

// `check` is called for every model that can be read.
template <class Check>
int ForEachModel(Check check) {
  int models = 0;
  for (const fs::path& file : ModelFiles()) {
    const Result<Model> model = ReadOnnx(file.string(), {.require_data = false});
    if (!model.ok()) continue;  // the tests of the reader say which and why
    SCOPED_TRACE(file.string());
    check(*model, testing::Random(Seed() * 1'000'000 + static_cast<std::uint64_t>(++models)));
  }
  return models;
}

TEST(Equality, DisguisedModelsAreEqual) {
  const int models = ForEachModel([](const Model& model, testing::Random random) {
    const Model copy = testing::Disguise(model, random);
    const Result<DiffReport> report = DiffModels(model, copy, {});
    ASSERT_TRUE(report.ok());
    EXPECT_TRUE(report->equal()) << RenderText(*report).substr(0, 2000);
  });
  EXPECT_GT(models, 0);
}

// Into each format that holds any graph, and into ONNX.
TEST(Equality, ModelsComeBackEqualFromEveryFormat) {
  const TestFolder folder;
  const Session session;
  ForEachModel([&](const Model& model, const testing::Random&) {
    if (CountAbsentWeights(model) != 0) return;
    for (const Format& format : session.formats) {
      if (!format.is_container && format.dialect != model.dialect) continue;
      if (format.read == nullptr || format.write == nullptr) continue;
      const std::string path = folder / ("copy" + std::string(format.suffixes.front()));
      ASSERT_TRUE(session.Write(model, path, format).ok()) << format.name;
      const Result<Model> copy = session.Read(path);
      ASSERT_TRUE(copy.ok()) << format.name << ": " << copy.error().ToString();
      const Result<DiffReport> report = DiffModels(model, *copy, {});
      ASSERT_TRUE(report.ok());
      EXPECT_TRUE(report->equal()) << format.name << "\n" << RenderText(*report).substr(0, 2000);
    }
  });
}

TEST(Equality, OneChangeIsFoundAndNamed) {
  int planted = 0, told_otherwise = 0;
  ForEachModel([&](const Model& model, testing::Random random) {
    for (testing::Change change : testing::kChanges) {
      for (int draw = 0; draw < kDraws; ++draw) {
        Model copy = testing::Disguise(model, random, testing::Names::kKept);
        const auto places = testing::Plant(copy, change, random);
        if (!places) continue;
        const Result<DiffReport> report = DiffModels(model, copy, {});
        ASSERT_TRUE(report.ok());
        EXPECT_FALSE(report->equal()) << "planted at " << *places->begin();
        const bool exact =
            std::all_of(report->edits.begin(), report->edits.end(),
                        [&](const Edit& edit) { return places->contains(edit.place_b); });
        ++planted;
        told_otherwise += !exact || report->edits.empty();
      }
    }
  });
  RecordProperty("planted", planted);
  EXPECT_GT(planted, 0);
  EXPECT_LE(told_otherwise, planted / 50);  // twins whose names do not distinguish them
}

}  // namespace
}  // namespace dragoman
