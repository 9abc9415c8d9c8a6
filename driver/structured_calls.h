// SPDX-License-Identifier: Apache-2.0
// Calls of source models whose entries take structured arguments of unknown types (methods of
// TorchScript): the data give the types, and the lowered entry gives the flat inputs.
#ifndef DRAGOMAN_DRIVER_STRUCTURED_CALLS_H_
#define DRAGOMAN_DRIVER_STRUCTURED_CALLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "driver/data.h"
#include "driver/session.h"

namespace dragoman {

// How entries of `source` are called, where flat inputs are known only when the model is lowered;
// else nullptr.
const StructuredCalls* CallsOf(const Session& session, const Model& source);

// What a caller gives. A method lists its object, and has no place among the flat inputs for
// arguments that are left out. `format` is that of the model, or nullptr.
std::vector<Slot> GivenSlots(const Format* format, const Entry& entry);

// Whether some inputs of `source` turn out to be states, or of another type, or none, when it is
// lowered.
bool ChangesInputs(const Session& session, const Model& source);

// The argument, or the part of one, that an array called `name` is for: a position in front becomes
// the argument's name ("1.key" to "d.key"), as does "i" with a position where no argument is called
// so. nullopt: the entry has none such.
std::optional<std::string> ArgumentName(const StructuredCalls& calls, const Entry& entry,
                                        const std::string& name);

// Arrays by the names of arguments, as far as they have one.
std::vector<NamedArray> NameByArgument(const StructuredCalls& calls, const Entry& entry,
                                       std::vector<NamedArray> arrays);

// Facts that give each argument the element type and sizes of its array, less the leading axis of
// arrays that hold one slice for each of `steps` calls. An argument whose rank nothing states is
// sliced if its array has that leading axis and one more. What `facts` say already goes before.
Facts FactsOfArrays(const StructuredCalls& calls, const Entry& entry,
                    const std::vector<NamedArray>& arrays, std::optional<std::int64_t> steps,
                    Facts facts);

// Facts that hold for every call that `calls` has. Sizes that differ between calls become
// symbols; those that change together are one. Errors: calls with other arguments, ranks or element
// types.
Result<Facts> JoinFacts(const std::vector<Facts>& calls);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_STRUCTURED_CALLS_H_
