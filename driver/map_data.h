// SPDX-License-Identifier: Apache-2.0
// Maps as inputs and outputs of runs. A run has a map as two arrays, NAME.map_keys and
// NAME.map_values (runtime/program/map.h); files have it as JSON, or as messages of ONNX's test
// data.
#ifndef DRAGOMAN_DRIVER_MAP_DATA_H_
#define DRAGOMAN_DRIVER_MAP_DATA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/attribute.h"
#include "driver/data.h"

namespace dragoman {

// A map, or a list of maps, of strings or i64 to numbers or strings.
struct MapType {
  DType key = DType::kUnknown;
  DType value = DType::kUnknown;
  bool is_list = false;
};
// nullopt: `type` is something else.
std::optional<MapType> MapTypeOf(const Type& type);

// The two inputs or outputs that stand for map `name`.
Slot KeysSlot(const std::string& name, const MapType& type);
Slot ValuesSlot(const std::string& name, const MapType& type);

// Arrays that hold the text of a JSON file, for inputs of `slots` that are maps, become the two
// that the map consists of. Errors: no such JSON.
Result<std::vector<NamedArray>> SplitMaps(const std::vector<Slot>& slots,
                                          const std::vector<NamedArray>& arrays);

// Whether `outputs` number `at` and the one after it are a map.
bool IsMapAt(const FlatArrays& outputs, std::size_t at);
// Of that map.
std::string PrintMapAt(const FlatArrays& outputs, std::size_t at);
// The two arrays of map `name` in a JSON text.
Result<FlatArrays> ParseMapArrays(const std::string& name, const std::string& json, DType key,
                                  DType value);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_MAP_DATA_H_
