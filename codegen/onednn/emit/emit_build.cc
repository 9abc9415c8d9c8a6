// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_build.h"

#include <algorithm>

#include "codegen/onednn/emit/emit_infer.h"
#include "codegen/onednn/emit/emit_replay.h"
#include "codegen/onednn/emit/emit_source.h"
#include "codegen/onednn/emit/text.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kCMake = R"(cmake_minimum_required(VERSION 3.16)
project(@NAME@ LANGUAGES CXX)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
@FIND@
add_library(@NAME@ STATIC
@SOURCES@)
add_library(@NAME@::@NAME@ ALIAS @NAME@)
target_compile_features(@NAME@ PUBLIC cxx_std_17)
# Most of compiling goes on headers that the sources share. A cache of compiled files knows each
# source of the runtime already, if that is compiled alone.
set_target_properties(@NAME@ PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
  UNITY_BUILD_BATCH_SIZE 0)
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set_target_properties(@NAME@ PROPERTIES UNITY_BUILD ON)
endif()
@ALONE@# Memory is shared between tensors of different element types; nothing asks for errno or traps of
# floating-point functions, which loops that have neither are faster than. With -O2 alone, g++
# before 13 leaves most loops without vectors. In one unit, it warns of types in anonymous namespaces
# that others have as members, as if the sources were headers.
target_compile_options(@NAME@ PRIVATE -Wall -Wextra -fno-strict-aliasing
  -fno-math-errno -fno-trapping-math
  $<$<CXX_COMPILER_ID:GNU>:-ftree-vectorize -fvect-cost-model=dynamic -Wno-subobject-linkage>)
target_compile_definitions(@NAME@ PRIVATE
  "MODEL_WEIGHTS=\"${CMAKE_CURRENT_SOURCE_DIR}/@NAME@.weights\"")
@EMBED@target_include_directories(@NAME@ PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/@NAME@>)
@LINK@if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # Fast also where the project around it chooses no build type.
  target_compile_options(@NAME@ PRIVATE -O3)
  if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
endif()

option(@NAME@_INFER "Build the program infer" ON)
if(@NAME@_INFER)
  add_executable(@NAME@_infer @INFER_FILE@@INFER_SOURCES@)
  # Its time is the library's, so nothing is optimised; most of compiling it goes on headers that its
  # sources share.
  set_target_properties(@NAME@_infer PROPERTIES OUTPUT_NAME infer UNITY_BUILD ON
    UNITY_BUILD_BATCH_SIZE 0)
  target_compile_options(@NAME@_infer PRIVATE -Wall -Wextra -O0)
  target_link_libraries(@NAME@_infer PRIVATE @NAME@::@NAME@)
@TESTS@endif()
@LOADABLE@
install(TARGETS @NAME@ EXPORT @NAME@-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES @NAME@.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/@NAME@)
install(DIRECTORY runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/@NAME@
  FILES_MATCHING PATTERN "*.h" PATTERN "LICENSE")
@INSTALL_WEIGHTS@file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config.cmake"
"@CONFIG_FIND@include(\"\${CMAKE_CURRENT_LIST_DIR}/@NAME@-targets.cmake\")
@CONFIG_WEIGHTS@")
# The release of dragoman that wrote this.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config-version.cmake"
  VERSION @RELEASE@ COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/@NAME@-config-version.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@NAME@)
install(EXPORT @NAME@-targets NAMESPACE @NAME@::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/@NAME@)
)";

// The library comes first: the CMake package of Debian's oneDNN fails without OpenCL's headers.
constexpr std::string_view kChooseOneDnn =
    R"(option(@NAME@_DNNL "Compute with oneDNN; else with plain loops, which are slower" ON)
)";
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

constexpr std::string_view kLinkOneDnn = R"(if(@NAME@_DNNL)
  target_link_libraries(@NAME@ PUBLIC DNNL::dnnl)
else()
  target_include_directories(@NAME@ PRIVATE runtime/plain)
endif()
)";

// Parts of a large program are as large as the runtime; headers of image libraries define macros.
constexpr std::string_view kImages = "runtime/images/";
constexpr std::string_view kAlone =
    R"(set_source_files_properties(@FILES@
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
)";

constexpr std::string_view kLinkImageLibraries =
    R"(include("${CMAKE_CURRENT_SOURCE_DIR}/runtime/images/libraries.cmake")
dragoman_link_image_libraries(@NAME@)
)";

