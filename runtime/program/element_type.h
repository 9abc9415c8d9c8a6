// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types by number at run time, for code that does not know them when it is compiled.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_ELEMENT_TYPE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_ELEMENT_TYPE_H_

#include <cstdint>

namespace dragoman::rt {

struct ElementType {
  const char* name;  // "float32", "bfloat16", "string"
  // How .npy files hold it: NumPy's letter ('b', 'i', 'u', 'f', 'c', 'U') and the bytes of one
  // element, which are those in memory. Types that NumPy lacks are their bits.
  char kind;
  int bytes;  // 0 for strings
};

inline constexpr ElementType kElementTypes[] = {
    {"float32", 'f', 4},       {"uint8", 'u', 1},
    {"int8", 'i', 1},          {"uint16", 'u', 2},
    {"int16", 'i', 2},         {"int32", 'i', 4},
    {"int64", 'i', 8},         {"string", 'U', 0},
    {"bool", 'b', 1},          {"float16", 'f', 2},
    {"float64", 'f', 8},       {"uint32", 'u', 4},
    {"uint64", 'u', 8},        {"complex64", 'c', 8},
    {"complex128", 'c', 16},   {"bfloat16", 'u', 2},
    {"float8_e4m3fn", 'u', 1}, {"float8_e4m3fnuz", 'u', 1},
    {"float8_e5m2", 'u', 1},   {"float8_e5m2fnuz", 'u', 1},
    {"uint4", 'u', 1},         {"int4", 'i', 1},
    {"float4_e2m1", 'u', 1},   {"float8_e8m0", 'u', 1},
    {"uint2", 'u', 1},         {"int2", 'i', 1},
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_ELEMENT_TYPE_H_
