// SPDX-License-Identifier: Apache-2.0
// Statements and expressions with blocks: if, while, for, with, fork.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <set>

#include "importers/torch/script/function_emitter.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

std::shared_ptr<Graph> NewBlock(Node& node, std::string_view attribute) {
  auto block = std::make_shared<Graph>();
  block->set_name(std::string(attribute));
  node.SetAttribute(attribute, block);
  return block;
}

}  // namespace

Result<Typed> FunctionEmitter::ToBool(const Typed& value) {
  if (value.type.Is(Kind::kBool)) return value;
  CallArguments arguments;
  arguments.positional = {value};
  return CallBuiltin("aten::Bool", arguments);
}

Result<FunctionEmitter::Condition> FunctionEmitter::EmitCondition(const Expr& expr) {
  if (expr.kind == Expr::Kind::kCall && expr.parts[0].IsName("isinstance")) {
    return EmitIsInstance(expr);
  }
  DRAGOMAN_ASSIGN(const Typed value, EmitExpr(expr));
  DRAGOMAN_ASSIGN(const Typed condition, ToBool(value));
  Condition result{condition, std::nullopt};
  if (const auto literal = LiteralOf(expr)) {
    if (const bool* known = literal->As<bool>()) result.known = *known;
  }
  return result;
}

Result<FunctionEmitter::Condition> FunctionEmitter::EmitIsInstance(const Expr& expr) {
  builder_.SetOffset(expr.offset);
  if (expr.parts.size() != 3) return Fail("isinstance takes two arguments");
  DRAGOMAN_ASSIGN(const Typed value, EmitExpr(expr.parts[1]));
  std::vector<ScriptType> wanted;
  const Expr& classes = expr.parts[2];
  const bool several = classes.kind == Expr::Kind::kTuple;
  for (std::size_t i = 0; i < (several ? classes.parts.size() : 1); ++i) {
    const Expr& named = several ? classes.parts[i] : classes;
    DRAGOMAN_ASSIGN(ScriptType type, TypeAt(named));
    wanted.push_back(std::move(type));
  }
  const auto is_wanted = [&](const ScriptType& type) {
    for (const ScriptType& candidate : wanted) {
      if (matcher_.IsSubtype(type, candidate)) return true;
    }
    return false;
  };
  const auto may_be_wanted = [&](const ScriptType& type) {
    for (const ScriptType& candidate : wanted) {
      if (matcher_.IsSubtype(candidate, type)) return true;
    }
    return false;
  };
  std::vector<ScriptType> members = {value.type};
  if (value.type.Is(Kind::kUnion)) members = value.type.elements();
  if (value.type.Is(Kind::kOptional)) {
    members = {value.type.element(), ScriptType(Kind::kNone)};
  }
  bool all = true;
  bool none = true;
  for (const ScriptType& member : members) {
    const bool always = is_wanted(member);
    all &= always;
    none &= !always && !may_be_wanted(member);
  }
  if (all || none) return Condition{builder_.Bool(all), all};
  const Typed result =
      builder_.Append({"prim", "isinstance"}, {value.value}, ScriptType(Kind::kBool));
  Attribute::Strings names;
  for (const ScriptType& type : wanted) names.push_back(type.ToString());
  result.value->producer()->SetAttribute("types", std::move(names));
  return Condition{result, std::nullopt};
}

Status FunctionEmitter::EmitIf(const Stmt& stmt) {
  DRAGOMAN_ASSIGN(const Condition condition, EmitCondition(stmt.value));
  if (condition.known) return EmitBlock(*condition.known ? stmt.body : stmt.other);
  if (builder_.depth() >= kMaxGraphNesting) {
    return Fail(fmt::format("blocks nested deeper than {}", kMaxGraphNesting));
  }
  builder_.SetOffset(stmt.offset);
  Node* node = builder_.Append({"prim", "If"}, {condition.value.value});
  Environment::Frame frames[2];
  std::shared_ptr<Graph> blocks[2];
  for (int i = 0; i < 2; ++i) {
    blocks[i] = NewBlock(*node, i == 0 ? "then_branch" : "else_branch");
    builder_.Enter(*blocks[i]);
    environment_.Enter();
    DRAGOMAN_TRY(EmitBlock(i == 0 ? stmt.body : stmt.other));
    frames[i] = environment_.Leave();
    builder_.Leave();
  }
  return JoinBranches(*node, std::move(frames[0]), std::move(frames[1]), *blocks[0], *blocks[1]);
}

