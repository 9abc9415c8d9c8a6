// SPDX-License-Identifier: Apache-2.0
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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/entry_builder.h"
#include "core/lowering/loop.h"
#include "core/support/deep_call.h"
#include "importers/relay/lower/composed.h"
#include "importers/relay/lower/loop_form.h"
#include "importers/relay/lower/values.h"

namespace dragoman::relay {

// Calls nest so deep at most, and so many are made.
inline constexpr int kMaxCallDepth = 150;
inline constexpr std::size_t kMaxCalls = 300'000;
// A result has so many parts.
inline constexpr std::size_t kMaxResults = 100'000;

struct LinearGroup;

class Evaluator {
 public:
  // Appends to `graph`, the graph of an entry.
  Evaluator(const Model& source, const ComposedNodes& composed, Heap& heap, Graph& graph,
            Inference& inference);

  GraphBuilder& builder() { return entry_.builder(); }
  std::vector<Finding>& findings() { return entry_.findings; }

  // Runs the body of an entry, whose inputs are `arguments`.
  Abstract RunEntry(const Graph& body, std::vector<Abstract> arguments);

 private:
  // evaluator.cc
  Deep<Abstract> Presented(Abstract result);
  // A tuple of `items`, or what is said of one that nests too deep.
  Abstract NewTuple(const Node& node, std::vector<Abstract> items, const Frame& frame);
  Abstract RunGraph(const Graph& graph, Frame& frame);
  // The body of a function, whose last call stays pending.
  Abstract RunTail(const Graph& graph, Frame& frame);
  void RunNode(const Node& node, Frame& frame);
  void StateType(const Node& node, const Abstract& result);
  void RunCall(const Node& node, Frame& frame);
  Abstract Evaluate(const Node& node, Frame& frame);
  Abstract EvaluateOperator(const Node& node, Frame& frame);
  Abstract CallOperator(const Node& node, std::string_view name,
                        const std::vector<NamedAttribute>& attributes,
                        const std::vector<Abstract>& operands, const Frame& frame);
  Abstract Get(const Value* value, const Frame& frame);
  std::vector<Abstract> Operands(const Node& node, std::size_t first, const Frame& frame);
  Abstract Report(const Node& node, const Error& error, const Frame& frame);
  OriginPtr OriginOf(const Node& node, const Frame& frame);

  // evaluate_composed.cc
  void RunComposed(const ComposedStatements& composed, Frame& frame);

  // evaluate_linear.cc
  // The product of a matrix that importers of torch wrote as up to eight calls, if `node` is the
  // last of them.
  std::optional<Abstract> EvaluateLinear(const Node& node, Frame& frame);
  std::optional<Abstract> EvaluateRows(const Node& node, Frame& frame);
  Abstract AsProduct(const Node& node, const LinearGroup& group, const Shape& result, Frame& frame);
  const Shape* ShapeOf(const Value* value, const Frame& frame);

  // evaluate_values.cc
  Abstract EvaluateFunction(const Node& node, const Frame& frame);
  Abstract EvaluateLet(const Node& node, const Frame& frame);
  Abstract EvaluateSelf(const Node& node, const Frame& frame);
  Abstract EvaluateGlobal(const Node& node, const Frame& frame);
  Abstract EvaluateProjection(const Node& node, const Frame& frame);
  Abstract EvaluateReference(const Node& node, const Frame& frame);
  // Errors: `result` is of another type than the function `body` is declared to give.
  Status CheckResult(const Graph& body, const Abstract& result);
  bool Contradicts(const Type& declared, const Abstract& value);
  Abstract EvaluateMatch(const Node& node, Frame& frame, bool is_tail = false);
  Abstract Constructed(const Node& node, const Constructor& constructor,
                       std::vector<Abstract> fields, const Frame& frame);
  // The arm whose pattern fits, its variables bound; nullptr: there is none, as was reported.
  const Graph* SelectArm(const Node& node, Frame& frame);
  // Whether the value fits; nullopt: nobody knows. The values of the variables go to `bound`.
  std::optional<bool> Fits(const Attribute& pattern, const Abstract& value,
                           std::vector<Abstract>& bound);

