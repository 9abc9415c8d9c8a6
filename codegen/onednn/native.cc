// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/native.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "codegen/onednn/bundled_onednn.h"
#include "codegen/onednn/emit/emit_infer.h"
#include "codegen/onednn/emit/emit_weights.h"
#include "codegen/onednn/native_cache.h"
#include "codegen/onednn/process.h"
#include "codegen/onednn/runtime_files.h"
#include "core/support/hash.h"
#include "core/support/output_file.h"
#include "core/support/temporary_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libruntime.a";
constexpr std::string_view kImages = "runtime/images/";

// It is there, and nobody else can write to it.
Result<fs::path> CacheFolder(const NativeOptions& options) {
  Result<fs::path> cache =
      options.cache.empty() ? NativeCacheFolder() : Result<fs::path>(options.cache);
  if (cache.ok()) DRAGOMAN_TRY(SecureNativeCache(*cache));
  return cache;
}

// A new folder in the cache.
Result<TemporaryFolder> NewFolder(const fs::path& cache) {
  Result<TemporaryFolder> folder = TemporaryFolder::Create(cache);
  if (folder.ok()) return folder;
  return InvalidInput("cannot write to the cache; set DRAGOMAN_CACHE").InFile(cache.string());
}

// Takes from others, whatever the user's umask is, the right to write to what was compiled.
Status MakePrivate(const fs::path& file) {
  std::error_code problem;
  const auto others = fs::perms::group_write | fs::perms::others_write;
  fs::permissions(file, others, fs::perm_options::remove, problem);
  if (problem) return InvalidInput("cannot be made private").InFile(file.string());
  return {};
}

// The first line of a compiler's output that is an error: others say where a file is included from.
std::string_view ErrorLine(std::string_view output) {
  const std::size_t error = output.find("error: ");
  if (error == output.npos) return output.substr(0, output.find('\n'));
  const std::size_t start = output.rfind('\n', error) + 1;  // npos + 1 is 0
  return output.substr(start, output.find('\n', error) - start);
}

Status Compile(std::vector<std::string> command, const fs::path& folder) {
  const Result<ProcessResult> result = RunProcess(command, folder);
  if (!result.ok()) {
    const std::string& why = result.error().findings().front().message;
    return InvalidInput(why + "; a C++ compiler is needed: on Debian, install g++");
  }
  if (result->exit_code == 0) return {};
  return Internal(command.front() + " failed: " + std::string(ErrorLine(result->error)))
      .At(command.back());
}

std::vector<std::string> CompileCommand(const NativeOptions& options, const fs::path& object,
                                        const std::string& optimization) {
  std::vector<std::string> command = {options.compiler,
                                      "-std=c++17",
                                      optimization,
                                      "-fno-strict-aliasing",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fPIC",
                                      "-fvisibility=hidden",
                                      "-w",
                                      "-c",
                                      "-o",
                                      object.string()};
  if (const std::optional<BundledOneDnn> bundled = FindBundledOneDnn())
    command.push_back("-I" + bundled->headers.string());
  return command;
}

std::vector<std::string> LinkOneDnn() {
  const std::optional<BundledOneDnn> bundled = FindBundledOneDnn();
  if (!bundled) return {"-ldnnl"};
  return {bundled->library.string(), "-Wl,-rpath," + bundled->library.parent_path().string()};
}

// Those of dragoman that are still there to compile with.
std::vector<ImageLibrary> InstalledImageLibraries() {
  std::vector<ImageLibrary> installed;
  std::ranges::copy_if(ImageLibraries(), std::back_inserter(installed), [](const ImageLibrary& it) {
    return fs::exists(it.headers) && fs::exists(it.library);
  });
  return installed;
}

std::uint64_t RuntimeHash(const NativeOptions& options) {
  std::uint64_t hash = HashString(options.compiler + " " + options.optimization);
  for (const std::string& word : LinkOneDnn()) hash = HashCombine(hash, HashString(word));
  for (const ImageLibrary& image : InstalledImageLibraries())
    hash = HashCombine(hash, HashString(image.library));
  for (const RuntimeFile& file : RuntimeFiles())
    hash = HashCombine(HashCombine(hash, HashString(file.path)), HashString(file.text));
  return hash;
}