// A variable that one branch assigns comes out if both have it and one type holds both.
Status FunctionEmitter::JoinBranches(Node& node, Environment::Frame then_frame,
                                     Environment::Frame else_frame, Graph& then_block,
                                     Graph& else_block) {
  std::set<std::string> names;
  for (const auto* frame : {&then_frame, &else_frame}) {
    for (const auto& [name, value] : *frame) names.insert(name);
  }
  const auto find = [&](const Environment::Frame& frame, const std::string& name) {
    const auto found = frame.find(name);
    return found != frame.end() ? &found->second : environment_.Find(name);
  };
  std::vector<std::pair<std::string, Typed>> joined;
  for (const std::string& name : names) {
    const Typed* a = find(then_frame, name);
    const Typed* b = find(else_frame, name);
    if (a == nullptr || b == nullptr) continue;
    const auto unified = matcher_.Unify(a->type, b->type);
    const ScriptType type = unified ? *unified : ScriptType::Union({a->type, b->type});
    then_block.AddOutput(a->value);
    else_block.AddOutput(b->value);
    Value* result = node.AddResult(name, ToIrType(type));
    joined.emplace_back(name, Typed{result, type});
  }
  for (auto& [name, value] : joined) environment_.Set(name, value);
  return {};
}

Result<FunctionEmitter::LoopHead> FunctionEmitter::EmitLoopHead(const Stmt& stmt) {
  LoopHead head;
  if (stmt.kind == Stmt::Kind::kWhile) {
    head.trip_count = builder_.Int(std::numeric_limits<std::int64_t>::max());
    DRAGOMAN_ASSIGN(const Condition condition, EmitCondition(stmt.value));
    head.condition = condition.value;
    return head;
  }
  const Expr& range = stmt.value;
  if (range.kind != Expr::Kind::kCall || !range.parts[0].IsName("range") ||
      range.parts.size() != 2 || stmt.targets.size() != 1) {
    return FailUnsupported("a for loop over anything but range(n)");
  }
  DRAGOMAN_ASSIGN(const Typed count, EmitExpr(range.parts[1]));
  const auto trip_count = matcher_.Convert(count, ScriptType(Kind::kInt), true);
  if (!trip_count) return Fail(fmt::format("range of a {}", count.type.ToString()));
  head.trip_count = *trip_count;
  head.condition = builder_.Bool(true);
  return head;
}

std::vector<std::string> FunctionEmitter::CarriedNames(const Stmt& loop) const {
  std::vector<std::string> assigned = AssignedNames(loop.body);
  if (loop.kind == Stmt::Kind::kFor) assigned.push_back(loop.targets.front().text);
  const std::set<std::string> sorted(assigned.begin(), assigned.end());
  std::vector<std::string> carried;
  for (const std::string& name : sorted) {
    if (environment_.Find(name) != nullptr) carried.push_back(name);
  }
  return carried;
}

