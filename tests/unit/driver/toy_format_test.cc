// SPDX-License-Identifier: Apache-2.0
// A format that is added by one folder (tests/support/toy) and one row reaches every target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/print.h"
#include "core/support/output_file.h"
#include "driver/run_model.h"
#include "driver/session.h"
#include "driver/targets.h"
#include "tests/support/toy/toy.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Format ToyFormat() {
  return {.name = "toy",
          .suffixes = {".toy", ".toys"},
          .what = "a few lines of text",
          .detect =
              [](const Candidate& candidate) {
                return toy::IsToy(candidate.Head()) ? Likeness::kCertain : Likeness::kNone;
              },
          .read = [](const std::string& path, const ReadOptions&) { return toy::ReadToy(path); },
          .dialect = toy::kDialect,
          .ordered = {toy::kDialect},
          .lower = toy::LowerToy,
          .cut = toy::CutToy};
}

class ToyFormatTest : public ::testing::Test {
 protected:
  ToyFormatTest() {
    session_.formats.push_back(ToyFormat());
    session_.warn = [this](const Finding& warning) {
      warnings_.push_back(warning.file.empty() ? warning.message : "a file: " + warning.message);
    };
  }

  std::string File(const std::string& name, const std::string& statements) {
    const std::string path = folder_ / name;
    EXPECT_TRUE(WriteFile(path, "toy 1\n" + statements).ok());
    return path;
  }

  Model Read(const std::string& path) {
    Result<Model> model = session_.Read(path);
    EXPECT_TRUE(model.ok()) << model.error().ToString();
    return model.ok() ? std::move(*model) : Model();
  }

  Model Common(const std::string& statements) {
    Result<Model> model = session_.ToCommon(Read(File("common.toy", statements)));
    EXPECT_TRUE(model.ok()) << model.error().ToString();
    return model.ok() ? std::move(*model) : Model();
  }

  const Format& Named(const std::string& name) { return **FormatByName(session_.formats, name); }

  // The elements of the only output for x = 1, 2, 3.
  std::vector<float> Run(const Model& model, const std::string& engine) {
    RunRequest request;
    request.engine = engine;
    const Result<Array> input =
        Array::FromTensor(Tensor::Of<float>({3}, std::vector<float>{1, 2, 3}));
    const Result<RunResult> result = RunModel(session_, model, {{"x", ToNpy(*input)}}, request);
    EXPECT_TRUE(result.ok()) << result.error().ToString();
    if (!result.ok()) return {};
    const Tensor output = result->outputs.front().second.ToTensor();
    const auto elements = output.data<float>();
    return {elements.begin(), elements.end()};
  }

  TestFolder folder_;
  Session session_;
  std::vector<std::string> warnings_;
};

constexpr char kProgram[] =
    "in x 3\n"
    "a = twice x\n"
    "y = add a x\n"
    "out y\n";

TEST_F(ToyFormatTest, IsRecognizedByContentOrSuffix) {
  EXPECT_EQ(Read(File("model.txt", kProgram)).dialect, "toy");
  EXPECT_EQ((*FormatOfOutput(session_.formats, "model.toys"))->name, "toy");
  session_.formats.back().detect = nullptr;
  EXPECT_EQ(Read(File("model.toys", kProgram)).dialect, "toy");
  const Result<Model> other = session_.Read(File("model.txt", kProgram));
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().ToString(), HasSubstr("neither content nor suffix"));
}

TEST_F(ToyFormatTest, SourceGraphIsWhatTheFileSays) {
  EXPECT_EQ(PrintGraph(Read(File("model.toy", kProgram)).main()),
            "graph(%x: f32[3]) -> (%y) {\n"
            "  %a = toy.twice(%x) @a\n"
            "  %y = toy.add(%a, %x) @y\n"
            "}\n");
}

TEST_F(ToyFormatTest, ReachesOnnx) {
  const std::string path = folder_ / "model.onnx";
  ASSERT_TRUE(session_.Write(Common(kProgram), path, Named("onnx")).ok());
  EXPECT_THAT(Run(Read(path), "interpreter"), ElementsAre(3, 6, 9));
}

TEST_F(ToyFormatTest, ReachesRelax) {
  const Result<std::string> text = session_.Print(Common(kProgram), Named("relax"));
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_THAT(*text, HasSubstr("R.add(lv, x)"));
}

TEST_F(ToyFormatTest, RunsInBothEngines) {
  const Model source = Read(File("model.toy", kProgram));
  EXPECT_THAT(Run(source, "interpreter"), ElementsAre(3, 6, 9));
  EXPECT_THAT(Run(source, "native"), ElementsAre(3, 6, 9));
}

TEST_F(ToyFormatTest, BecomesAProgram) {
  const std::string program = folder_ / "toy_cpp";
  const Status status = session_.Generate(Common(kProgram), program, "toy");
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  EXPECT_TRUE(std::filesystem::exists(program + "/CMakeLists.txt"));
  EXPECT_TRUE(std::filesystem::exists(program + "/toy.h"));
  EXPECT_THAT(session_.Generate(Common(kProgram), program, "3").error().ToString(),
              HasSubstr("a program cannot be called \"3\"; \"_3\" is possible"));
}

