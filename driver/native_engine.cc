// SPDX-License-Identifier: Apache-2.0
#include "driver/native_engine.h"

#include <filesystem>

#include <fmt/format.h>

#include "codegen/onednn/native.h"
#include "core/support/temporary_folder.h"

namespace dragoman {

namespace fs = std::filesystem;

Result<RunResult> RunNative(const Session& session, const Model& model,
                            const std::vector<NamedArray>& inputs, const RunRequest& request) {
  DRAGOMAN_ASSIGN(const TemporaryFolder scratch, TemporaryFolder::Create());
  std::vector<std::string> arguments = {"--output-dir", (scratch.path() / "out").string()};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path file = scratch.path() / fmt::format("{}.npy", i);
    DRAGOMAN_TRY(WriteNpy(file.string(), inputs[i].array));
    arguments.insert(arguments.end(), {"--input", inputs[i].name + "=" + file.string()});
  }
  if (request.steps) arguments.insert(arguments.end(), {"--steps", *request.steps});
  if (request.repeat > 1)
    arguments.insert(arguments.end(), {"--repeat", std::to_string(request.repeat)});
  if (request.seed != 0)
    arguments.insert(arguments.end(), {"--seed", std::to_string(request.seed)});
  if (request.threads > 1)
    arguments.insert(arguments.end(), {"--threads", std::to_string(request.threads)});
  if (request.profile) arguments.emplace_back("--profile");
  RunResult result;
  NativeOptions options;
  options.plan = request.plan;
  options.line_sink = request.print;
  const auto progress = session.Show("compiling and running the program");
  DRAGOMAN_ASSIGN(result.report, CompileAndRun(model, arguments, options));
  DRAGOMAN_ASSIGN(result.outputs, ReadOutputs(scratch.path() / "out"));
  return result;
}

}  // namespace dragoman
