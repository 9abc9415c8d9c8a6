# SPDX-License-Identifier: Apache-2.0
# Sets DRAGOMAN_EMBEDDED_RUNTIME to a generated source that implements
# codegen/onednn/runtime_files.h: the text of every source of runtime/, and its licence, lies in the program.
file(GLOB_RECURSE runtime_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
     "${PROJECT_SOURCE_DIR}/runtime/*.h" "${PROJECT_SOURCE_DIR}/runtime/*.hpp"
     "${PROJECT_SOURCE_DIR}/runtime/*.cc" "${PROJECT_SOURCE_DIR}/runtime/*.cmake"
     "${PROJECT_SOURCE_DIR}/runtime/LICENSE")
list(SORT runtime_files)
set(DRAGOMAN_EMBEDDED_RUNTIME "${PROJECT_BINARY_DIR}/generated/codegen/onednn/runtime_files.cc")
list(TRANSFORM runtime_files PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE runtime_paths)
set(runtime_list "${PROJECT_BINARY_DIR}/runtime_files.txt")
list(JOIN runtime_files "\n" runtime_lines)
file(CONFIGURE OUTPUT "${runtime_list}" CONTENT "${runtime_lines}\n")
add_custom_command(
  OUTPUT "${DRAGOMAN_EMBEDDED_RUNTIME}"
  COMMAND "${CMAKE_COMMAND}" -D "ROOT=${PROJECT_SOURCE_DIR}" -D "LIST=${runtime_list}"
          -D "VERSION=${PROJECT_VERSION}" -D "OUTPUT=${DRAGOMAN_EMBEDDED_RUNTIME}"
          -P "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
  DEPENDS ${runtime_paths} "${runtime_list}" "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/text_literals.cmake"
  COMMENT "Embedding runtime/" VERBATIM)