// All of runtime/, its headers and a library of its sources.
Result<fs::path> BuildRuntime(const NativeOptions& options, const fs::path& cache,
                              std::uint64_t hash) {
  const fs::path target = cache / fmt::format("runtime-{:016x}", hash);
  if (fs::exists(target / kLibrary)) {
    DRAGOMAN_TRY(CheckOurs(target / kLibrary));
    MarkUsed(target);
    return target;
  }
  DRAGOMAN_ASSIGN(TemporaryFolder folder, NewFolder(cache));
  for (const RuntimeFile& file : RuntimeFiles()) {
    const fs::path path = folder.path() / file.path;
    static_cast<void>(folder.MakeFolder(fs::path(file.path).parent_path()));  // writing says it
    DRAGOMAN_TRY(WriteFile(path.string(), file.text));
  }
  std::vector<std::string> archive = {"ar", "rcs", (folder.path() / kLibrary).string()};
  for (const RuntimeFile& file : RuntimeFiles()) {
    if (!file.path.ends_with(".cc")) continue;
    const fs::path object = folder.path() / (std::string(file.path) + ".o");
    std::vector<std::string> command = CompileCommand(options, object, options.optimization);
    command.push_back("-I" + folder.path().string());
    if (file.path.starts_with(kImages)) {
      for (const ImageLibrary& image : InstalledImageLibraries()) {
        command.push_back(std::string("-DDRAGOMAN_RT_") + image.format);
        command.insert(command.end(), {"-idirafter", image.headers});
      }
    }
    command.push_back((folder.path() / file.path).string());
    DRAGOMAN_TRY(Compile(std::move(command), folder.path()));
    archive.push_back(object.string());
  }
  DRAGOMAN_TRY(Compile(std::move(archive), folder.path()));
  DRAGOMAN_TRY(MakePrivate(folder.path() / kLibrary));
  DRAGOMAN_TRY(folder.Publish(target));
  return target;
}

bool IsModelFile(const GeneratedFile& file) {
  return !file.path.starts_with("runtime/") && file.path != "CMakeLists.txt";
}

std::uint64_t ProgramHash(const GeneratedProgram& program, std::uint64_t runtime) {
  std::uint64_t hash = HashCombine(runtime, onednn::WeightsIdentity(program.plan));
  for (const GeneratedFile& file : program.files) {
    if (IsModelFile(file))
      hash = HashCombine(HashCombine(hash, HashString(file.path)), HashString(file.text));
  }
  return hash;
}

// `output` is a program, or with -shared among `flags` a library.
Status BuildProgram(const GeneratedProgram& program, const NativeOptions& options,
                    const std::string& output, const std::vector<std::string>& flags,
                    const fs::path& runtime, const fs::path& folder) {
  const std::string weights_path = (folder / (program.plan.name + ".weights")).string();
  DRAGOMAN_ASSIGN(OutputFile weights, OutputFile::Create(weights_path));
  DRAGOMAN_TRY(onednn::WriteWeights(program.plan, weights));
  DRAGOMAN_TRY(weights.Commit());
  for (const GeneratedFile& file : program.files) {
    if (IsModelFile(file)) DRAGOMAN_TRY(WriteFile((folder / file.path).string(), file.text));
  }
  std::vector<std::string> link = {options.compiler, "-o", (folder / output).string()};
  link.insert(link.end(), flags.begin(), flags.end());
  for (const GeneratedFile& file : program.files) {
    if (!IsModelFile(file) || !file.path.ends_with(".cc")) continue;
    const fs::path object = folder / (file.path + ".o");
    const bool driver = file.path == "infer.cc";
    std::vector<std::string> command =
        CompileCommand(options, object, driver ? "-O0" : options.optimization);
    command.insert(command.end(), {"-DMODEL_WEIGHTS=\"\"", "-I" + folder.string(),
                                   "-I" + runtime.string(), (folder / file.path).string()});
    DRAGOMAN_TRY(Compile(std::move(command), folder));
    link.push_back(object.string());
  }
  link.push_back((runtime / kLibrary).string());
  std::ranges::move(LinkOneDnn(), std::back_inserter(link));
  link.emplace_back("-lpthread");
  const bool decodes = std::ranges::any_of(
      program.files, [](const GeneratedFile& file) { return file.path.starts_with(kImages); });
  for (const ImageLibrary& image : InstalledImageLibraries()) {
    if (decodes) link.emplace_back(image.library);
  }
  DRAGOMAN_TRY(Compile(std::move(link), folder));
  return MakePrivate(folder / output);
}

