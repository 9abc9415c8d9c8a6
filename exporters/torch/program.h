// SPDX-License-Identifier: Apache-2.0
// A program of torch.export as calls that modules are made of.
#ifndef DRAGOMAN_EXPORTERS_TORCH_PROGRAM_H_
#define DRAGOMAN_EXPORTERS_TORCH_PROGRAM_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/pt2/program_builder.h"

namespace dragoman::pytorch {

// What is known of a value.
struct ValueInfo {
  std::string dtype;              // "torch.float32"; empty: it is not a tensor
  std::vector<std::string> dims;  // as text: "3", "s0", "2*s0 + 1"
  bool is_size = false;           // an integer
};

struct Call;
using Calls = std::vector<Call>;

// A body that a call of a higher-order operator runs.
struct Body {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  Calls calls;
};

struct Call {
  std::string target;  // "aten.relu.default"
  pt2::Json arguments;
  std::vector<std::string> results;
  std::vector<std::string> reads;  // values, of bodies too: each is defined outside of this call
  std::vector<Body> bodies;
  std::vector<std::string> scope;  // the path of the module that made it

  const pt2::Json* Find(std::string_view argument) const;
  // The name of the tensor that the argument is; empty: none.
  std::string Tensor(std::string_view argument) const;
  bool has_effect() const { return results.empty(); }
};

// A state: its buffer and the value that it has after the call.
struct StateUpdate {
  std::string buffer;  // the value that reads it
  std::string next;
};

struct ProgramCalls {
  Calls calls;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<StateUpdate> states;
  std::map<std::string, ValueInfo> values;
};

// Of a Program; bodies read values of the calls around them by their names there.
ProgramCalls ReadProgram(const pt2::Program& program);

// The number that has the digits that distinguish `value` from other numbers of 32 bits, and no
// more.
double ShortDouble(float value);

// "torch.float32" of the number that the format has.
std::string TorchTypeOf(std::optional<DType> dtype);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_PROGRAM_H_
