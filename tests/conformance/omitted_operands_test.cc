// SPDX-License-Identifier: Apache-2.0
// What becomes of the cases of ONNX's backend suite when a node lacks one of its operands: each is
// read, or refused, by all targets; a fault would end the test.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "codegen/onednn/codegen.h"
#include "codegen/relax/write_relax.h"
#include "core/rewrite/pipeline.h"
#include "importers/onnx/lower.h"
#include "importers/onnx/read_model.h"
#include "tests/conformance/suite_cases.h"

namespace dragoman {
namespace {

Status ToAllTargets(const Model& source) {
  DRAGOMAN_ASSIGN(Model common, LowerOnnx(source));
  DRAGOMAN_TRY(RunPipeline(common, {}));
  const Result<RelaxModule> module = EmitRelax(common);
  if (!module.ok() && module.error().kind() == ErrorKind::kInternal) return module.error();
  const Result<GeneratedProgram> program = GenerateCpp(common, {});
  return program.ok() ? Status() : program.error();
}

TEST(OmittedOperands, AreLeftOutOrRefused) {
  const std::filesystem::path folder = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "libonnx-testdata is not installed";
  for (const std::filesystem::path& path : CasesIn(folder)) {
    const Result<Model> source = ReadOnnx(path / "model.onnx");
    if (!source.ok() || source->main().num_nodes() != 1 || !IsSelected(*source)) continue;
    for (std::size_t i = 0; i < source->main().first_node()->num_operands(); ++i) {
      SCOPED_TRACE(path.filename().string() + ", operand " + std::to_string(i));
      Model lacking = Clone(*source);
      lacking.main().first_node()->set_operand(i, nullptr);
      const Status status = ToAllTargets(lacking);
      EXPECT_TRUE(status.ok() || status.error().kind() != ErrorKind::kInternal)
          << status.error().ToString();
    }
  }
}

}  // namespace
}  // namespace dragoman
