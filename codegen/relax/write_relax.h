// SPDX-License-Identifier: Apache-2.0
// Writes a common model as a TVM Relax module: TVMScript text that `tvm.script.from_source` reads,
// and the weights beside it.
#ifndef DRAGOMAN_CODEGEN_RELAX_WRITE_RELAX_H_
#define DRAGOMAN_CODEGEN_RELAX_WRITE_RELAX_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/relax/release.h"
#include "core/ir/model.h"
#include "core/ir/tensor.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"

namespace dragoman {

// The default entry is the function `main`. Weights are its parameters after the true inputs,
// whose number is its attribute num_input. A state is an input and a result; the attribute `states`
// gives their places: {"name": [input, result]}.
struct RelaxModule {
  std::string text;
  std::vector<std::pair<std::string, Tensor>> weights;  // by parameter name, in order
  std::vector<std::pair<std::string, Tensor>> states;   // initial values by name
  bool has_packed = false;                              // calls functions of packed_functions.py
};

using RelaxDigests = std::map<std::string, std::vector<std::string>>;

struct RelaxOptions {
  relax::Release release = relax::Release::kLatest;  // of TVM, that is to read the module
  bool packed = false;  // R.call_pure_packed of functions of ours, where operators cannot say it
  // Gives the digests of what a module remarks on statements that are one operator (composed.h), by
  // function and in order. Not set: there are no remarks.
  std::function<Result<RelaxDigests>(std::string text)> digests = nullptr;
};

// How a module has nodes of operator `def`, with some attributes at least.
OpSupport RelaxSupport(const OpDef& def);

// Takes a line on what is left out of a module.
using RelaxNote = std::function<void(std::string_view)>;

// Entries other than the default one are left out, with a note, where Relax cannot express them.
// Errors: unsupported, listing every node of the default entry that Relax cannot express.
Result<RelaxModule> EmitRelax(const Model& model, const RelaxOptions& options = {},
                              const RelaxNote& note = {});

// The text into `path`, the weights into the .npz of the same stem beside it: bfloat16 and 8-bit
// floats as raw uint16 and uint8 with the element type in the key ("w:bfloat16"). Initial values of
// states go into STEM.states.npz, functions that the module calls into STEM_packed.py.
Status WriteRelax(const RelaxModule& module, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_RELAX_WRITE_RELAX_H_
