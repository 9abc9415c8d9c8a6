// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/native_programs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "codegen/onednn/emit/emit_weights.h"
#include "codegen/onednn/process.h"
#include "codegen/onednn/runtime_files.h"
#include "core/support/output_file.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// Programs of one source file: the headers that they share are parsed once for all of them.
constexpr std::size_t kProgramsPerFile = 20;

constexpr std::string_view kCMake = R"(cmake_minimum_required(VERSION 3.16)
project(programs LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
add_compile_options(-Wall -Wextra -Werror -fno-strict-aliasing)
file(GLOB_RECURSE runtime "${CMAKE_CURRENT_SOURCE_DIR}/runtime/*.cc")
add_library(runtime STATIC ${runtime})
target_compile_options(runtime PRIVATE -O1)
include(runtime/images/libraries.cmake)
dragoman_link_image_libraries(runtime)
target_include_directories(runtime PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(runtime PUBLIC dnnl pthread)
file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs_*.cc")
add_executable(programs main.cc ${programs})
target_compile_definitions(programs PRIVATE MODEL_WEIGHTS="")
target_link_libraries(programs PRIVATE runtime)
)";

// Leaves a file alone that has this text already.
Status WriteIfChanged(const fs::path& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (file && std::string(std::istreambuf_iterator<char>(file), {}) == text) return {};
  fs::create_directories(path.parent_path());
  return WriteFile(path.string(), text);
}

// The program's own main() becomes a function of the executable.
std::string Included(const std::string& name) {
  return "#define main " + name + "_main\n#include \"" + name + ".cc\"\n#include \"" + name +
         "_infer.cc\"\n#undef main\n";
}

std::string MainText(const std::vector<std::string>& names) {
  std::string text = "#include <string>\n\n";
  for (const std::string& name : names) text += "int " + name + "_main(int, char**);\n";
  text += "\nint main([[maybe_unused]] int argc, char** argv) {\n";
  text += "  const std::string name = argv[1];\n";
  for (const std::string& name : names)
    text += "  if (name == \"" + name + "\") return " + name + "_main(argc - 1, argv + 1);\n";
  return text + "  return 3;\n}\n";
}

std::string FileName(std::size_t number) { return "programs_" + std::to_string(number) + ".cc"; }

Status Succeed(const std::vector<std::string>& command, const fs::path& folder) {
  DRAGOMAN_ASSIGN(ProcessResult result, RunProcess(command, folder));
  if (result.exit_code == 0) return {};
  const std::size_t error = std::min(result.out.find("error:"), result.out.size());
  return Internal("exit code " + std::to_string(result.exit_code) + ": " + result.error +
                  result.out.substr(error, 2000));
}

}  // namespace

Status NativePrograms::Add(const GeneratedProgram& program) {
  const std::string& name = program.plan.name;
  for (const GeneratedFile& file : program.files) {
    if (file.path.starts_with("runtime/") || file.path == "CMakeLists.txt") continue;
    const std::string path = file.path == "infer.cc" ? name + "_infer.cc" : file.path;
    DRAGOMAN_TRY(WriteIfChanged(folder_ / path, file.text));
  }
  DRAGOMAN_ASSIGN(OutputFile weights, OutputFile::Create((folder_ / (name + ".weights")).string()));
  DRAGOMAN_TRY(onednn::WriteWeights(program.plan, weights));
  DRAGOMAN_TRY(weights.Commit());
  names_.push_back(name);
  return {};
}

Status NativePrograms::Build() {
  DRAGOMAN_TRY(WriteIfChanged(folder_ / "CMakeLists.txt", std::string(kCMake)));
  DRAGOMAN_TRY(WriteIfChanged(folder_ / "main.cc", MainText(names_)));
  for (const RuntimeFile& file : RuntimeFiles())
    DRAGOMAN_TRY(WriteIfChanged(folder_ / file.path, std::string(file.text)));
  std::size_t num_files = 0;
  for (std::size_t i = 0; i < names_.size(); i += kProgramsPerFile) {
    std::string text;
    for (std::size_t k = i; k < std::min(i + kProgramsPerFile, names_.size()); ++k)
      text += Included(names_[k]);
    DRAGOMAN_TRY(WriteIfChanged(folder_ / FileName(num_files++), text));
  }
  // Those of a run of more programs.
  while (fs::remove(folder_ / FileName(num_files))) ++num_files;
  const std::string source = folder_.string(), build = (folder_ / "build").string();
  DRAGOMAN_TRY(Succeed({"cmake", "-G", "Ninja", "-S", source, "-B", build}, folder_));
  const std::string jobs = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  return Succeed({"cmake", "--build", build, "--parallel", jobs}, folder_);
}

Status NativePrograms::Run(const std::string& name,
                           const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {(folder_ / "build" / "programs").string(), name, "--weights",
                                      (folder_ / (name + ".weights")).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return Succeed(command, folder_);
}

}  // namespace dragoman
