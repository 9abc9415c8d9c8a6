#include "codegen/onednn/native.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/onednn/codegen.h"
#include "core/support/hash.h"
#include "core/support/process.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path CacheFolder() {
  if (std::string folder = Variable("DRAGOMAN_CACHE"); !folder.empty()) return folder;
  if (std::string folder = Variable("XDG_CACHE_HOME"); !folder.empty())
    return fs::path(folder) / "dragoman";
  if (std::string folder = Variable("HOME"); !folder.empty())
    return fs::path(folder) / ".cache" / "dragoman";
  return fs::temp_directory_path() / fmt::format("dragoman-{}", getuid());
}

std::string Compiler() {
  const std::string compiler = Variable("CXX");
  return compiler.empty() ? "c++" : compiler;
}

bool IsSource(const GeneratedFile& file) { return file.path.ends_with(".cc"); }
bool IsRuntime(const GeneratedFile& file) { return file.path.starts_with("runtime/"); }

// Of everything that the compiler sees, and of the weights.
std::string KeyOf(const GeneratedProgram& program) {
  std::uint64_t hash = HashString(Compiler());
  for (const GeneratedFile& file : program.files) {
    hash = HashString(file.text, HashString(file.path, hash));
  }
  for (const onednn::WeightTensor& weight : program.plan.weights) {
    hash = HashCombine(hash, weight.tensor.Hash());
  }
  return fmt::format("{:016x}", hash);
}

Status Run(const std::vector<std::string>& arguments) {
  DRAGOMAN_ASSIGN(ProcessResult result, RunProcess(arguments));
  if (result.exit_code == 0) return {};
  return Internal(fmt::format("'{}' failed with exit code {}:\n{}", fmt::join(arguments, " "),
                              result.exit_code, result.output));
}

// One object file; a finished one takes its name at once, so that parallel calls do not meet.
Status Compile(const fs::path& folder, const std::string& source, const fs::path& object) {
  std::error_code error;
  fs::create_directories(object.parent_path(), error);
  const fs::path unfinished = object.string() + fmt::format(".{}", getpid());
  DRAGOMAN_TRY(
      Run({Compiler(), "-std=c++17", "-O2", "-fno-strict-aliasing", "-pthread", "-I",
           folder.string(), "-DMODEL_WEIGHTS=\"" + (folder / "model.weights").string() + "\"", "-c",
           (folder / source).string(), "-o", unfinished.string()}));
  fs::rename(unfinished, object, error);
  if (error) return InvalidInput(error.message()).InFile(object.string());
  return {};
}

// The objects of runtime sources depend on the runtime alone, and stay for the next program.
Result<std::vector<std::string>> CompileAll(const GeneratedProgram& program,
                                            const fs::path& folder) {
  std::vector<std::string> objects;
  for (const GeneratedFile& file : program.files) {
    if (!IsSource(file)) continue;
    fs::path object = folder / "objects" / (file.path + ".o");
    if (IsRuntime(file)) {
      std::uint64_t hash = HashString(Compiler());
      for (const GeneratedFile& other : program.files) {
        if (IsRuntime(other)) hash = HashString(other.text, hash);
      }
      object = CacheFolder() / fmt::format("runtime-{:016x}", hash) / (file.path + ".o");
    }
    std::error_code ignored;
    if (!fs::exists(object, ignored)) DRAGOMAN_TRY(Compile(folder, file.path, object));
    objects.push_back(object.string());
  }
  return objects;
}

bool UsesOneDnn(const GeneratedProgram& program) {
  for (const GeneratedFile& file : program.files) {
    if (file.path.starts_with("runtime/fast/")) return true;
  }
  return false;
}

}  // namespace

Result<fs::path> BuildNative(const Model& model) {
  DRAGOMAN_ASSIGN(GeneratedProgram program, GenerateCpp(model, {}));
  const fs::path folder = CacheFolder() / KeyOf(program);
  const fs::path infer = folder / "infer";
  std::error_code error;
  if (fs::exists(infer, error)) return infer;
  fs::create_directories(folder.parent_path(), error);
  if (error) return InvalidInput(error.message()).InFile(folder.parent_path().string());
  DRAGOMAN_TRY(WriteProgram(program, folder));
  DRAGOMAN_ASSIGN(std::vector<std::string> objects, CompileAll(program, folder));
  const fs::path unfinished = folder / fmt::format("infer.{}", getpid());
  std::vector<std::string> link = {Compiler(), "-pthread", "-o", unfinished.string()};
  link.insert(link.end(), objects.begin(), objects.end());
  if (UsesOneDnn(program)) link.emplace_back("-ldnnl");
  DRAGOMAN_TRY(Run(link));
  fs::rename(unfinished, infer, error);
  if (error) return InvalidInput(error.message()).InFile(infer.string());
  return infer;
}

}  // namespace dragoman