Result<std::vector<Typed>> FunctionEmitter::EmitIteration(const Stmt& loop, Graph& body,
                                                          const std::vector<std::string>& carried) {
  const Typed index{body.AddInput("i", ToIrType(ScriptType(Kind::kInt))), ScriptType(Kind::kInt)};
  Environment::Frame inputs;
  for (const std::string& name : carried) {
    const ScriptType& type = environment_.Find(name)->type;
    inputs[name] = {body.AddInput(name, ToIrType(type)), type};
  }
  builder_.Enter(body);
  environment_.Enter();
  for (const auto& [name, value] : inputs) environment_.Set(name, value);
  environment_.Enter();
  if (loop.kind == Stmt::Kind::kFor) environment_.Set(loop.targets.front().text, index);
  DRAGOMAN_TRY(EmitBlock(loop.body));
  Typed next;
  if (loop.kind == Stmt::Kind::kWhile) {
    DRAGOMAN_ASSIGN(const Condition condition, EmitCondition(loop.value));
    next = condition.value;
  } else {
    next = builder_.Bool(true);
  }
  body.AddOutput(next.value);
  std::vector<Typed> outputs;
  for (const std::string& name : carried) outputs.push_back(*environment_.Find(name));
  environment_.Leave();
  environment_.Leave();
  builder_.Leave();
  return outputs;
}

Status FunctionEmitter::EmitLoop(const Stmt& stmt) {
  if (builder_.depth() >= kMaxGraphNesting) {
    return Fail(fmt::format("blocks nested deeper than {}", kMaxGraphNesting));
  }
  DRAGOMAN_ASSIGN(const LoopHead head, EmitLoopHead(stmt));
  builder_.SetOffset(stmt.offset);
  const std::vector<std::string> carried = CarriedNames(stmt);
  std::vector<Value*> operands = {head.trip_count.value, head.condition.value};
  for (const std::string& name : carried) operands.push_back(environment_.Find(name)->value);
  Node* node = builder_.Append({"prim", "Loop"}, operands);
  const auto body = NewBlock(*node, "body");
  DRAGOMAN_ASSIGN(const std::vector<Typed> outputs, EmitIteration(stmt, *body, carried));
  for (std::size_t i = 0; i < carried.size(); ++i) {
    body->AddOutput(outputs[i].value);
    const ScriptType& outer = environment_.Find(carried[i])->type;
    const auto unified = matcher_.Unify(outer, outputs[i].type);
    const ScriptType type = unified ? *unified : outer;
    environment_.Set(carried[i], {node->AddResult(carried[i], ToIrType(type)), type});
  }
  return {};
}

Status FunctionEmitter::EmitWith(const Stmt& stmt) {
  DRAGOMAN_ASSIGN(const Typed object, EmitExpr(stmt.value));
  if (!object.type.Is(Kind::kClass)) {
    return Fail(fmt::format("with of a {}", object.type.ToString()));
  }
  const auto enter = program_.FindMethod(object.type.name(), "__enter__");
  const auto exit = program_.FindMethod(object.type.name(), "__exit__");
  if (!enter || !exit) {
    return Fail(fmt::format("{} has no __enter__ and __exit__", object.type.name()));
  }
  DRAGOMAN_ASSIGN(const Schema* signature, program_.SignatureOf(*enter));
  context_.called.insert(enter->name);
  context_.called.insert(exit->name);
  const Typed entered =
      builder_.Append({"prim", "Enter"}, {object.value}, signature->results.front().type);
  if (!stmt.targets.empty()) {
    DRAGOMAN_TRY(Assign(stmt.targets.front(), entered, std::nullopt));
  }
  DRAGOMAN_TRY(EmitBlock(stmt.body));
  builder_.SetOffset(stmt.offset);
  builder_.Append({"prim", "Exit"}, {object.value}, ScriptType(Kind::kNone));
  return {};
}

// Two branches that each give one value: that of an expression, or `otherwise` where it is nullptr.
Result<Typed> FunctionEmitter::EmitBranches(const Condition& condition, const Expr* then_value,
                                            const Expr* else_value, const Typed& otherwise,
                                            const ScriptType* hint) {
  Node* node = builder_.Append({"prim", "If"}, {condition.value.value});
  Typed values[2];
  for (int i = 0; i < 2; ++i) {
    const Expr* expr = i == 0 ? then_value : else_value;
    const auto block = NewBlock(*node, i == 0 ? "then_branch" : "else_branch");
    builder_.Enter(*block);
    if (expr == nullptr) {
      values[i] = otherwise;
    } else {
      DRAGOMAN_ASSIGN(values[i], EmitExpr(*expr, hint));
    }
    block->AddOutput(values[i].value);
    builder_.Leave();
  }
  const auto type = matcher_.Unify(values[0].type, values[1].type);
  if (!type) {
    return Fail(fmt::format("the branches give {} and {}", values[0].type.ToString(),
                            values[1].type.ToString()));
  }
  return Typed{builder_.AddResult(*node, *type), *type};
}

