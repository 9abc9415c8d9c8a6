#include "cli/native_engine.h"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "codegen/onednn/native.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

// A folder for the files of one run, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = (fs::temp_directory_path() / "dragoman-XXXXXX").string();
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

Result<RunResult> RunNative(const Model& model, const std::vector<NamedArray>& inputs,
                            const RunRequest& request) {
  const ScratchFolder scratch;
  if (scratch.path().empty()) return InvalidInput("cannot make a temporary folder");
  std::vector<std::string> arguments = {"--output-dir", (scratch.path() / "out").string()};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const fs::path file = scratch.path() / fmt::format("{}.npy", i);
    DRAGOMAN_TRY(WriteNpy(file.string(), inputs[i].array));
    arguments.insert(arguments.end(), {"--input", inputs[i].name + "=" + file.string()});
  }
  if (request.steps) arguments.insert(arguments.end(), {"--steps", *request.steps});
  if (request.repeat > 1)
    arguments.insert(arguments.end(), {"--repeat", std::to_string(request.repeat)});
  if (request.profile) arguments.emplace_back("--profile");
  RunResult result;
  DRAGOMAN_ASSIGN(result.report, CompileAndRun(model, arguments));
  DRAGOMAN_ASSIGN(result.outputs, ReadOutputs(scratch.path() / "out"));
  return result;
}

}  // namespace dragoman::cli
