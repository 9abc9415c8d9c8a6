#include "codegen/onednn/emit/emit_build.h"

#include <algorithm>

#include "codegen/onednn/emit/emit_replay.h"
#include "codegen/onednn/emit/text.h"

namespace dragoman::onednn {
namespace {

// Replaces every @NAME@ of `text`.
std::string Filled(std::string text, std::string_view word, std::string_view value) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
  return text;
}

constexpr std::string_view kCMake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES CXX)
include(GNUInstallDirs)
@FIND@
add_library(@NAME@ STATIC
@SOURCES@)
add_library(@NAME@::@NAME@ ALIAS @NAME@)
target_compile_features(@NAME@ PUBLIC cxx_std_17)
set_target_properties(@NAME@ PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
# Memory is shared between tensors of different element types; nothing asks for errno or traps of
# floating-point functions, which loops that have neither are faster than.
target_compile_options(@NAME@ PRIVATE -Wall -Wextra -fno-strict-aliasing
  -fno-math-errno -fno-trapping-math)
target_compile_definitions(@NAME@ PRIVATE
  "MODEL_WEIGHTS=\"${CMAKE_CURRENT_SOURCE_DIR}/@NAME@.weights\"")
target_include_directories(@NAME@ PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/@NAME@>)
@LINK@if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND
   CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(@NAME@_INFER "Build the program infer" ON)
if(@NAME@_INFER)
  add_executable(@NAME@_infer infer.cc@INFER_SOURCES@)
  set_target_properties(@NAME@_infer PROPERTIES OUTPUT_NAME infer)
  target_compile_options(@NAME@_infer PRIVATE -Wall -Wextra)
  target_link_libraries(@NAME@_infer PRIVATE @NAME@::@NAME@)
@TESTS@endif()

install(TARGETS @NAME@ EXPORT @NAME@-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES @NAME@.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/@NAME@)
install(DIRECTORY runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/@NAME@
  FILES_MATCHING PATTERN "*.h")
install(FILES @NAME@.weights DESTINATION ${CMAKE_INSTALL_DATADIR}/@NAME@)
file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config.cmake"
"@CONFIG_FIND@include(\"\${CMAKE_CURRENT_LIST_DIR}/@NAME@-targets.cmake\")
set(@NAME@_WEIGHTS \"${CMAKE_INSTALL_FULL_DATADIR}/@NAME@/@NAME@.weights\")
")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@NAME@)
install(EXPORT @NAME@-targets NAMESPACE @NAME@::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@NAME@)
)";

// The library comes first: the CMake package of Debian's oneDNN fails without OpenCL's headers.
constexpr std::string_view kFindOneDnn = R"(if(NOT TARGET DNNL::dnnl)
  find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
    add_library(DNNL::dnnl UNKNOWN IMPORTED GLOBAL)
    set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
  else()
    find_package(dnnl CONFIG REQUIRED)
  endif()
endif()
)";

// The same in a string of CMake.
std::string Quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

// Whether a runtime source belongs to the driver alone.
bool IsDriver(std::string_view path) {
  constexpr std::string_view kDriver[] = {"infer_main.cc",    "infer_options.cc", "any_tensor.cc",
                                          "output_folder.cc", "expect.cc",        "npy.cc",
                                          "npz.cc",           "utf8.cc"};
  return std::ranges::any_of(kDriver, [&](std::string_view file) {
    return path == "runtime/program/" + std::string(file);
  });
}

std::string IndexText(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// An input as an argument; one that is no tensor is a variable, which `code` gets.
std::string InputText(const Plan& plan, const PlanInput& input, std::size_t index,
                      CodeWriter& code) {
  const std::string at = IndexText("inputs", index);
  const Buffer& buffer = plan.buffer(input.buffer);
  const std::string element = ElementText(plan, input.buffer);
  if (buffer.IsTensor()) return "{" + at + "[0].data<" + element + ">(), " + at + "[0].shape}";
  const std::string name = "input_" + std::to_string(index);
  code.Line("rt::Sequence<" + element + "> " + name + ";");
  if (buffer.form == Buffer::Form::kOptionalSequence)
    code.Line("if (" + at + ".empty()) " + name + ".Clear(false);");
  code.Line("for (rt::AnyTensor& item : " + at + ")");
  code.Line("  DRAGOMAN_RT_TRY(" + name + ".Append({item.data<" + element + ">(), item.shape}));");
  return name;
}

// The same of an output.
std::string OutputText(const Plan& plan, const PlanOutput& output, std::size_t index,
                       CodeWriter& code) {
  const std::string at = IndexText("outputs", index) + "[0]";
  const Buffer& buffer = plan.buffer(output.value);
  const std::string name = "output_" + std::to_string(index);
  if (buffer.IsTensor()) code.Line(IndexText("outputs", index) + ".resize(1);");
  if (!buffer.IsStatic()) {
    code.Line(HolderText(plan, output.value) + " " + name + ";");
    return name;
  }
  code.Line(at + ".Resize(\"" + std::string(NumpyName(buffer.dtype)) + "\", " +
            ShapeText(plan, *buffer.shape) + ");");
  return "{" + at + ".data<" + ElementText(plan, output.value) + ">(), " + at + ".shape}";
}

// Hands the variable of an output on.
void EmitOutput(const Plan& plan, const PlanOutput& output, std::size_t index, CodeWriter& code) {
  const Buffer& buffer = plan.buffer(output.value);
  if (buffer.IsStatic()) return;
  const std::string at = IndexText("outputs", index);
  const std::string name = "output_" + std::to_string(index);
  const std::string set = ".Set<" + ElementText(plan, output.value) + ">(\"" +
                          std::string(NumpyName(buffer.dtype)) + "\", ";
  if (buffer.IsTensor()) {
    code.Line(at + "[0]" + set + "std::as_const(" + name + ").view());");
    return;
  }
  code.Line(at + ".clear();");
  code.Open("for (std::int64_t i = 0; i < " + name + ".size(); ++i) {");
  code.Line(at + ".emplace_back();");
  code.Line(at + ".back()" + set + name + "[i]);");
  code.Close();
}

void EmitCase(const Plan& plan, std::size_t index, CodeWriter& code) {
  const PlanEntry& entry = plan.entries[index];
  code.Open("case " + std::to_string(index) + ": {");
  std::string arguments;
  auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  for (std::size_t i = 0; i < entry.inputs.size(); ++i)
    add(InputText(plan, entry.inputs[i], i, code));
  for (std::size_t i = 0; i < entry.outputs.size(); ++i)
    add(OutputText(plan, entry.outputs[i], i, code));
  code.Line("const rt::Status status = model_." + entry.method + "(" + arguments + ");");
  code.Line("if (!status.ok()) return status;");
  for (std::size_t i = 0; i < entry.outputs.size(); ++i)
    EmitOutput(plan, entry.outputs[i], i, code);
  code.Line("return status;");
  code.Close();
}

}  // namespace

