# SPDX-License-Identifier: Apache-2.0
# Text as raw string literals, cut at line ends into pieces of less than 16 kB, which every compiler
# takes.
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
