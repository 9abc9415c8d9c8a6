// SPDX-License-Identifier: Apache-2.0
// Compiles one function of the archive to a graph of dialects aten, prim, …, as torch's own
// compiler does (pytorch torch/csrc/jit/frontend/ir_emitter.cpp).
//
// A variable becomes the value last assigned to it. What a branch or loop body assigns comes out as
// results of prim.If or prim.Loop, in order of names.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FUNCTION_EMITTER_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FUNCTION_EMITTER_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/torch/schema/match_call.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/block_builder.h"
#include "importers/torch/script/environment.h"
#include "importers/torch/script/program.h"
#include "importers/torch/script/script_functions.h"

namespace dragoman::torch {

// What all functions of an archive share, and what they turn out to need.
struct EmitContext {
  Program& program;
  SchemaTable& schemas;
  ScriptFunctions& script_functions;
  const ConstantTable& constants;

  std::set<std::string> called = {};  // qualified names of functions and methods
  // Methods called on an interface: its name, that of the method.
  std::set<std::pair<std::string, std::string>> interface_calls = {};
  std::set<std::string> created = {};  // classes of which objects are made
};

class FunctionEmitter {
 public:
  FunctionEmitter(EmitContext& context, Graph& graph, const CodeFile& file)
      : context_(context),
        program_(context.program),
        builder_(graph, file),
        matcher_(context.program, builder_) {}

  // Fills the graph. Errors: the first finding of this function.
  Status Emit(const ScriptFunction& function);

 private:
  // What a name or attribute chain stands for, before it is called.
  struct Sugared {
    enum class Kind : std::uint8_t {
      kValue,      // value
      kNamespace,  // name: "torch", "ops", "ops.quantized", "CONSTANTS"
      kBuiltin,    // name: "aten::add"; a method of `value` if has_self
      kQualified,  // name: "__torch__.a.f": a function, a class, or a part of the name of one
      kNew,        // name: the class
      kMethod,     // name: the method, of the object `value`
      kSpecial,    // name: "annotate", "isinstance", "tolist" (of `value`), …
      kCast,       // name: "int", "float", "bool", "str", "complex"
      kClosure,    // name: a nested function
    };
    Kind kind = Kind::kValue;
    std::string name = {};
    Typed value = {};
    bool has_self = false;
  };
  struct Condition {
    Typed value;
    std::optional<bool> known;  // by its types alone
  };

  // Statements (emit_statements.cc).
  Status EmitFunction(const ScriptFunction& function);
  Status EmitBlock(const std::vector<Stmt>& statements);
  Status EmitStatement(const Stmt& stmt);
  Status EmitAssignment(const Stmt& stmt);
  Status EmitUnpacking(const Stmt& stmt);
  Status EmitAugmented(const Stmt& stmt);
  Status EmitReturn(const Stmt& stmt);
  Status Assign(const Expr& target, Typed value, const std::optional<ScriptType>& annotated);
  Status SetVariable(const std::string& name, Typed value,
                     const std::optional<ScriptType>& annotated);
  Result<std::vector<Typed>> Unpack(const Typed& value, std::size_t count);
  Result<ScriptType> TypeAt(const Expr& expr);

