# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -D FOLDER=folder -D INPUT=file,... -D HEADER=path.h -D NAMESPACE=name
#              -D FUNCTION=Name -D OUTPUT=file.cc -P embed_text.cmake
#
# Writes the source of `std::string_view FUNCTION()`, declared in HEADER, which returns the text of
# the files INPUT of FOLDER, one after the other.
include("${CMAKE_CURRENT_LIST_DIR}/text_literals.cmake")

string(REPLACE "," ";" files "${INPUT}")
set(text "")
foreach(file IN LISTS files)
  file(READ "${FOLDER}/${file}" part)
  string(APPEND text "${part}")
endforeach()
to_literals("${text}" literals)
string(CONCAT source
  "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n"
  "std::string_view ${FUNCTION}() {\n  return ${literals};\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${source}")