void ForEachLine(std::string_view text, const std::function<void(std::string_view)>& sink) {
  while (sink && !text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    sink(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

constexpr char kProgram[] = "infer";
constexpr char kModelLibrary[] = "model.so";

Result<GeneratedProgram> Generate(const Model& model, const NativeOptions& options) {
  CodegenOptions codegen;
  codegen.name = "native";
  codegen.plan = options.plan;
  return GenerateCpp(model, codegen);
}

// The folder of the cache that holds `output`, compiled now unless it has been.
Result<fs::path> Build(const GeneratedProgram& program, const NativeOptions& options,
                       const std::string& output, const std::vector<std::string>& flags) {
  DRAGOMAN_ASSIGN(const fs::path cache, CacheFolder(options));
  const std::uint64_t runtime_hash = RuntimeHash(options);
  const std::uint64_t hash = ProgramHash(program, runtime_hash);
  const fs::path target = cache / fmt::format("model-{:016x}", hash);
  if (!fs::exists(target / output)) {
    DRAGOMAN_ASSIGN(fs::path runtime, BuildRuntime(options, cache, runtime_hash));
    DRAGOMAN_ASSIGN(TemporaryFolder folder, NewFolder(cache));
    DRAGOMAN_TRY(BuildProgram(program, options, output, flags, runtime, folder.path()));
    DRAGOMAN_TRY(folder.Publish(target));
    TrimNativeCache(cache, NativeCacheLimit());
  }
  DRAGOMAN_TRY(CheckOurs(target / output));
  MarkUsed(target);
  return target;
}

}  // namespace

Result<NativeProgram> BuildNative(const Model& model, const NativeOptions& options) {
  DRAGOMAN_ASSIGN(const GeneratedProgram program, Generate(model, options));
  DRAGOMAN_ASSIGN(const fs::path folder, Build(program, options, kProgram, {}));
  return NativeProgram{folder, folder / kProgram, folder / "native.weights"};
}

Result<NativeLibrary> BuildNativeLibrary(const Model& model, const NativeOptions& options) {
  DRAGOMAN_ASSIGN(GeneratedProgram program, Generate(model, options));
  const auto infer =
      std::ranges::find(program.files, onednn::InferFile(program.plan), &GeneratedFile::path);
  infer->text = onednn::EmitLoadedModel(program.plan);
  DRAGOMAN_ASSIGN(const fs::path folder,
                  Build(program, options, kModelLibrary, {"-shared", "-Wl,-Bsymbolic"}));
  return NativeLibrary{folder / kModelLibrary, folder / "native.weights"};
}

Result<std::string> CompileAndRun(const Model& model, const std::vector<std::string>& arguments,
                                  const NativeOptions& options) {
  DRAGOMAN_ASSIGN(NativeProgram program, BuildNative(model, options));
  DRAGOMAN_ASSIGN(TemporaryFolder folder, NewFolder(program.folder.parent_path()));
  std::vector<std::string> command = {program.infer.string(), "--weights",
                                      program.weights.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  DRAGOMAN_ASSIGN(ProcessResult result, RunProcess(command, folder.path()));
  const std::string prefix = command.front() + ": error: ";
  const std::size_t error = std::min(result.error.rfind(prefix), result.error.size());
  ForEachLine(std::string_view(result.error).substr(0, error), options.line_sink);
  if (result.exit_code == 0) return std::move(result.out);
  std::string message = result.error.substr(std::min(error + prefix.size(), result.error.size()));
  message.resize(std::min(message.find('\n'), message.size()));
  if (result.exit_code == 2) return InvalidInput(std::move(message));
  if (result.exit_code == 4) return Unsupported(std::move(message));
  return Internal("the generated program ended with exit code " + std::to_string(result.exit_code) +
                  ": " + message);
}

}  // namespace dragoman
