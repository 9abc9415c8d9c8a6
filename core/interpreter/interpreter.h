// SPDX-License-Identifier: Apache-2.0
// Runs the entries of a common Model on the plain kernels: `dragoman run`, `verify`, and the judge
// of rewrites.
#ifndef DRAGOMAN_CORE_INTERPRETER_INTERPRETER_H_
#define DRAGOMAN_CORE_INTERPRETER_INTERPRETER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/interpreter/array.h"
#include "core/ir/model.h"
#include "core/ops/op_def.h"
#include "core/support/result.h"
#include "runtime/kernels/random_source.h"

namespace dragoman {

// Called after each node with the time that it took, for profiles.
using NodeObserver = std::function<void(const Node& node, std::chrono::nanoseconds elapsed)>;
// Where Print nodes and failed Asserts write; one line a call.
using LineSink = std::function<void(std::string_view line)>;

class Interpreter {
 public:
  // `model` must outlive the interpreter. States start with their initial values.
  // Errors: unsupported, listing every node that no kernel computes.
  static Result<Interpreter> Make(const Model& model);

  // One call of `entry` with its flat inputs, states excluded; gives the flat outputs, states
  // excluded, and keeps the new states. After an error the states are what they were.
  Result<std::vector<RuntimeValue>> Run(const Entry& entry, std::vector<RuntimeValue> inputs);

  const std::vector<RuntimeValue>& states() const { return states_; }
  Status Reset();  // states := initial values; random numbers start over from the seed
  // Of random numbers, 0 unless it is set.
  void SetSeed(std::uint64_t seed) { random_.SetSeed(seed); }

  void set_observer(NodeObserver observer) { observer_ = std::move(observer); }
  void set_line_sink(LineSink sink) { sink_ = std::move(sink); }
  // A call that runs more nodes than that, those of bodies each time that they run, is an error:
  // for data that may keep a loop from ending. Results of many elements count as further nodes.
  void set_node_limit(std::int64_t limit) { node_limit_ = limit; }

 private:
  explicit Interpreter(const Model& model) : model_(&model) {}

  const Model* model_;
  std::vector<RuntimeValue> states_;
  NodeObserver observer_;
  LineSink sink_;
  std::int64_t node_limit_ = INT64_MAX;
  rt::RandomSource random_;
};

// The values that a node of an enclosing graph, or of this one, has computed so far.
class Frame;

// Runs `graph` with `inputs`; captures are looked up in `outer`. For the handlers of nodes with
// bodies.
struct Execution {
  const NodeObserver* observer = nullptr;
  const LineSink* sink = nullptr;
  std::int64_t* nodes_left = nullptr;  // that may be run; nullptr: any number
  rt::RandomSource* random = nullptr;  // nullptr: a node that draws is an error

  Result<std::vector<RuntimeValue>> RunGraph(const Graph& graph, std::vector<RuntimeValue> inputs,
                                             const Frame* outer) const;
};

// Nodes that are more than a kernel call: bodies, sequences, optionals, effects. nullptr if `node`
// is none of them.
using NodeHandler = Result<std::vector<RuntimeValue>> (*)(const Node& node,
                                                          std::span<const RuntimeValue> operands,
                                                          const Execution& execution,
                                                          const Frame& frame);
NodeHandler FindHandler(const Node& node);
NodeHandler FindHandler(const OpDef& def);

// Whether nodes of operator `def` run: a kernel or a handler computes them.
bool RunsInInterpreter(const OpDef& def);

// Every node of `graph` and its bodies that neither a kernel nor a handler computes, as findings.
std::vector<Finding> UnsupportedNodes(const Graph& graph);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_INTERPRETER_H_
