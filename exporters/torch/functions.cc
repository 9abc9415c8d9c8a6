// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/functions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "exporters/torch/spelling.h"

namespace dragoman::pytorch {
namespace {

using Step = Statement::Kind;

Statement Assign(std::vector<std::string> targets, Expr value) {
  return {.kind = Step::kAssign, .targets = std::move(targets), .value = std::move(value)};
}

Expr Values(const std::vector<std::string>& names) {
  Exprs parts;
  for (const std::string& name : names) parts.push_back(ValueOf(name));
  return parts.size() == 1 ? std::move(parts.front()) : Tuple(std::move(parts));
}

class FunctionMaker {
 public:
  FunctionMaker(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
                const Module& module, std::set<std::string>& read)
      : program_(program), tree_(tree), regions_(regions), module_(module), read_(read) {}

  Function Make() {
    const Region& region = *regions_.Find(module_);
    const bool is_root = module_.parent == nullptr;
    Function function;
    function.inputs = is_root ? program_.inputs : region.boundary.inputs;
    for (const std::string& input : function.inputs) Know(input);
    if (is_root) ReadStates(function.statements);
    for (const Item& item : region.items) {
      if (item.call != nullptr) {
        AddCall(*item.call, function.statements);
      } else {
        AddModule(*item.module, function.statements);
      }
    }
    if (is_root) WriteStates(function.statements);
    Expr result = Values(is_root ? program_.outputs : region.boundary.outputs);
    const bool is_empty = result.kind == Expr::Kind::kTuple && result.parts.empty();
    Finish(result);
    if (!is_empty)
      function.statements.push_back({.kind = Step::kReturn, .value = std::move(result)});
    DropUnread(function.statements);
    return function;
  }

 private:
  // Old values of states are read before all else.
  void ReadStates(Statements& to) {
    for (const StateUpdate& state : program_.states) {
      const ModulePath& path = *tree_.PathOfWeight(program_, state.buffer);
      read_.insert(Dotted(path));
      to.push_back(Assign({state.buffer}, SelfAt(PathFrom(module_, path))));
      Know(state.buffer);
    }
  }

  // States that are only replaced.
  static void DropUnread(Statements& statements) {
    std::set<std::string> read;
    ForEachExpr(std::as_const(statements), [&](const Expr& part) {
      if (part.kind == Expr::Kind::kValue) read.insert(part.text);
    });
    std::erase_if(statements, [&](const Statement& statement) {
      return statement.kind == Step::kAssign && statement.value.kind == Expr::Kind::kSelf &&
             !read.contains(statement.targets.front());
    });
  }

  // The graph of one call does not reach into the next, nor do changes of tensors that it took or
  // gave.
  void WriteStates(Statements& to) {
    for (const StateUpdate& state : program_.states) {
      if (state.next == state.buffer) continue;
      Expr next = ValueOf(state.next);
      Finish(next);
      to.push_back({.kind = Step::kSet,
                    .value = Method(Method(std::move(next), "detach", {}), "clone", {}),
                    .text = FlatText(
                        SelfAt(PathFrom(module_, *tree_.PathOfWeight(program_, state.buffer))))});
    }
  }

  void Know(const std::string& value) {
    const auto info = program_.values.find(value);
    if (info != program_.values.end() && !info->second.is_size) known_.push_back(value);
  }

  // A tensor that has the size, and at which axis.
  Expr SizeExpr(const std::string& value, const Call& size) const {
    const std::string& wanted = program_.values.at(value).dims.front();
    const auto at = [](const std::string& tensor, std::size_t axis) {
      return Index(AttributeOf(ValueOf(tensor), "shape"), {Code(std::to_string(axis))});
    };
    const std::string origin = size.Tensor("self");
    if (std::ranges::count(known_, origin) > 0)
      return at(origin, (*size.Find("dim"))["as_int"].get<std::size_t>());
    for (const std::string& tensor : known_) {
      const std::vector<std::string>& dims = program_.values.at(tensor).dims;
      const auto dim = std::ranges::find(dims, wanted);
      if (dim != dims.end()) return at(tensor, static_cast<std::size_t>(dim - dims.begin()));
    }
    return at(origin, (*size.Find("dim"))["as_int"].get<std::size_t>());
  }

