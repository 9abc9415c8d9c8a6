# SPDX-License-Identifier: Apache-2.0
# dragoman_find_library(TARGET HEADER file LIBRARY name)
#
# Defines the imported TARGET of an installed header and library. For those that come without a
# CMake package (xxHash), or whose package demands what we do not need: Debian's libzip its
# command-line tools, Debian's oneDNN the headers of OpenCL.
function(dragoman_find_library target)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "" ${ARGN})
  find_path(${ARG_LIBRARY}_HEADERS "${ARG_HEADER}" REQUIRED)
  find_library(${ARG_LIBRARY}_LIBRARY "${ARG_LIBRARY}" REQUIRED)
  mark_as_advanced(${ARG_LIBRARY}_HEADERS ${ARG_LIBRARY}_LIBRARY)
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${${ARG_LIBRARY}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${ARG_LIBRARY}_HEADERS}")
endfunction()
