// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of runs: .npy and .npz files, ONNX test-data sets, output folders.
#ifndef DRAGOMAN_DRIVER_DATA_H_
#define DRAGOMAN_DRIVER_DATA_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/facts.h"
#include "core/interpreter/array.h"
#include "core/ir/model.h"
#include "core/support/npy.h"
#include "core/support/result.h"

namespace dragoman {

// An array with the name of the flat input or output that it is for: "x", "1" (a position), "x.0"
// (of a sequence).
struct NamedArray {
  std::string name;
  NpyArray array;
  // Of elements whose bits alone are in the array (kind 'V'), where that is known.
  DType dtype = DType::kUnknown;
  // The elements in the caller's memory, in place of `array.bytes`. Only CompiledModel takes them.
  std::shared_ptr<const void> lent;
};

struct InputOptions {
  std::vector<std::string> inputs;     // --input NAME=FILE.npy, or .json of maps
  std::optional<std::string> archive;  // --inputs FILE.npz
};

// A .json file becomes a string of rank 0, its text: SplitMaps (map_data.h) reads it.
Result<std::vector<NamedArray>> LoadInputs(const InputOptions& options);

// A flat input or output.
struct Slot {
  std::string name;
  Type type;
};
// Those that a caller gives and gets: without states, and without inputs that have a default.
std::vector<Slot> InputSlots(const Entry& entry);
std::vector<Slot> OutputSlots(const Entry& entry);
std::vector<std::string> NamesOf(const std::vector<Slot>& slots);

// One value a slot, in order; kNone for an absent optional. `what` the slots are, "input" or
// "output", is for errors: an array that no slot is named like, a slot without an array, an element
// type that contradicts the slot's.
Result<std::vector<RuntimeValue>> BindArrays(const std::vector<Slot>& slots,
                                             const std::vector<NamedArray>& arrays,
                                             std::string_view what);

// Errors: an input of another rank or size than its slot's type declares. Sizes [1] pass for any:
// ONNX's own test data has them for operands of which only the element type counts.
Status CheckSizes(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values);

// What facts say of the slots' types, which positions in them count.
Status ApplyFactsToSlots(const Facts& facts, std::vector<Slot>& slots);
// What a value says of an input of unknown type.
Type TypeOf(const RuntimeValue& value);
// Facts that give the inputs in `slots` the sizes of `values`.
Facts FactsOf(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values, Facts facts);

// An array of what NumPy holds; types that it lacks are there as bits: bfloat16 as uint16, floats
// of 8 bits as uint8. On `lent`, if it is given, in place of a copy of `bytes`. Errors: the array's
// kind is not that of `dtype`.
Result<Array> FromNpy(const NpyArray& npy, DType dtype, std::shared_ptr<const void> lent = {});
NpyArray ToNpy(const Array& array);
// The element type that an array most plainly has; kUnknown if none is like it.
DType PlainDType(const NpyArray& npy);
DType PlainDType(const NamedArray& array);

// Arrays under the names of inputs or outputs, sequences as "name.0", "name.1", …, maps as
// "name.map_keys" and "name.map_values"; absent optionals left out.
using FlatArrays = std::vector<std::pair<std::string, Array>>;
FlatArrays Flatten(const std::vector<Slot>& slots, const std::vector<RuntimeValue>& values);

// Errors: `folder` holds files, and no index of outputs among them, so it is not ours.
Status CheckOutputFolder(const std::string& folder);

// Writes one .npy an output, a .json file for maps, and index.json, into `folder`, which is made if
// missing and checked as above; both as the command line's contract says.
Status WriteOutputs(const std::string& folder, const FlatArrays& outputs);

// What WriteOutputs, or a generated program, wrote, in the order of the index.
Result<FlatArrays> ReadOutputs(const std::string& folder);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DATA_H_
