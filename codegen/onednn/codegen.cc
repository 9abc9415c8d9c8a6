// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/codegen.h"

#include <algorithm>

#include "codegen/onednn/emit/emit_build.h"
#include "codegen/onednn/emit/emit_infer.h"
#include "codegen/onednn/emit/emit_replay.h"
#include "codegen/onednn/emit/emit_source.h"
#include "codegen/onednn/emit/emit_used.h"
#include "codegen/onednn/emit/emit_weights.h"
#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/unsupported.h"
#include "codegen/onednn/program_name.h"
#include "codegen/onednn/runtime_closure.h"
#include "codegen/onednn/versioned_runtime.h"
#include "core/support/output_file.h"
#include "core/support/text.h"

namespace dragoman {

bool CppHasOp(const OpDef& def) { return onednn::HasSteps(def); }

Result<GeneratedProgram> GenerateCpp(const Model& model, const CodegenOptions& options) {
  DRAGOMAN_TRY(CheckProgramName(options.name));
  DRAGOMAN_ASSIGN(onednn::Plan plan, onednn::MakePlan(model, options.name, options.plan));
  GeneratedProgram program;
  program.files = onednn::EmitSources(plan, options.embed_weights);
  const std::vector<const RuntimeFile*> used = onednn::RuntimeClosure(program.files);
  program.files.push_back({onednn::InferFile(plan), onednn::EmitInfer(plan)});
  if (options.loadable)
    program.files.push_back({onednn::LoadableFile(plan), onednn::EmitLoadedModel(plan)});
  const std::vector<const RuntimeFile*> runtime = onednn::RuntimeClosure(program.files);
  program.files.push_back(
      {"CMakeLists.txt", onednn::EmitCMake(plan, program.files, runtime, used, options)});
  DRAGOMAN_TRY(onednn::AddReplayData(options.cases, program.files));
  for (const RuntimeFile* file : runtime) {
    const bool is_used = file->path == onednn::kUsedHeader;
    const std::string own = is_used ? onednn::EmitUsed(plan, file->text) : std::string(file->text);
    program.files.push_back({std::string(file->path), InProgram({file->path, own}, options.name)});
  }
  std::ranges::sort(program.files, {}, &GeneratedFile::path);
  program.plan = std::move(plan);
  return program;
}

Status CheckCpp(const Model& model) {
  const Result<onednn::Plan> plan = onednn::MakePlan(model, CodegenOptions().name, {});
  return plan.ok() ? Status() : plan.error();
}

Status WriteProgram(const GeneratedProgram& program, const std::filesystem::path& folder) {
  DRAGOMAN_ASSIGN(OutputFolder output, OutputFolder::Create(folder.string()));
  for (const GeneratedFile& file : program.files)
    DRAGOMAN_TRY(output.WriteFile(file.path, file.text));
  DRAGOMAN_ASSIGN(OutputFile weights, output.AddFile(program.plan.name + ".weights"));
  DRAGOMAN_TRY(onednn::WriteWeights(program.plan, weights));
  DRAGOMAN_TRY(weights.Commit());
  return output.Commit();
}

Status WriteProgram(const Model& model, const std::filesystem::path& folder,
                    const CodegenOptions& options) {
  DRAGOMAN_ASSIGN(GeneratedProgram program, GenerateCpp(model, options));
  return WriteProgram(program, folder);
}

}  // namespace dragoman
