// The evaluator: runs functions of Relay on abstract values (core/lowering/abstract.h); what is not
// known beforehand becomes nodes of the common graph.
//
//   - a tensor is a cell of its own, since tensors do not change; a reference is a list of one
//   item;
//   - functions, constructors and values of algebraic types are as values.h says: all calls are
//     inlined, so that lists whose structure is known leave nothing behind;
//   - a function that calls itself at the end of one side of a condition is a loop (loop_form.h).
//
// What is unsupported is recorded, stands as Poison, and the run goes on: all is reported at once.
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_EVALUATOR_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_EVALUATOR_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/entry_builder.h"
#include "importers/relay/lower/loop_form.h"
#include "importers/relay/lower/values.h"

namespace dragoman::relay {

// Calls nest so deep at most, and so many are made.
inline constexpr int kMaxCallDepth = 150;
inline constexpr std::size_t kMaxCalls = 1'000'000;

class Evaluator {
 public:
  // Appends to `graph`, the graph of an entry.
  Evaluator(const Model& source, Heap& heap, Graph& graph, Inference& inference);

  GraphBuilder& builder() { return entry_.builder(); }
  std::vector<Finding>& findings() { return entry_.findings; }

  // Runs the body of an entry, whose inputs are `arguments`.
  Abstract RunEntry(const Graph& body, std::vector<Abstract> arguments);

 private:
  // evaluator.cc
  Abstract RunGraph(const Graph& graph, Frame& frame);
  void RunNode(const Node& node, Frame& frame);
  Abstract Evaluate(const Node& node, Frame& frame);
  Abstract EvaluateOperator(const Node& node, Frame& frame);
  Abstract CallOperator(const Node& node, std::string_view name,
                        const std::vector<NamedAttribute>& attributes,
                        const std::vector<Abstract>& operands, const Frame& frame);
  Abstract Get(const Value* value, const Frame& frame);
  std::vector<Abstract> Operands(const Node& node, std::size_t first, const Frame& frame);
  Abstract Report(const Node& node, const Error& error, const Frame& frame);
  OriginPtr OriginOf(const Node& node, const Frame& frame);

  // evaluate_linear.cc
  // The product of a matrix that importers of torch wrote as up to eight calls, if `node` is the
  // last of them.
  std::optional<Abstract> EvaluateLinear(const Node& node, Frame& frame);
  const Shape* ShapeOf(const Value* value, const Frame& frame);

  // evaluate_values.cc
  Abstract EvaluateFunction(const Node& node, const Frame& frame);
  Abstract EvaluateLet(const Node& node, const Frame& frame);
  Abstract EvaluateSelf(const Node& node, const Frame& frame);
  Abstract EvaluateGlobal(const Node& node, const Frame& frame);
  Abstract EvaluateProjection(const Node& node, const Frame& frame);
  Abstract EvaluateReference(const Node& node, const Frame& frame);
  Abstract EvaluateMatch(const Node& node, Frame& frame);
  // Whether the value fits; nullopt: nobody knows. The values of the variables go to `bound`.
  static std::optional<bool> Fits(const Attribute& pattern, const Abstract& value,
                                  std::vector<Abstract>& bound);

  // evaluate_control.cc
  Abstract EvaluateIf(const Node& node, Frame& frame);
  Abstract EvaluateCall(const Node& node, Frame& frame);
  Abstract CallValue(const Node& node, const Abstract& callee, std::vector<Abstract> arguments,
                     const Frame& frame);
  Abstract CallClosure(const Node& node, const Closure& function, std::vector<Abstract> arguments,
                       const Frame& frame);
  Abstract RunTurns(const Node& node, const Closure& function, const LoopForm& form,
                    std::vector<Abstract> arguments, const std::string& path);
  Frame& NewFrame(const Closure& function, const std::vector<Abstract>& arguments,
                  std::string path);
  // Runs the body up to the condition, and tells it.
  Result<Number> RunCondition(const LoopForm& form, Frame& frame);
  Result<Number> Truth(const Abstract& value);

  const Model& source_;
  Heap& heap_;
  EntryBuilder entry_;
  std::unordered_map<std::string, Abstract> globals_;
  std::deque<Frame> frames_;
  std::unordered_map<const Value*, Abstract> constants_;
  std::unordered_map<const Graph*, std::optional<LoopForm>> loops_;
  std::unordered_map<const Node*, OriginPtr> origins_;
  int depth_ = 0;
  std::size_t calls_ = 0;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_EVALUATOR_H_
