# Usage: cmake -D ROOT=dir -D LIST=file -D OUTPUT=file.cc -P embed_files.cmake
#
# LIST names files relative to ROOT, one a line, in order. Their text is written as raw string
# literals, cut at line ends into pieces of less than 16 kB, which every compiler takes.
set(piece_bytes 15000)
set(open "R\"embed(")
set(close ")embed\"")

# Sets `result` to adjacent raw string literals whose concatenation is `text`.
function(to_literals text result)
  set(literals "")
  string(LENGTH "${text}" size)
  while(size GREATER piece_bytes)
    string(SUBSTRING "${text}" 0 ${piece_bytes} head)
    string(FIND "${head}" "\n" cut REVERSE)
    math(EXPR cut "${cut} + 1")
    if(cut EQUAL 0)
      message(FATAL_ERROR "a line of more than ${piece_bytes} bytes cannot be embedded")
    endif()
    string(SUBSTRING "${text}" 0 ${cut} head)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(APPEND literals "${open}${head}${close}\n")
    string(LENGTH "${text}" size)
  endwhile()
  set(${result} "${literals}${open}${text}${close}" PARENT_SCOPE)
endfunction()

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
  "constexpr std::array<RuntimeFile, ${count}> kFiles = {{\n${entries}}};\n\n}  // namespace\n\n"
  "std::span<const RuntimeFile> RuntimeFiles() { return kFiles; }\n\n}  // namespace dragoman\n")
file(WRITE "${OUTPUT}" "${source}")
