// SPDX-License-Identifier: Apache-2.0
// The attributes of stored objects, those included whose class restores itself.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_RESTORE_OBJECT_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_RESTORE_OBJECT_H_

#include <string>
#include <utility>
#include <vector>

#include "core/support/result.h"
#include "importers/torch/container/value.h"
#include "importers/torch/script/evaluate_call.h"
#include "importers/torch/script/program.h"

namespace dragoman::torch {

// What __setstate__ may use besides its argument.
struct RestoreContext {
  const std::vector<Stored>& constants;  // CONSTANTS.c0, c1, …
  CallEvaluator evaluator;
};

using StoredAttributes = std::vector<std::pair<std::string, Stored>>;

// In slot order. For a class with __getstate__ and __setstate__, what __setstate__ assigns when it
// is run on the stored state (new values go to `heap`); for torch's own packed parameters
// (`__torch__.torch.classes.quantized.…`), what they hold:
//   LinearPackedParamsBase    weight, bias (or None)
//   Conv2dPackedParamsBase    weight, bias, stride, padding, dilation, output_padding (lists of
//   Conv3dPackedParamsBase    ints), groups, transpose
//   rnn.CellParamsBase        kind, tensors, flags (ints: reduce_range), packed (those of the
//   linear layers of input and state)
// and for other classes of torch one attribute `state`. Errors: a state that does not fit;
// unsupported: statements in __setstate__ beyond assignments, conditions, loops, containers, own
// methods, the prepack operators, and what `context` evaluates.
Result<StoredAttributes> AttributesOf(const StoredObject& object, Program& program,
                                      StoredHeap& heap, RestoreContext& context);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_RESTORE_OBJECT_H_