TEST_F(ToyFormatTest, TakesFacts) {
  const Model source = Read(File("model.toy", "in x n 2\ny = root x\nout y\n"));
  Facts facts;
  facts.dims.emplace("n", Dim(4));
  const Result<Model> common = session_.Lower(source, facts);
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_EQ(common->main().output(0)->type().ToString(), "f32[4, 2]");
  facts.dims.emplace("m", Dim(4));
  EXPECT_EQ(session_.Lower(source, facts).error().ToString(),
            "error: --dim m: no size is called so; symbols are 'n'");
}

TEST_F(ToyFormatTest, SurvivesContainers) {
  const Model source = Read(File("model.toy", kProgram));
  const std::string path = folder_ / "copy.dgt";
  ASSERT_TRUE(session_.Write(source, path, Named("text")).ok());
  const Model copy = Read(path);
  EXPECT_TRUE(session_.Diff(source, copy)->equal());
  EXPECT_THAT(Run(copy, "interpreter"), ElementsAre(3, 6, 9));
}

TEST_F(ToyFormatTest, EveryTargetAnswers) {
  const Model common = Common("in x 3\nshow x\ny = root x\nout y\n");
  std::string answers;
  for (const Target& target : TargetsOf(session_.formats)) {
    const Status status = target.check(common);
    answers += std::string(target.name) + (status.ok() ? " yes" : " " + status.error().ToString());
    answers += "\n";
  }
  EXPECT_EQ(answers, "onnx yes\npt2 yes\nrelay yes\nrelax yes\ncpp yes\nrun yes\n");
}

TEST_F(ToyFormatTest, OperatorsWithoutLoweringAreAllListed) {
  const Model source =
      Read(File("model.toy", "in x 3\na = cube x\nb = add a x\nc = curl x\nout b\nout c\n"));
  const Result<Model> common = session_.ToCommon(source);
  ASSERT_FALSE(common.ok());
  EXPECT_EQ(common.error().ToString(),
            "node 'a' (toy.cube): error: the operator has no lowering\n"
            "node 'c' (toy.curl): error: the operator has no lowering");
}

TEST_F(ToyFormatTest, WhatIsCutOffIsNeverLowered) {
  const Model source = Read(File("model.toy", "in x 3\na = twice x\nb = cube a\nout b\n"));
  ASSERT_FALSE(session_.ToCommon(source).ok());
  const Result<Model> common = session_.ToCommon(source, {.cut_outputs = {"a"}});
  ASSERT_TRUE(common.ok()) << common.error().ToString();
  EXPECT_THAT(Run(*common, "interpreter"), ElementsAre(2, 4, 6));
  EXPECT_EQ(source.main().num_nodes(), 2u) << "the source itself stays";
}

TEST_F(ToyFormatTest, OrderOfStatementsCounts) {
  const Model ab = Read(File("ab.toy", "in x 3\na = root x\nshow x\nshow a\nout a\n"));
  const Model ba = Read(File("ba.toy", "in x 3\na = root x\nshow a\nshow x\nout a\n"));
  EXPECT_FALSE(session_.Diff(ab, ba)->equal());
  EXPECT_TRUE(session_.Diff(ab, ab)->equal());
}

TEST_F(ToyFormatTest, WarningsGoToTheSinkOrAreErrors) {
  const Model common = Common("in x 3\nshow x\ny = root x\nout y\n");
  const std::string path = folder_ / "model.onnx";
  EXPECT_THAT(warnings_, ElementsAre());
  ASSERT_TRUE(session_.Write(common, path, Named("onnx")).ok());
  EXPECT_THAT(warnings_,
              ElementsAre("a file: node '' (dragoman.Print) is omitted: ONNX has no such effect"));
  session_.strict = true;
  const Status refused = session_.Write(common, path, Named("onnx"));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().ToString(), HasSubstr("--strict forbids omitting it"));

  const Model empty = Read(File("empty.toy", "in x 3\n"));
  EXPECT_FALSE(session_.ToCommon(empty).ok());
  session_.strict = false;
  EXPECT_TRUE(session_.ToCommon(empty).ok());
  EXPECT_EQ(warnings_.back(), "the program has no output");
}

TEST_F(ToyFormatTest, DamageIsReportedWithItsLine) {
  const auto error = [&](const std::string& statements) {
    const std::string path = File("bad.toy", statements);
    const std::string text = session_.Read(path).error().ToString();
    return text.substr(text.find(path) + path.size());
  };
  EXPECT_EQ(error("in x 3\ny = add x z\n"), ":3: error: 'z' is not defined");
  EXPECT_EQ(error("in x 3\nin x 3\n"), ":3: error: 'x' is defined twice");
  EXPECT_EQ(error("hello\n"), ":2: error: no statement");
}

}  // namespace
}  // namespace dragoman
