# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers, ccache, the linker and the flags of the plain kernels.

find_program(DRAGOMAN_CCACHE ccache)
if(DRAGOMAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The settings that let ccache keep what is compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros "${DRAGOMAN_CCACHE}")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
endif()

# lld, where it is installed and the user names no linker: it is fast. mold is faster still, but
# leaves weak references to a shared library's functions (the number of threads) at null.
include(CheckLinkerFlag)
if(NOT "${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fuse-ld=")
  check_linker_flag(CXX "-fuse-ld=lld" DRAGOMAN_LINKS_WITH_LLD)
  if(DRAGOMAN_LINKS_WITH_LLD)
    add_link_options("-fuse-ld=lld")
  endif()
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The interpreter's bits must not depend on the machine or on the build type: no contraction into
# fused multiply-adds, and the same optimisation in every preset but the sanitizers'.
set(DRAGOMAN_KERNEL_FLAGS -ffp-contract=off)
if(DRAGOMAN_SANITIZE)
  list(APPEND DRAGOMAN_KERNEL_FLAGS -O1)
else()
  list(APPEND DRAGOMAN_KERNEL_FLAGS -O3)
endif()

# Code that runs once per conversion or once per node of a file, and does little for each element:
# -O1 compiles it in about three quarters of the time that -O2 takes. What walks graphs again and
# again (the other libraries of core) keeps -O2.
set(DRAGOMAN_ONCE_FLAGS $<$<CONFIG:Release>:-O1>)

if(DRAGOMAN_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(DRAGOMAN_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# dragoman_compile_settings(TARGET SCOPE STANDARD): language standard, warnings, include root.
function(dragoman_compile_settings target scope standard)
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}")
  if(scope STREQUAL "INTERFACE")
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON)
  # Designated initializers leave the other members at their defaults on purpose.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers)
  # GCC warns falsely where it inlines std::string (https://gcc.gnu.org/PR105651, PR105329): version
  # 12 of Debian 12 as well as version 14 of Debian 13.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -Wno-restrict -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
  endif()
  if(DRAGOMAN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# dragoman_precompile(TARGET): compiles TARGET, which lies above core/ir, with the header that nearly
# all such files include; it is compiled once per set of options, for the first library with these.
function(dragoman_precompile target)
  get_target_property(options ${target} COMPILE_OPTIONS)
  string(MD5 key "${options}")
  get_property(first GLOBAL PROPERTY DRAGOMAN_PRECOMPILED_${key})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/core/ir/precompiled.h")
    set_property(GLOBAL PROPERTY DRAGOMAN_PRECOMPILED_${key} ${target})
  endif()
endfunction()