  // Blocks (emit_blocks.cc).
  Status EmitIf(const Stmt& stmt);
  Status EmitLoop(const Stmt& stmt);
  Status EmitWith(const Stmt& stmt);
  Status JoinBranches(Node& node, Environment::Frame then_frame, Environment::Frame else_frame,
                      Graph& then_block, Graph& else_block);
  struct LoopHead {
    Typed trip_count;
    Typed condition;
  };
  Result<LoopHead> EmitLoopHead(const Stmt& stmt);
  // What the loop assigns of the variables that are there before it, sorted.
  std::vector<std::string> CarriedNames(const Stmt& loop) const;
  // Fills the body of a loop; what `carried` are at the end of an iteration.
  Result<std::vector<Typed>> EmitIteration(const Stmt& loop, Graph& body,
                                           const std::vector<std::string>& carried);
  Result<Condition> EmitCondition(const Expr& expr);
  Result<Condition> EmitIsInstance(const Expr& expr);
  Result<Typed> EmitConditional(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitShortCircuit(const Expr& expr);
  Result<Typed> EmitBranches(const Condition& condition, const Expr* then_value,
                             const Expr* else_value, const Typed& otherwise,
                             const ScriptType* hint);
  Result<Typed> EmitFork(const Expr& call);
  // Makes the values that `block` takes from around it operands of `node` and inputs.
  static void LiftCaptures(Node& node, Graph& block);
  Result<Typed> ToBool(const Typed& value);

  // Expressions (emit_expressions.cc). A hint is the type that the context expects.
  Result<Typed> EmitExpr(const Expr& expr, const ScriptType* hint = nullptr);
  Result<Sugared> EmitSugared(const Expr& expr, const ScriptType* hint = nullptr);
  Result<Typed> AsValue(Sugared sugared);
  Result<Sugared> EmitName(const Expr& expr);
  Result<Sugared> EmitAttribute(const Expr& expr);
  Result<Sugared> AttributeOf(const Typed& object, const std::string& name);
  Result<Sugared> ClassAttribute(const Typed& object, const std::string& name);
  Result<Sugared> QualifiedAttribute(const std::string& head, const std::string& name);
  Result<Sugared> EnumValue(const Typed& object);
  Result<Sugared> NamedTupleField(const Typed& tuple, const std::string& name);
  Result<Typed> EmitList(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitDict(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitTuple(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitSubscript(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitTupleIndex(const Typed& tuple, const Expr& index);
  Result<Typed> EmitComputedTupleIndex(const Typed& tuple, const Expr& index);
  Result<Typed> EmitTupleSlice(const Typed& tuple, const Expr& slice);
  Result<Typed> EmitSlice(const Typed& object, const Expr& slice, std::int64_t dim);
  Result<Typed> EmitTensorIndex(Typed tensor, const Expr& index);
  Result<Typed> EmitOperator(const Expr& expr);

  // Calls (emit_calls.cc).
  Result<Typed> EmitCall(const Expr& expr, const ScriptType* hint);
  Result<Typed> EmitSpecial(const Sugared& form, const Expr& call);
  Result<Typed> EmitAnnotate(const Expr& call);
  Result<Typed> EmitGetattr(const Expr& call);
  Result<Typed> EmitToList(const Typed& tensor, const ScriptType& type);
  Result<CallArguments> EmitArguments(const Expr& call);
  Result<Typed> CallBuiltin(const std::string& name, const CallArguments& arguments);
  Typed CallUnknown(const std::string& name, const CallArguments& arguments);
  Result<Typed> CallQualified(const std::string& name, const CallArguments& arguments);
  Result<Typed> CallFunction(const ScriptFunction& function, const CallArguments& arguments);
  Result<Typed> CallMethod(const Typed& object, const std::string& name,
                           const CallArguments& arguments);
  Result<Typed> CallNamedTuple(const ScriptType& type, const CallArguments& arguments);
  Result<Typed> CreateObject(const std::string& class_name);
  Result<Typed> InlineScriptFunction(const ScriptFunction& function,
                                     const std::vector<Typed>& arguments);
  Typed PackResults(Node& node, const std::vector<ScriptType>& types);

  Error Fail(std::string message) const {
    return builder_.Fail(ErrorKind::kInvalidInput, std::move(message));
  }
  Error FailUnsupported(std::string message) const {
    return builder_.Fail(ErrorKind::kUnsupported, std::move(message));
  }

  EmitContext& context_;
  Program& program_;
  BlockBuilder builder_;
  CallMatcher matcher_;
  Environment environment_;
  std::optional<ScriptType> declared_result_;
  std::optional<Typed> returned_;
  std::optional<Error> unknown_;  // of the first call of an operator without a schema
  int inlining_ = 0;              // script functions inside of each other
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FUNCTION_EMITTER_H_
