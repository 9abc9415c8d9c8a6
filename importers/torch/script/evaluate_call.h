// SPDX-License-Identifier: Apache-2.0
// Calls of torch's operators on values that are known when a model is read: what a __setstate__
// computes.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_EVALUATE_CALL_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_EVALUATE_CALL_H_

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torch/container/value.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/program.h"
#include "importers/torch/script/script_functions.h"

namespace dragoman::torch {

// Lowers a source Model whose entry takes only `self`, and runs it: the flat results. Bounded in
// time and memory. Importers cannot run anything, who calls them can.
using RunSource = std::function<Result<std::vector<Tensor>>(const Model& source)>;

class CallEvaluator {
 public:
  // Of an archive of operator-set version `version`. `run` may be nullptr: nothing is evaluated.
  CallEvaluator(Program& program, SchemaTable& schemas, ScriptFunctions& functions,
                StoredHeap& heap, int version, RunSource run)
      : program_(program),
        schemas_(schemas),
        functions_(functions),
        heap_(heap),
        version_(version),
        run_(std::move(run)) {}

  // What `call` gives, in a method of `owner`, whose arguments have been evaluated. Errors: an
  // operator that writes to an argument, draws random numbers, or is not supported.
  Result<Stored> Evaluate(const python::Expr& call, const std::vector<Stored>& arguments,
                          const ScriptClass& owner);

  // Results and the arguments that they may share memory with.
  const std::vector<std::pair<const StoredTensor*, const StoredTensor*>>& views() const {
    return views_;
  }

 private:
  using Tensors = std::vector<const StoredTensor*>;
  struct Compiled;

  Result<python::Expr> Argument(const Stored& value, Compiled& compiled);
  // nullopt: the call gives another type.
  Result<std::optional<Stored>> EvaluateAs(std::string_view type, const Compiled& compiled,
                                           const ScriptClass& owner);
  Status CheckEffects(const Graph& graph, bool& shares);
  // `bases`: arguments that results may share memory with.
  Result<Stored> MakeResult(std::string_view type, const std::vector<Tensor>& results,
                            const Tensors& bases);
  Result<const StoredTensor*> AddTensor(const Tensor& tensor);

  Program& program_;
  SchemaTable& schemas_;
  ScriptFunctions& functions_;
  StoredHeap& heap_;
  int version_;
  RunSource run_;
  std::vector<std::pair<const StoredTensor*, const StoredTensor*>> views_;
  int calls_ = 0;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_EVALUATE_CALL_H_
