// SPDX-License-Identifier: Apache-2.0
// Recorded data to verify a model with, and inputs drawn at random.
#ifndef DRAGOMAN_DRIVER_DATA_SETS_H_
#define DRAGOMAN_DRIVER_DATA_SETS_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "driver/data.h"
#include "driver/session.h"

namespace dragoman {

struct DataSet {
  std::vector<NamedArray> inputs;
  FlatArrays outputs;  // flat, in order
};

// The data sets at `path`: itself, if it holds input_0.pb, output_0.pb or outputs.npz; else its
// folders that do, sorted. Errors: there are none.
Result<std::vector<std::string>> FindDataSets(const std::string& path);

// Files of an ONNX test-data set belong to inputs and outputs by number, arrays of an .npz by name
// or position. Slots that are known only when the model is lowered are left out; arrays of a
// test-data set are called by their numbers then.
Result<DataSet> ReadDataSet(const std::string& folder, const std::vector<Slot>& inputs,
                            const std::vector<Slot>& outputs);

// Whether an array has the name of a slot, or its position for one, or is an item of it.
bool NamesAny(const std::vector<Slot>& slots, const std::vector<NamedArray>& arrays);

// Arrays for the inputs of `entry`, one each, or one for each of the one to three elements of a
// sequence; optionals are there: floats from the normal distribution, integers from 0 to 3, bools
// at random. Sizes that neither the model nor `facts` give are drawn from 2 to 5, the same one
// wherever a symbol occurs. Errors: a rank that is not known; strings, maps.
Result<std::vector<NamedArray>> DrawInputs(const Entry& entry, const Facts& facts,
                                           std::mt19937_64& generator);
// The same for `count` calls of the entry of `source` that `facts` choose. Where arguments or
// states are known only when it is lowered, it is. Errors: what cannot be lowered.
Result<std::vector<std::vector<NamedArray>>> DrawInputs(const Session& session, const Model& source,
                                                        const Facts& facts, std::uint64_t seed,
                                                        std::int64_t count);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DATA_SETS_H_
