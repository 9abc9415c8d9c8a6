# SPDX-License-Identifier: Apache-2.0
# Usage: cmake -D ROOT=dir -D LIST=file -D VERSION=text -D OUTPUT=file.cc -P embed_files.cmake
#
# LIST names files relative to ROOT, one per line, in order.
include("${CMAKE_CURRENT_LIST_DIR}/text_literals.cmake")

file(STRINGS "${LIST}" paths)
set(entries "")
set(count 0)
foreach(path IN LISTS paths)
  file(READ "${ROOT}/${path}" text)
  to_literals("${text}" literals)
  string(APPEND entries "    {\"${path}\",\n${literals}},\n")
  math(EXPR count "${count} + 1")
endforeach()

string(CONCAT source
  "#include \"codegen/onednn/runtime_files.h\"\n\n#include <array>\n\nnamespace dragoman {\nnamespace {\n\n"
  "const std::array<RuntimeFile, ${count}> kFiles = {{\n${entries}}};\n\n}  // namespace\n\n"
  "std::span<const RuntimeFile> RuntimeFiles() { return kFiles; }\n\n"
  "std::string_view RuntimeVersion() { return \"${VERSION}\"; }\n\n}  // namespace dragoman\n")
file(WRITE "${OUTPUT}" "${source}")