  // evaluate_lists.cc
  // A list of Cons and Nil as one of the heap, so that ways that differ in length can meet;
  // anything else is itself.
  Abstract Generalized(const Abstract& value);
  // A list of the heap as Cons or Nil; nullopt: its length is known at run time only.
  std::optional<Abstract> FirstAndRest(const ListRef& list);
  // Cons(first, rest), where `rest` is a list of the heap.
  Result<Abstract> Prepended(const Abstract& first, const ListRef& rest);
  // What a function of the prelude gives for lists whose length, or place in them, is known at run
  // time only; nullopt: it is to be run as it stands.
  std::optional<Abstract> CallPrelude(const Node& node, const Closure& function,
                                      const std::vector<Abstract>& arguments, const Frame& frame);
  Result<Value*> Sequence(const Abstract& list);

  // evaluate_control.cc
  Abstract EvaluateIf(const Node& node, Frame& frame, bool is_tail = false);
  Abstract EvaluateCall(const Node& node, Frame& frame);
  Abstract CallValue(const Node& node, const Abstract& callee, std::vector<Abstract> arguments,
                     const Frame& frame);
  Abstract CallClosure(const Node& node, const Closure& function, std::vector<Abstract> arguments,
                       const Frame& frame);
  // The body of `function`, and of what it calls at its end.
  Abstract RunBody(const Node& node, const Closure& function, std::vector<Abstract> arguments,
                   const std::string& path);
  Abstract RunAsGroup(const Node& node, const Closure& function,
                      const std::vector<Abstract>& arguments, const std::string& path,
                      const Frame& frame);
  const std::optional<LoopForm>& FormOf(const Closure& function);
  Frame& NewFrame(const Closure& function, const std::vector<Abstract>& arguments,
                  std::string path);
  Result<Number> Truth(const Abstract& value);

  // evaluate_loops.cc
  Abstract RunIterations(const Node& node, const Closure& function, const LoopForm& form,
                         std::vector<Abstract> arguments, const std::string& path);
  Abstract RunWhile(const Node& node, const Closure& function, const LoopForm& form,
                    std::vector<Abstract> arguments, const std::string& path);
  Abstract RunUntilEnd(const Node& node, const Closure& function, const LoopForm& form,
                       std::vector<Abstract> arguments, const std::string& path);
  bool RunSourceLoop(const Node& node, const Node& origin, const SourceLoop& loop,
                     const std::optional<Error>& problem, const Frame& place,
                     std::vector<Abstract>& results);
  // Runs the body up to the condition, and gives it.
  Result<Number> RunCondition(const LoopForm& form, Frame& frame);
  // Runs `graph` to the ends of its ways: whether the function is called again, the arguments of
  // that call, and else the result.
  std::vector<Abstract> RunToEnds(const Graph& graph, const LoopForm& form, Frame& frame,
                                  std::optional<Error>& problem);

  const Model& source_;
  Heap& heap_;
  EntryBuilder entry_;
  const ComposedNodes& composed_;
  std::unordered_map<std::string, Abstract> globals_;
  std::deque<Frame> frames_;
  std::unordered_map<const Value*, Abstract> constants_;
  std::unordered_map<const Graph*, std::optional<LoopForm>> loops_;
  std::unordered_map<const Node*, OriginPtr> origins_;
  // A call at the end of a function, to be made in its place.
  struct Pending {
    const Node* node;
    Closure function;
    std::vector<Abstract> arguments;
    const Frame* frame;  // of the caller
  };
  std::optional<Pending> pending_;
  std::size_t presented_ = 0;
  int depth_ = 0;
  std::size_t calls_ = 0;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_EVALUATOR_H_
