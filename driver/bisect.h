// SPDX-License-Identifier: Apache-2.0
// Where two computations that should agree part.
#ifndef DRAGOMAN_DRIVER_BISECT_H_
#define DRAGOMAN_DRIVER_BISECT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "driver/compare_outputs.h"
#include "driver/run_model.h"
#include "driver/session.h"
#include "driver/value_pairs.h"

namespace dragoman {

// A value that differs, while all that leads to it agree as far as they were compared.
struct Divergence {
  OutputComparison compared;    // under the value's name
  std::string node;             // that computes it: "node 'fc' (onnx.Gemm)"
  std::string origin;           // its source operators; may be empty
  std::size_t agreeing = 0;     // values before it that were compared and agree
  std::string other_node = {};  // of two models: the node of the other one
  Between between = {};         // of two models: nodes that lead to it and have no counterpart
};

struct Bisection {
  std::optional<Divergence> first;  // nullopt: all that were compared agree
  std::size_t compared = 0;
  // Of two models: the first ones that differ on other branches, and all values that were compared,
  // in order.
  std::vector<Divergence> elsewhere = {};
  std::vector<OutputComparison> values = {};
};

// Each value of a model's generated program, which has all of them as outputs, against the
// interpreter's. Errors: those of RunPrepared.
Result<std::vector<OutputComparison>> CompareProgramValues(const Session& session,
                                                           const PreparedRun& run,
                                                           const RunRequest& request,
                                                           const Tolerance& tolerance);

// Of two models, both prepared for the same inputs and run by the interpreter: values that
// correspond by the structure of the graphs, else by name (value_pairs.h), in the order of nodes of
// `a`. Models of different formats, and those of which some values differ and what is computed from
// these agrees, are compared in their normal forms. Values in bodies are not looked at. Errors:
// those of RunPrepared; no values correspond.
Result<Bisection> BisectModels(const Session& session, const PreparedRun& a, const PreparedRun& b,
                               const RunRequest& request, const Tolerance& tolerance);

// Of a model and what another framework recorded of it: values called like the arrays
// (IsRecordOf), or like the operators of the file whose results they are, by the engine of
// `request`. Those of the arrays that are of no value are added to `unknown`. Errors: those of
// RunPrepared.
Result<Bisection> BisectRecorded(const Session& session, const PreparedRun& run,
                                 const std::vector<NamedArray>& recorded, const RunRequest& request,
                                 const Tolerance& tolerance, std::vector<std::string>& unknown);

// Of a model and its generated program: a value that differs though the one before it agrees, found
// by halving the list of nodes; the program is compiled anew at each step. Errors: those of
// RunPrepared.
Result<Bisection> BisectProgram(const Session& session, const PreparedRun& run,
                                const RunRequest& request, const Tolerance& tolerance);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_BISECT_H_
