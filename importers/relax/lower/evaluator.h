// SPDX-License-Identifier: Apache-2.0
// Runs a function of a source module on abstract values and so builds the graph of an entry.
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_EVALUATOR_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_EVALUATOR_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/abstract.h"
#include "core/lowering/entry_builder.h"
#include "core/support/python/syntax.h"
#include "importers/relax/lower/composed.h"
#include "importers/relax/lower/recursion.h"
#include "importers/relax/ops/call.h"
#include "importers/tvm/metadata.h"

namespace dragoman::tvmscript {

// A named size: a number, or that of an axis, which is read where it is used.
struct NamedSize {
  Number number;
  Value* tensor = nullptr;
  int axis = 0;
};

// What the names of one call of a function mean.
struct Scope {
  std::unordered_map<const Value*, Abstract> values;
  std::map<std::string, NamedSize> sizes;
};

Abstract NewTuple(std::vector<Abstract> items);

// A function as a value: one of the module, or a local one with what it sees around it.
struct FunctionValue : public ForeignValue {
  std::string name;
  const Graph* body = nullptr;
  const Value* self = nullptr;               // a local function: what it is called in its own body
  std::shared_ptr<const Scope> environment;  // nullptr: one of the module
  std::vector<Abstract> last;                // its last arguments, which R.make_closure gave

  std::string Describe() const override { return "a function"; }
  bool IsSame(const ForeignValue& other) const override;
};

// The functions of a module by name.
using FunctionTable = std::unordered_map<std::string, const Graph*>;
FunctionTable FunctionsOf(const Model& source);

class Evaluator {
 public:
  // `functions` is FunctionsOf(source).
  Evaluator(const Model& source, const FunctionTable& functions, const ComposedNodes& composed,
            Heap& heap, Graph& graph, Inference& inference);

  GraphBuilder& builder() { return entry_.builder(); }
  std::vector<Finding>& findings() { return entry_.findings; }

  // Enters a parameter, and the sizes that its type names.
  void SetInput(const Value& input, Abstract value, Scope& scope);
  // `shape` as int64 of rank 1, by the names of sizes that inputs have.
  Result<Value*> SizesValue(const Shape& shape, const Scope& scope);
  // Runs `function`; what it returns.
  Abstract Run(const Graph& function, Scope& scope);

 private:
  void RunNode(const Node& node, Scope& scope);
  void RunStatement(const Node& node, Scope& scope);
  Result<Abstract> Evaluate(const Node& node, Scope& scope);

  // evaluate_control.cc
  Result<Abstract> EvaluateIf(const Node& node, Scope& scope);
  Result<Abstract> EvaluateCall(const Node& node, Scope& scope);
  Result<Abstract> EvaluateCallOfValue(const Node& node, Scope& scope);
  Result<Abstract> EvaluateFunction(const Node& node, const Scope& scope);
  Result<Abstract> MakeClosure(const Node& node, Scope& scope);
  Result<Abstract> InvokeClosure(const Node& node, Scope& scope);
  Result<FunctionValue> FunctionOf(std::string name) const;
  Result<std::vector<Abstract>> ArgumentsOf(const Node& node, std::size_t first, Scope& scope);
  Result<Abstract> CallFunction(const FunctionValue& function, std::vector<Abstract> arguments);
  Scope Enter(const FunctionValue& function, const std::vector<Abstract>& arguments);
  Result<Number> ConditionOf(const Value* condition, const Scope& scope);

  // evaluate_loops.cc
  const std::optional<TailRecursion>& TailRecursionOf(const FunctionValue& function);
  const std::optional<HalvedIterations>& HalvedIterationsOf(const FunctionValue& function);
  Result<Abstract> RunTailRecursion(const FunctionValue& function, const TailRecursion& form,
                                    const std::vector<Abstract>& arguments);
  Result<Number> RunTest(const FunctionValue& function, const TailRecursion& form, Scope& scope);
  Result<Abstract> RunHalvedIterations(const FunctionValue& function, const HalvedIterations& form,
                                       const std::vector<Abstract>& arguments);
  struct Iterations;
  Result<Iterations> BeginIterations(const HalvedIterations& form,
                                     const std::vector<Abstract>& arguments);
  Status RunStep(const HalvedIterations& form, const std::vector<Abstract>& arguments,
                 Iterations& iterations);
  Result<Node*> AppendLoop(const FunctionValue& function, const HalvedIterations& form,
                           Iterations& iterations);

  // evaluate_groups.cc
  static bool IsGroup(const FunctionValue& function, const std::vector<Abstract>& arguments);
  Result<std::optional<Abstract>> RunGroup(const FunctionValue& function,
                                           const std::vector<Abstract>& arguments);

  // evaluate_packed.cc
  Result<Abstract> EvaluatePacked(const Node& node, Scope& scope);
  Result<Abstract> EvaluatePrimFunc(const Node& node, Scope& scope);

  // evaluate_composed.cc
  void RunComposed(const ComposedStatements& composed, Scope& scope);

  // evaluator.cc
  OriginPtr OriginOf(const Node& node) const;
  Result<Abstract> EvaluateOperator(const Node& node, const std::string& op, Scope& scope);
  Result<Abstract> EvaluateCast(const Node& node, Scope& scope);
  Result<Abstract> EvaluateEffect(const Node& node, Scope& scope);
  Result<Abstract> EvaluateMetadata(const Node& node);
  Result<Abstract> CastTensor(Value* value, const Type& type, Scope& scope);

  // evaluate_sizes.cc: shapes are tuples of numbers.
  Result<Abstract> ShapeOf(const Node& node, Scope& scope);
  Result<Abstract> TensorToShape(const Node& node, Scope& scope);
  Result<Abstract> ShapeToTensor(const Node& node, Scope& scope);
  Result<Abstract> Literal(const Attribute& attribute, Scope& scope);
  void NameSizes(const Type& type, const Abstract& value, Scope& scope);
  Result<Number> FindSize(const std::string& text, const Scope& scope);
  Result<Number> ValueOf(const NamedSize& size);
  Result<Number> SizeOf(const python::Expr& expr, const Scope& scope);
  Result<Number> Combine(const std::string& op, const Number& a, const Number& b);

  const Abstract& Get(const Value* value, const Scope& scope) const;
  Result<Value*> Tensor(const Value* value, const Scope& scope);
  void Report(const Node& node, const Error& error);

  const Model& source_;
  Heap& heap_;
  EntryBuilder entry_;
  const ComposedNodes& composed_;
  std::optional<tvm::Metadata> metadata_;  // read when it is first asked for
  const FunctionTable& functions_;
  std::unordered_map<const Graph*, std::optional<TailRecursion>> tail_recursions_;
  std::unordered_map<const Graph*, std::optional<HalvedIterations>> halved_iterations_;
  std::vector<const Graph*> calls_;  // under way
  std::size_t nodes_ = 0;            // that were run
};

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_EVALUATOR_H_