  // Weights that the module holds and sizes, as Python has them.
  void Finish(Expr& expr) {
    ForEachPart(expr, [&](Expr& part) {
      if (part.kind != Expr::Kind::kValue) return;
      if (const Call* size = regions_.SizeCall(part.text)) {
        part = SizeExpr(part.text, *size);
        return;
      }
      if (regions_.IsState(part.text)) return;
      const ModulePath* weight = tree_.PathOfWeight(program_, part.text);
      if (weight == nullptr || !IsAbove(module_.path, *weight)) return;
      read_.insert(Dotted(*weight));
      part = SelfAt(PathFrom(module_, *weight));
    });
  }

  // Tensors that are made of numbers lie where the others do.
  void PutOnDevice(Expr& call) const {
    const auto device = std::ranges::find_if(call.parts, [](const Expr& part) {
      return part.kind == Expr::Kind::kKeyword && part.text == "device";
    });
    if (device == call.parts.end()) return;
    if (known_.empty()) {
      call.parts.erase(device);
    } else {
      device->parts = {AttributeOf(ValueOf(known_.front()), "device")};
    }
  }

  void AddModule(const Module& module, Statements& to) {
    const Boundary& boundary = regions_.BoundaryOf(module);
    Exprs arguments;
    for (const std::string& input : boundary.inputs) arguments.push_back(ValueOf(input));
    Expr call = CallOf(SelfAt(PathFrom(module_, module.path)), std::move(arguments));
    Finish(call);
    Add(boundary.outputs, std::move(call), to);
  }

  void Add(std::vector<std::string> targets, Expr value, Statements& to) {
    for (const std::string& target : targets) Know(target);
    if (targets.empty()) {
      to.push_back({.kind = Step::kDo, .value = std::move(value)});
    } else {
      to.push_back(Assign(std::move(targets), std::move(value)));
    }
  }

  void AddCall(const Call& call, Statements& to) {
    if (call.target == "higher_order.cond") return AddCond(call, to);
    if (call.target == "higher_order.while_loop") return AddWhile(call, to);
    if (call.target == "higher_order.scan") return AddScan(call, to);
    if (const Module* layer = tree_.LayerOf(call)) {
      const LayerCall& made = tree_.LayerCallOf(call);
      Expr value = CallOf(SelfAt(PathFrom(module_, layer->path)), made.arguments);
      for (const auto& [name, weight] : made.weights)
        read_.insert(Dotted(layer->path) + "." + name);
      Finish(value);
      Add(call.results, std::move(value), to);
      if (made.results_in_pair) to.back().text = "pair";
      return;
    }
    Expr value = Spell(call);
    PutOnDevice(value);
    Finish(value);
    Add(call.results, std::move(value), to);
  }

  // Names that a body has for what it is given.
  void Rename(Statements& statements, const std::map<std::string, std::string>& names) {
    ForEachExpr(statements, [&](Expr& expr) {
      if (expr.kind != Expr::Kind::kValue) return;
      if (const auto name = names.find(expr.text); name != names.end()) expr.text = name->second;
    });
  }

  Statements BodyOf(const Body& body) {
    const std::size_t before = known_.size();
    Statements statements;
    for (const std::string& input : body.inputs) Know(input);
    for (const Call& call : body.calls) AddCall(call, statements);
    known_.resize(before);
    return statements;
  }

  Expr Finished(Expr expr) {
    Finish(expr);
    return expr;
  }

  Exprs ListArgument(const Call& call, std::size_t i) {
    return Finished(ArgumentExpr(call.arguments.at(i)["arg"], "")).parts;
  }

  void AddCond(const Call& call, Statements& to) {
    Statement statement = {.kind = Step::kIf};
    statement.value = Finished(ArgumentExpr(call.arguments.at(0)["arg"], ""));
    statement.body = BodyOf(call.bodies.at(0));
    statement.orelse = BodyOf(call.bodies.at(1));
    const auto give = [&](const Body& body, Statements& branch) {
      branch.push_back(Assign(call.results, Finished(Values(body.outputs))));
    };
    give(call.bodies[0], statement.body);
    give(call.bodies[1], statement.orelse);
    to.push_back(std::move(statement));
    for (const std::string& result : call.results) Know(result);
  }

