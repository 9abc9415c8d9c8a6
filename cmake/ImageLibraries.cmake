# SPDX-License-Identifier: Apache-2.0
# What images are decoded by, and DRAGOMAN_IMAGE_LIBRARY_LIST: a generated source that implements
# ImageLibraries() of codegen/onednn/runtime_files.h.
include("${PROJECT_SOURCE_DIR}/runtime/images/libraries.cmake")
set(DRAGOMAN_IMAGE_LIBRARY_LIST
  "${PROJECT_BINARY_DIR}/generated/codegen/onednn/image_libraries.cc")
set(rows "")
foreach(format folder library IN ZIP_LISTS
        DRAGOMAN_IMAGE_FORMATS DRAGOMAN_IMAGE_FOLDERS DRAGOMAN_IMAGE_LIBRARIES)
  string(APPEND rows "    {\"${format}\", \"${folder}\", \"${library}\"},\n")
endforeach()
list(LENGTH DRAGOMAN_IMAGE_FORMATS count)
string(CONCAT source
  "#include \"codegen/onednn/runtime_files.h\"\n\n#include <array>\n\nnamespace dragoman {\nnamespace {\n\n"
  "const std::array<ImageLibrary, ${count}> kLibraries = {{\n${rows}}};\n\n}  // namespace\n\n"
  "std::span<const ImageLibrary> ImageLibraries() { return kLibraries; }\n\n}  // namespace dragoman\n")
file(CONFIGURE OUTPUT "${DRAGOMAN_IMAGE_LIBRARY_LIST}" CONTENT "${source}" @ONLY)
# "libjpeg, libpng": their names, for `dragoman --version`.
list(TRANSFORM DRAGOMAN_IMAGE_LIBRARIES REPLACE ".*/(lib[a-z0-9]+).*" "\\1"
  OUTPUT_VARIABLE DRAGOMAN_IMAGE_NAMES)