std::string EmitInfer(const Plan& plan) {
  CodeWriter code;
  const std::string& model = plan.class_name;
  code.Comment("Runs the model from the command line; see --help.");
  code.Line("#include <cstdint>");
  code.Line("#include <utility>");
  code.Line();
  code.Line("#include \"" + plan.name + ".h\"");
  if (plan.precision != rt::Precision::kF32) code.Line("#include \"runtime/fast/precision.h\"");
  code.Line("#include \"runtime/program/infer_main.h\"");
  code.Line();
  code.Line("namespace " + plan.name + " {");
  code.Line("namespace {");
  code.Line();
  code.Line("class Target final : public rt::InferTarget {");
  code.Line(" public:");
  code.Indent();
  code.Line("explicit Target(const Options& options) : model_(options) {}");
  code.Line("rt::Status Call(int entry, std::vector<rt::AnyValue>& inputs,");
  code.Open("                std::vector<rt::AnyValue>& outputs) override {");
  code.Line("static_cast<void>(inputs);");
  code.Line("static_cast<void>(outputs);");
  code.Open("switch (entry) {");
  for (std::size_t i = 0; i < plan.entries.size(); ++i) EmitCase(plan, i, code);
  code.Close();
  code.Line("return rt::Status::Error(\"no such entry\");");
  code.Close();
  code.Line("void SaveState() override { saved_ = model_.state(); }");
  code.Line("rt::Status RestoreState() override { return model_.set_state(saved_); }");
  code.Line("rt::Trace& trace() override { return model_.trace(); }");
  code.Outdent();
  code.Line();
  code.Line(" private:");
  code.Indent();
  code.Line(model + " model_;");
  code.Line("State saved_;");
  code.Close("};");
  code.Line();
  code.Open("std::unique_ptr<rt::InferTarget> Make(const std::string& weights, int threads) {");
  code.Line("Options options;");
  code.Line("options.weights = weights;");
  code.Line("options.threads = threads;");
  if (plan.precision != rt::Precision::kF32) {
    const bool bf16 = plan.precision == rt::Precision::kBF16;
    code.Line("rt::WarnWithoutArithmetic(rt::Precision::" + std::string(bf16 ? "kBF16" : "kF16") +
              ");");
  }
  code.Line("return std::make_unique<Target>(options);");
  code.Close();
  code.Line();
  code.Line("}  // namespace");
  code.Line("}  // namespace " + plan.name);
  code.Line();
  code.Open("int main(int argc, char** argv) {");
  code.Line("return dragoman::rt::InferMain(" + plan.name + "::" + model + "::info(), &" +
            plan.name + "::Make, argc, argv);");
  code.Close();
  return code.Take();
}

std::string EmitCMake(const Plan& plan, std::span<const GeneratedFile> sources,
                      std::span<const RuntimeFile* const> runtime, const CodegenOptions& options) {
  std::string library, infer;
  bool onednn = false;
  for (const GeneratedFile& file : sources) {
    if (file.path.ends_with(".cc") && file.path != "infer.cc") library += "  " + file.path + "\n";
  }
  for (const RuntimeFile* file : runtime) {
    onednn = onednn || file->path.starts_with("runtime/fast/");
    if (!file->path.ends_with(".cc")) continue;
    (IsDriver(file->path) ? infer : library) += "\n  " + std::string(file->path);
  }
  library = Filled(library, "\n\n", "\n");
  if (!library.empty() && library.back() == '\n') library.pop_back();
  const std::string_view find = onednn ? kFindOneDnn : std::string_view();
  const std::string link =
      onednn ? "target_link_libraries(@NAME@ PUBLIC DNNL::dnnl)\n" : std::string();
  std::string text(kCMake);
  text = Filled(std::move(text), "@FIND@\n", find);
  text = Filled(std::move(text), "@CONFIG_FIND@", Quoted(find));
  text = Filled(std::move(text), "@LINK@", link);
  text = Filled(std::move(text), "@SOURCES@", library);
  text = Filled(std::move(text), "@INFER_SOURCES@", Filled(infer, "\n", "\n  "));
  text = Filled(std::move(text), "@TESTS@", EmitReplayTests(options));
  return Filled(std::move(text), "@NAME@", plan.name);
}

}  // namespace dragoman::onednn