  // The carried values have the names of the results all the time.
  void AddWhile(const Call& call, Statements& to) {
    const Exprs carried = ListArgument(call, 2);
    for (std::size_t i = 0; i < carried.size(); ++i)
      to.push_back(Assign({call.results[i]}, carried[i]));
    Statement loop = {.kind = Step::kForever};
    const auto add = [&](const Body& body) {
      Statements statements = BodyOf(body);
      std::map<std::string, std::string> names;
      for (std::size_t i = 0; i < carried.size(); ++i) names[body.inputs[i]] = call.results[i];
      statements.push_back({.kind = Step::kDo, .value = Finished(Values(body.outputs))});
      Rename(statements, names);
      return statements;
    };
    loop.body = add(call.bodies.at(0));
    Statement leave = {.kind = Step::kIf,
                       .value = Unary("not ", std::move(loop.body.back().value)),
                       .body = {{.kind = Step::kBreak}}};
    loop.body.back() = std::move(leave);
    Statements turn = add(call.bodies.at(1));
    turn.back() = Assign(call.results, std::move(turn.back().value));
    std::ranges::move(turn, std::back_inserter(loop.body));
    to.push_back(std::move(loop));
    for (const std::string& result : call.results) Know(result);
  }

  void AddScan(const Call& call, Statements& to) {
    const Exprs carried = ListArgument(call, 1);
    const Exprs slices = ListArgument(call, 2);
    const Body& body = call.bodies.at(0);
    for (std::size_t i = 0; i < carried.size(); ++i)
      to.push_back(Assign({call.results[i]}, carried[i]));
    std::vector<std::string> lists;
    for (std::size_t i = carried.size(); i < call.results.size(); ++i) {
      lists.push_back(call.results[i] + "_steps");
      Statement empty = Assign({lists.back()}, List({}));
      empty.text = "list";
      to.push_back(std::move(empty));
    }
    Statement loop = {.kind = Step::kFor};
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < body.inputs.size(); ++i) {
      if (i < carried.size())
        names[body.inputs[i]] = call.results[i];
      else if (i < carried.size() + slices.size())
        loop.targets.push_back(body.inputs[i]);
    }
    loop.value = slices.size() == 1 ? slices[0] : CallOf("zip", slices);
    loop.body = BodyOf(body);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      loop.body.push_back({.kind = Step::kDo,
                           .value = Method(ValueOf(lists[i]), "append",
                                           {Finished(ValueOf(body.outputs[carried.size() + i]))})});
    }
    if (!carried.empty()) {
      const std::vector<std::string> next(body.outputs.begin(),
                                          body.outputs.begin() + std::ssize(carried));
      loop.body.push_back(Assign({call.results.begin(), call.results.begin() + std::ssize(carried)},
                                 Finished(Values(next))));
    }
    Rename(loop.body, names);
    to.push_back(std::move(loop));
    for (std::size_t i = 0; i < lists.size(); ++i) {
      to.push_back(
          Assign({call.results[carried.size() + i]}, CallOf("torch.stack", {ValueOf(lists[i])})));
    }
    for (const std::string& result : call.results) Know(result);
  }

  const ProgramCalls& program_;
  const ModuleTree& tree_;
  const Regions& regions_;
  const Module& module_;
  std::set<std::string>& read_;
  std::vector<std::string> known_;  // tensors that are there
};

}  // namespace

std::string PathFrom(const Module& module, const ModulePath& to) {
  std::string path;
  const Module* at = &module;
  for (std::size_t i = module.path.size(); i < to.size(); ++i) {
    const std::string& part = to[i];
    const Module* child = at != nullptr ? at->Child(part) : nullptr;
    if (!IsNumber(part)) {
      path += (path.empty() ? "" : ".") + part;
    } else if (at != nullptr && at->form != Module::Form::kClass && at->is_list()) {
      const bool is_dense = at->children.size() == 1 + std::stoul(at->children.back()->name());
      path += is_dense || at->form == Module::Form::kSequential ? "[" + part + "]"
                                                                : "[\"" + part + "\"]";
    } else {
      path += (path.empty() ? "" : ".") + ("get_submodule(\"" + part + "\")");
    }
    at = child;
  }
  return path;
}

Function MakeFunction(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
                      const Module& module, std::set<std::string>& read) {
  return FunctionMaker(program, tree, regions, module, read).Make();
}

}  // namespace dragoman::pytorch
