// SPDX-License-Identifier: Apache-2.0
// Calls of a model, one after another, on one object that keeps the model's states.
#ifndef DRAGOMAN_DRIVER_RUNNER_H_
#define DRAGOMAN_DRIVER_RUNNER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/compiled_model.h"
#include "driver/data.h"
#include "driver/run_model.h"
#include "driver/session.h"

namespace dragoman {

// The model is lowered for the inputs of the first call, and again when a call has inputs of other
// sizes or element types, or calls an entry for the first time; the states are carried over.
class Runner {
 public:
  // Of the request count engine, facts, seed, plan and print.
  Runner(Session session, Model source, RunRequest request);

  // One call of `entry` (empty: the one that the facts choose, else the default one). Errors: those
  // of RunModel; states whose sizes the inputs contradict; with engine native, inputs or entries
  // for which a model with states that are sequences would have to be compiled anew. After an error
  // the states are what they were.
  Result<FlatArrays> Run(const std::string& entry, const std::vector<NamedArray>& inputs);

  // The calls that are made from now on are the first ones.
  Status Reset();

  // The states as the last call left them, by name; those of sequences are left out. Empty before
  // the first call.
  Result<FlatArrays> States() const;
  // Calls go on from these. Errors: before the first call; no state of that name or type.
  Status SetStates(const FlatArrays& states);

  // Called after each node, as by the interpreter.
  void set_observer(NodeObserver observer) { observer_ = std::move(observer); }

 private:
  using Arrays = std::vector<NamedArray>;
  using NamedStates = std::vector<std::pair<std::string, RuntimeValue>>;

  bool is_native() const { return request_.engine == "native"; }
  bool IsPrepared(const std::string& entry, const Arrays& inputs) const;
  Status Prepare(const std::string& entry, const Arrays& inputs);
  // The prepared model as a program, or in an interpreter, with these states in place of the
  // initial ones.
  Status Compile(const NamedStates& states);
  Status Start(const NamedStates& states);
  Result<NamedStates> CurrentStates() const;
  Result<FlatArrays> Interpret(const std::string& entry, const Arrays& inputs);

  // What an entry was prepared for.
  struct Given {
    Arrays inputs;
    // How the lowered entry calls them; empty where the inputs are not its inputs one by one.
    std::vector<std::string> names;
  };

  Session session_;
  Model source_;
  RunRequest request_;
  NodeObserver observer_;
  std::map<std::string, Given> given_;  // by entry
  Model prepared_;                      // lowered for what was given, with the initial states
  std::unique_ptr<Model> model_;        // that the interpreter runs
  std::unique_ptr<Interpreter> interpreter_;
  std::unique_ptr<CompiledModel> compiled_;  // engine native, in place of these two
  bool is_fresh_ = true;                     // the states are the initial ones
};

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RUNNER_H_
