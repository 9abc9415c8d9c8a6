// Nodes that draw random numbers are refused as not supported, before the run where that is known.
#include <gtest/gtest.h>

#include <string>

#include "core/interpreter/interpreter.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

// "unsupported: MESSAGE" or "invalid: MESSAGE" of the first step that fails, or "runs".
std::string Outcome(const std::string& body) {
  const Result<Model> model = ParseText("graph g() -> (%y) {\n" + body + "\n}");
  if (!model.ok()) return model.error().ToString();
  auto tell = [](const Error& error) {
    const bool unsupported = error.kind() == ErrorKind::kUnsupported;
    return (unsupported ? "unsupported: " : "invalid: ") + error.findings().front().message;
  };
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return "made, " + tell(interpreter.error());
  const auto values = interpreter->Run(model->entries[0], {});
  return values.ok() ? "runs" : "run, " + tell(values.error());
}

std::string Dropout(const std::string& ratio, const std::string& training) {
  return Outcome("const %x: f32[2] = [1, 2]\nconst %r: f32[] = " + ratio +
                 "\nconst %t: bool[] = " + training + "\n%y = onnx.Dropout(%x, %r, %t)");
}

TEST(RandomTest, GeneratorsAreRefusedBeforeTheRun) {
  EXPECT_EQ(Outcome("const %x: f32[2] = [0, 1]\n%y = onnx.Bernoulli(%x) {seed = 1.0}"),
            "made, unsupported: it draws random numbers");
}

TEST(RandomTest, DropoutIsRefusedOnlyWhereItDraws) {
  EXPECT_EQ(Dropout("0.5", "true"), "made, unsupported: in training mode it draws random numbers");
  EXPECT_EQ(Dropout("0.5", "false"), "runs");
  EXPECT_EQ(Dropout("0", "true"), "runs");
}

TEST(RandomTest, TrainingThatOnlyTheRunTellsIsNoFaultOfTheInput) {
  EXPECT_EQ(Outcome("const %x: f32[2] = [1, 2]\nconst %f: bool[] = false\n%t = onnx.Not(%f)\n"
                    "%y = onnx.Dropout(%x, _, %t)"),
            "run, unsupported: dropout in training mode is not supported");
}

}  // namespace
}  // namespace dragoman