Result<Typed> FunctionEmitter::EmitConditional(const Expr& expr, const ScriptType* hint) {
  DRAGOMAN_ASSIGN(const Condition condition, EmitCondition(expr.parts[0]));
  if (condition.known) return EmitExpr(expr.parts[*condition.known ? 1 : 2], hint);
  return EmitBranches(condition, &expr.parts[1], &expr.parts[2], {}, hint);
}

// and, or
Result<Typed> FunctionEmitter::EmitShortCircuit(const Expr& expr) {
  DRAGOMAN_ASSIGN(const Condition left, EmitCondition(expr.parts[0]));
  const bool is_or = expr.text == "or";
  const Expr* right = &expr.parts[1];
  const Typed known = builder_.Bool(is_or);
  DRAGOMAN_ASSIGN(const Typed value, EmitBranches(left, is_or ? nullptr : right,
                                                  is_or ? right : nullptr, known, nullptr));
  return ToBool(value);
}

void FunctionEmitter::LiftCaptures(Node& node, Graph& block) {
  std::set<const Graph*> inside;
  ForEachGraph(block, [&](Graph& graph) { inside.insert(&graph); });
  ValueMap lifted;
  const auto lift = [&](Value* value) {
    if (value == nullptr || inside.contains(value->graph())) return;
    Value*& input = lifted[value];
    if (input != nullptr) return;
    input = block.AddInput(value->name(), value->type());
    node.AddOperand(value);
  };
  ForEachGraph(block, [&](Graph& graph) {
    for (Node& user : graph.nodes()) {
      for (const Use& use : user.operands()) lift(use.value());
    }
    for (const Use& output : graph.outputs()) lift(output.value());
  });
  ForEachGraph(block, [&](Graph& graph) { graph.Redirect(lifted); });
}

// fork(f): f is a nested function, whose captured values become operands and inputs.
Result<Typed> FunctionEmitter::EmitFork(const Expr& call) {
  if (call.parts.size() != 2 || call.parts[1].kind != Expr::Kind::kName) {
    return FailUnsupported("fork of anything but a nested function");
  }
  const FunctionDef* def = environment_.FindClosure(call.parts[1].text);
  if (def == nullptr) return Fail(fmt::format("'{}' is not a nested function", call.parts[1].text));
  if (builder_.depth() >= kMaxGraphNesting) {
    return Fail(fmt::format("blocks nested deeper than {}", kMaxGraphNesting));
  }
  Node* node = builder_.Append({"prim", "fork"}, {});
  const auto block = NewBlock(*node, "Subgraph");
  builder_.Enter(*block, /*isolated=*/true);
  environment_.Enter();
  auto declared = std::exchange(declared_result_, std::nullopt);
  Typed value;
  Status status;
  for (const Stmt& stmt : def->body) {
    builder_.SetOffset(stmt.offset);
    if (stmt.kind != Stmt::Kind::kReturn) {
      DRAGOMAN_TRY(EmitStatement(stmt));
      continue;
    }
    DRAGOMAN_ASSIGN(value, EmitExpr(stmt.value));
    break;
  }
  if (value.value == nullptr) value = builder_.None();
  block->AddOutput(value.value);
  declared_result_ = std::move(declared);
  environment_.Leave();
  builder_.Leave();
  LiftCaptures(*node, *block);
  const ScriptType future = ScriptType::Of(Kind::kFuture, {value.type});
  return Typed{builder_.AddResult(*node, future), future};
}

}  // namespace dragoman::torch
