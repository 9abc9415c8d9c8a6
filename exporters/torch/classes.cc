// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "exporters/torch/growing_lists.h"

namespace dragoman::pytorch {

namespace {

// The text of what two classes must have in common. Values count in the order in which they are
// met; numbers are all alike.
class KeyText {
 public:
  void Add(std::string_view text) { text_ += fmt::format("{}:{} ", text.size(), text); }
  void AddValue(const std::string& name) {
    const auto number = numbers_.try_emplace(name, numbers_.size()).first->second;
    text_ += fmt::format("%{} ", number);
  }
  void Add(const Expr& expr) {
    text_ += fmt::format("({} ", static_cast<int>(expr.kind));
    if (expr.kind == Expr::Kind::kValue) {
      AddValue(expr.text);
    } else if (expr.kind != Expr::Kind::kInt) {
      Add(expr.text);
    }
    for (const Expr& part : expr.parts) Add(part);
    text_ += ')';
  }
  void Add(const Statements& statements) {
    for (const Statement& statement : statements) {
      text_ += fmt::format("<{} ", static_cast<int>(statement.kind));
      Add(statement.value);
      for (const std::string& target : statement.targets) AddValue(target);
      Add(statement.text);
      Add(statement.body);
      text_ += '|';
      Add(statement.orelse);
      text_ += '>';
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::map<std::string, std::size_t> numbers_;
};

// Numbers of a draft in the order of its text.
std::vector<Expr*> NumbersIn(std::vector<std::pair<std::string, Expr>>& members,
                             Statements& statements) {
  std::vector<Expr*> numbers;
  const auto visit = [&](Expr& part) {
    if (part.kind == Expr::Kind::kInt) numbers.push_back(&part);
  };
  for (auto& [name, value] : members) ForEachPart(value, visit);
  ForEachExpr(statements, visit);
  return numbers;
}

std::string Bracketed(const std::vector<std::string>& dims) {
  std::string text;
  for (const std::string& dim : dims) text += (text.empty() ? "" : ", ") + dim;
  return "[" + text + "]";
}

void CollectSizes(const Statements& statements, const ProgramCalls& program,
                  std::vector<std::vector<std::string>>& sizes) {
  for (const Statement& statement : statements) {
    std::vector<std::string> dims;
    if (statement.kind == Statement::Kind::kAssign && statement.targets.size() == 1) {
      const auto info = program.values.find(statement.targets.front());
      if (info != program.values.end() && !info->second.is_size) {
        dims = info->second.dims;
        dims.emplace_back("]");  // also of a tensor without axes
      }
    }
    sizes.push_back(std::move(dims));
    CollectSizes(statement.body, program, sizes);
    CollectSizes(statement.orelse, program, sizes);
  }
}

void PutComments(Statements& statements, const std::vector<std::vector<std::string>>& sizes,
                 std::size_t& next) {
  for (Statement& statement : statements) {
    std::vector<std::string> dims = sizes.at(next++);
    if (!dims.empty()) {
      dims.pop_back();
      statement.comment = Bracketed(dims);
    }
    PutComments(statement.body, sizes, next);
    PutComments(statement.orelse, sizes, next);
  }
}

Expr ZerosFor(const pt2::Weight& weight) {
  Exprs arguments;
  for (std::int64_t size : weight.tensor.sizes()) arguments.push_back(Number(size, "size"));
  if (arguments.empty()) arguments.push_back(Tuple({}));
  const std::string dtype = TorchTypeOf(weight.tensor.dtype());
  if (dtype != "torch.float32") arguments.push_back(Keyword("dtype", Code(dtype)));
  const bool is_parameter = weight.kind == pt2::WeightKind::kParameter;
  return CallOf(is_parameter ? "nn.Parameter" : "nn.Buffer",
                {CallOf("torch.zeros", std::move(arguments))});
}

}  // namespace

Classes::Classes(const ProgramCalls& program, ModuleTree& tree, const Regions& regions,
                 std::set<std::string> read)
    : program_(program), tree_(tree), regions_(regions), read_(std::move(read)) {
  names_ = {"Model", "Tensor"};
  MakeDrafts(tree.root());
  std::size_t most = 0;
  for (const Draft& draft : drafts_) most = std::max(most, draft.height);
  for (std::size_t height = 0; height <= most; ++height) {
    std::vector<Draft*> level;
    for (Draft& draft : drafts_) {
      if (draft.height == height) level.push_back(&draft);
    }
    Group(level);
  }
}

std::size_t Classes::HeightOf(const Module& module) const {
  std::size_t height = 0;
  for (const auto& child : module.children) height = std::max(height, HeightOf(*child) + 1);
  return height;
}

void Classes::MakeDrafts(Module& module) {
  for (const auto& child : module.children) MakeDrafts(*child);
  using Form = Module::Form;
  const bool is_class =
      module.form == Form::kClass || (module.form == Form::kContainer && !module.is_list());
  if (!is_class) return;
  Draft draft{.module = &module, .height = HeightOf(module)};
  draft.has_forward = regions_.Find(module) != nullptr && module.form == Form::kClass;
  if (draft.has_forward) {
    draft.forward = MakeFunction(program_, tree_, regions_, module, read_);
    CollectSizes(draft.forward.statements, program_, draft.sizes);
  }
  drafts_.push_back(std::move(draft));
}

// Equal ones as a generator.
Exprs Repeated(Exprs parts) {
  constexpr std::size_t kFewest = 3;
  const bool are_equal =
      parts.size() >= kFewest && std::ranges::all_of(parts, [&](const Expr& part) {
        return FlatText(part) == FlatText(parts.front());
      });
  if (!are_equal) return parts;
  Expr range = CallOf("range", {Number(std::ssize(parts), "depth")});
  return {Generator(std::move(parts.front()), "_", std::move(range))};
}

Expr Classes::ConstructorOf(const Module& module) {
  if (module.layer) {
    for (const auto& [name, value] : module.layer->weights)
      read_.insert(Dotted(module.path) + "." + name);
    return module.layer->constructor;
  }
  if (module.form == Module::Form::kSequential) {
    Exprs parts;
    for (const SequentialPart& part : regions_.PartsOf(module)) {
      if (part.module != nullptr) {
        parts.push_back(ConstructorOf(*part.module));
      } else {
        parts.push_back(part.layer.value_or(CallOf("nn.Identity", {})));
      }
    }
    parts = Repeated(std::move(parts));
    if (parts.size() == 1 && parts[0].kind == Expr::Kind::kGenerator)
      parts[0] = {Expr::Kind::kSplat, "", {Unary("", std::move(parts[0]))}};
    return CallOf("nn.Sequential", std::move(parts));
  }
  if (const auto made = by_module_.find(&module); made != by_module_.end())
    return CallOf(classes_[made->second].name, arguments_.at(&module));
  Exprs parts;
  const bool is_dense = module.children.size() == 1 + std::stoul(module.children.back()->name());
  for (const auto& child : module.children) {
    Expr made = ConstructorOf(*child);
    if (!is_dense) made = {Expr::Kind::kPair, "\"" + child->name() + "\"", {std::move(made)}};
    parts.push_back(std::move(made));
  }
  if (!is_dense) return CallOf("nn.ModuleDict", {Expr{Expr::Kind::kDict, "", std::move(parts)}});
  parts = Repeated(std::move(parts));
  if (parts.size() == 1 && parts[0].kind == Expr::Kind::kGenerator)
    return CallOf("nn.ModuleList", std::move(parts));
  return CallOf("nn.ModuleList", {List(std::move(parts))});
}

void Classes::MakeMembers(Draft& draft) {
  for (const auto& child : draft.module->children)
    draft.members.emplace_back(child->name(), ConstructorOf(*child));
  for (const auto& [name, weight] : draft.module->weights) {
    ModulePath path = draft.module->path;
    path.push_back(name);
    if (read_.contains(Dotted(path))) draft.members.emplace_back(name, ZerosFor(*weight));
  }
}

// "Block" of blocks.3, "Attention" of layer.0.attention.
std::string Classes::NameFor(const Module& module) {
  if (module.path.empty()) return "Model";
  std::string base;
  for (const Module* at = &module; at->parent != nullptr && base.empty(); at = at->parent) {
    if (!IsNumber(at->name())) base = at == &module ? at->name() : Singular(at->name());
  }
  std::string name = ClassNameOf(base.size() > 1 ? base : "block");
  for (int i = 2; !names_.insert(name).second; ++i)
    name = fmt::format("{}{}", ClassNameOf(base.size() > 1 ? base : "block"), i);
  return name;
}

// What two drafts of one class have in common.
std::string Classes::KeyOf(const Draft& draft, const Function& forward) {
  KeyText key;
  for (const auto& [name, value] : draft.members) {
    key.Add(name);
    key.Add(value);
  }
  for (const std::string& input : forward.inputs) key.AddValue(input);
  key.Add(forward.statements);
  return key.text() + (forward.takes_any ? "*" : "");
}

// Drafts that differ in how many tensors they join take any number of them.
void Classes::GatherInputs(std::vector<Draft*>& drafts) {
  std::map<std::string, std::set<std::size_t>> counts;
  std::vector<std::pair<std::optional<Function>, std::string>> gathered;
  for (const Draft* draft : drafts) {
    auto& [forward, key] = gathered.emplace_back(WithGatheredInputs(draft->forward), "");
    if (!forward) continue;
    key = KeyOf(*draft, *forward);
    counts[key].insert(draft->forward.inputs.size());
  }
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    auto& [forward, key] = gathered[i];
    if (forward && counts[key].size() > 1) drafts[i]->forward = *std::move(forward);
  }
}

void Classes::Group(std::vector<Draft*>& drafts) {
  std::map<std::string, std::size_t> by_key;
  std::vector<std::vector<Draft*>> groups;
  for (Draft* draft : drafts) MakeMembers(*draft);
  GatherInputs(drafts);
  for (Draft* draft : drafts) {
    const auto [known, is_new] = by_key.try_emplace(KeyOf(*draft, draft->forward), groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(draft);
  }
  for (std::vector<Draft*>& group : groups) {
    Class made;
    made.name = NameFor(*group.front()->module);
    Parametrise(made, group);
    for (const Draft* draft : group) {
      made.modules.push_back(draft->module);
      by_module_[draft->module] = classes_.size();
    }
    classes_.push_back(std::move(made));
  }
}

// Numbers that differ are parameters of the constructor; those that are always the same as one
// another are one.
void Classes::Parametrise(Class& made, std::vector<Draft*>& drafts) {
  std::vector<std::vector<Expr*>> numbers;
  for (Draft* draft : drafts)
    numbers.push_back(NumbersIn(draft->members, draft->forward.statements));
  std::map<std::vector<std::int64_t>, std::string> parameters;
  NameScope names;
  names.Reserve("self");
  for (const auto& [name, value] : drafts.front()->members) names.Reserve(name);
  std::size_t in_members = 0;
  for (auto& [name, value] : drafts.front()->members) {
    ForEachPart(std::as_const(value),
                [&](const Expr& part) { in_members += part.kind == Expr::Kind::kInt ? 1 : 0; });
  }
  for (std::size_t i = 0; i < numbers.front().size(); ++i) {
    std::vector<std::int64_t> column;
    for (const std::vector<Expr*>& row : numbers) column.push_back(row[i]->number);
    if (std::ranges::count(column, column.front()) == std::ssize(column)) continue;
    std::string& parameter = parameters[column];
    if (parameter.empty()) {
      const std::string& what = numbers.front()[i]->text;
      parameter = names.Unique(Identifier(what.empty() ? "size" : what));
      made.parameters.push_back(parameter);
      for (std::size_t j = 0; j < drafts.size(); ++j)
        arguments_[drafts[j]->module].push_back(Number(column[j], parameter));
    }
    if (i >= in_members) made.kept.insert(parameter);
    *numbers.front()[i] = i < in_members ? Code(parameter) : SelfAt(parameter);
  }
  for (Draft* draft : drafts) arguments_.try_emplace(draft->module);
  std::vector<std::vector<std::string>> sizes = drafts.front()->sizes;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    for (std::size_t d = 0; d < sizes[s].size(); ++d) {
      std::vector<std::int64_t> column;
      bool are_equal = true;
      for (const Draft* draft : drafts) {
        if (draft->sizes[s].size() != sizes[s].size()) {
          are_equal = false;
          break;
        }
        are_equal = are_equal && draft->sizes[s][d] == sizes[s][d];
        column.push_back(ParseInt64(draft->sizes[s][d]).value_or(-1));
      }
      if (are_equal) continue;
      const auto parameter = parameters.find(column);
      sizes[s][d] = parameter != parameters.end() ? parameter->second : "_";
    }
  }
  Draft& first = *drafts.front();
  std::size_t next = 0;
  PutComments(first.forward.statements, sizes, next);
  made.members = std::move(first.members);
  made.forward = std::move(first.forward);
  made.has_forward = first.has_forward;
}

}  // namespace dragoman::pytorch
