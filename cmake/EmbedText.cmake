# SPDX-License-Identifier: Apache-2.0
# dragoman_embed_text(RESULT INPUT file... HEADER path.h [SOURCE name.cc] NAMESPACE name FUNCTION Name)
#
# Sets RESULT to a generated source of `std::string_view FUNCTION()`, the text of INPUT (of several
# files one after the other), as HEADER declares it; SOURCE names it where HEADER declares several.
# Paths are relative to the project.
function(dragoman_embed_text result)
  cmake_parse_arguments(ARG "" "HEADER;SOURCE;NAMESPACE;FUNCTION" "INPUT" ${ARGN})
  list(JOIN ARG_INPUT "," inputs)
  list(TRANSFORM ARG_INPUT PREPEND "${PROJECT_SOURCE_DIR}/")
  string(REGEX REPLACE "\\.h$" ".cc" output "${PROJECT_BINARY_DIR}/generated/${ARG_HEADER}")
  if(ARG_SOURCE)
    cmake_path(REPLACE_FILENAME output "${ARG_SOURCE}")
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -D "FOLDER=${PROJECT_SOURCE_DIR}" -D "INPUT=${inputs}"
            -D "HEADER=${ARG_HEADER}" -D "NAMESPACE=${ARG_NAMESPACE}" -D "FUNCTION=${ARG_FUNCTION}"
            -D "OUTPUT=${output}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake"
    DEPENDS ${ARG_INPUT} "${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake"
            "${PROJECT_SOURCE_DIR}/cmake/text_literals.cmake"
    COMMENT "Embedding ${inputs}" VERBATIM)
  set(${result} "${output}" PARENT_SCOPE)
endfunction()