// The package is found where it is, whatever prefix it was installed below: a program that uses it
// gets the place of the weights in its Options.
constexpr std::string_view kInstallWeights =
    R"(install(FILES @NAME@.weights DESTINATION ${CMAKE_INSTALL_DATADIR}/@NAME@)
file(RELATIVE_PATH @NAME@_DATA "/${CMAKE_INSTALL_LIBDIR}/cmake/@NAME@"
  "/${CMAKE_INSTALL_DATADIR}/@NAME@")
)";
constexpr std::string_view kConfigWeights =
    R"(get_filename_component(@NAME@_WEIGHTS
  \"\${CMAKE_CURRENT_LIST_DIR}/${@NAME@_DATA}/@NAME@.weights\" ABSOLUTE)
set_property(TARGET @NAME@::@NAME@ APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
  \"@WEIGHTS_MACRO@=\\\"\${@NAME@_WEIGHTS}\\\"\")
)";

// The weights are part of an object file.
constexpr std::string_view kEmbed =
    R"(set_source_files_properties(@NAME@_weights.cc PROPERTIES
  OBJECT_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/@NAME@.weights")
)";

// What Dragoman's Python module loads.
constexpr std::string_view kLoadable =
    R"(
add_library(@NAME@_loadable MODULE @NAME@_loadable.cc runtime/program/any_tensor.cc)
set_target_properties(@NAME@_loadable PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
target_link_libraries(@NAME@_loadable PRIVATE @NAME@::@NAME@)
target_link_options(@NAME@_loadable PRIVATE -Wl,-Bsymbolic)
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

}  // namespace

std::string EmitCMake(const Plan& plan, std::span<const GeneratedFile> sources,
                      std::span<const RuntimeFile* const> runtime,
                      std::span<const RuntimeFile* const> used, const CodegenOptions& options) {
  std::string library, infer, alone;
  bool onednn = false, images = false;
  for (const GeneratedFile& file : sources) {
    const bool is_own_target = file.path == InferFile(plan) || file.path == LoadableFile(plan);
    if (!file.path.ends_with(".cc") || is_own_target) continue;
    library += "  " + file.path + "\n";
    if (file.path != plan.name + ".cc") alone += " " + file.path;
  }
  for (const RuntimeFile* file : runtime) {
    onednn = onednn || file->path.starts_with("runtime/fast/");
    images = images || file->path == "runtime/images/libraries.cmake";
    if (!file->path.ends_with(".cc")) continue;
    if (file->path.starts_with(kImages)) alone += " " + std::string(file->path);
    (std::ranges::find(used, file) == used.end() ? infer : library) +=
        "\n  " + std::string(file->path);
  }
  library = Filled(library, "\n\n", "\n");
  if (!library.empty() && library.back() == '\n') library.pop_back();
  std::string find, config_find;
  if (onednn) {
    find =
        std::string(kChooseOneDnn) + "if(@NAME@_DNNL)\n" + std::string(kFindOneDnn) + "endif()\n";
    config_find = "if(${@NAME@_DNNL})\n" + Quoted(kFindOneDnn) + "endif()\n";
  }
  std::string link(onednn ? kLinkOneDnn : "");
  if (images) link += kLinkImageLibraries;
  std::string text(kCMake);
  text = Filled(std::move(text), "@FIND@\n", find);
  text = Filled(std::move(text), "@CONFIG_FIND@", config_find);
  text = Filled(std::move(text), "@LINK@", link);
  text = Filled(std::move(text), "@ALONE@",
                alone.empty() ? "" : Filled(std::string(kAlone), "@FILES@", alone.substr(1)));
  text = Filled(std::move(text), "@EMBED@", options.embed_weights ? kEmbed : "");
  text = Filled(std::move(text), "@INSTALL_WEIGHTS@", options.embed_weights ? "" : kInstallWeights);
  text = Filled(std::move(text), "@CONFIG_WEIGHTS@", options.embed_weights ? "" : kConfigWeights);
  text = Filled(std::move(text), "@WEIGHTS_MACRO@", WeightsMacro(plan));
  text = Filled(std::move(text), "@RELEASE@", RuntimeVersion());
  text = Filled(std::move(text), "@SOURCES@", library);
  text = Filled(std::move(text), "@INFER_FILE@", InferFile(plan));
  text = Filled(std::move(text), "@INFER_SOURCES@", Filled(infer, "\n", "\n  "));
  text = Filled(std::move(text), "@LOADABLE@", options.loadable ? kLoadable : "");
  text = Filled(std::move(text), "@TESTS@", EmitReplayTests(options));
  return Filled(std::move(text), "@NAME@", plan.name);
}

}  // namespace dragoman::onednn
