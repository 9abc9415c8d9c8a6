// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps in JSON files: an object for one, a list of objects for a list of maps. Keys that are
// integers are their decimals. Infinities and NaN are written as Python's json module does.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_MAP_JSON_H_
#define DRAGOMAN_RUNTIME_PROGRAM_MAP_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/params/shape.h"
#include "runtime/program/any_tensor.h"
#include "runtime/program/element_type.h"

namespace dragoman::rt {

// Whether tensors of these sizes are the keys and values of a map, or of a list of maps.
bool AreMaps(const Shape& keys, const Shape& values);

// Elements of a type known at run time only: of strings, std::string.
struct ElementArray {
  const ElementType* type = nullptr;
  const void* data = nullptr;
};

// `entries` keys, `rows` times as many values. `is_list`: a list of `rows` maps; else one.
std::string PrintMaps(const ElementArray& keys, const ElementArray& values, std::int64_t entries,
                      std::int64_t rows, bool is_list);

// The keys, ascending, and the values; of a list, (maps, entries). Gives "", or what is wrong: it
// is no JSON of maps, a key or value is none of these types, a key occurs twice, the maps of a list
// have different keys.
std::string ParseMaps(std::string_view json, const ElementType& key, const ElementType& value,
                      AnyTensor* keys, AnyTensor* values);

// `text` in quotes.
std::string JsonString(std::string_view text);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_MAP_JSON_H_
