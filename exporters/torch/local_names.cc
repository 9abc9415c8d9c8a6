// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/local_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "core/support/python_keywords.h"
#include "core/support/text.h"

namespace dragoman::pytorch {
namespace {

using Step = Statement::Kind;
using Uses = std::map<std::string, std::size_t>;

Uses CountUses(const Statements& statements) {
  Uses uses;
  ForEachExpr(statements, [&](const Expr& part) {
    if (part.kind == Expr::Kind::kValue) ++uses[part.text];
  });
  return uses;
}

std::size_t UsesOf(const Uses& uses, const std::string& value) {
  const auto found = uses.find(value);
  return found != uses.end() ? found->second : 0;
}

// A call of an element of a list of modules.
struct ElementCall {
  std::string list;
  std::size_t index = 0;
};

std::optional<ElementCall> ElementCallOf(const Statement& statement) {
  const Expr& value = statement.value;
  const bool is_call = statement.kind == Step::kAssign && statement.targets.size() == 1 &&
                       value.kind == Expr::Kind::kCall && value.parts[0].kind == Expr::Kind::kSelf;
  if (!is_call || !value.parts[0].text.ends_with(']')) return std::nullopt;
  const std::string& path = value.parts[0].text;
  const std::size_t open = path.rfind('[');
  const std::optional<std::int64_t> index =
      ParseInt64(path.substr(open + 1, path.size() - open - 2));
  if (!index) return std::nullopt;
  return ElementCall{path.substr(0, open), static_cast<std::size_t>(*index)};
}

std::size_t LengthOf(const Module& module, const std::string& list) {
  const Module* at = &module;
  std::string_view rest = list;
  while (at != nullptr && !rest.empty()) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    at = at->Child(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return at != nullptr ? at->children.size() : 0;
}

// The only argument in which `next` differs from `first`; it is what `first` gives.
bool Continues(const Statement& first, const Statement& next, std::optional<std::size_t>& carried) {
  const Exprs& before = first.value.parts;
  const Exprs& after = next.value.parts;
  if (before.size() != after.size()) return false;
  for (std::size_t i = 1; i < after.size(); ++i) {
    const bool is_carried =
        after[i].kind == Expr::Kind::kValue && after[i].text == first.targets.front();
    if (is_carried && (!carried || *carried == i)) {
      carried = i;
    } else if (FlatText(before[i]) != FlatText(after[i])) {
      return false;
    }
  }
  return carried.has_value();
}

}  // namespace

void FoldModuleLoops(Function& function, const Module& module) {
  constexpr std::size_t kFewest = 3;
  Statements& statements = function.statements;
  const Uses uses = CountUses(statements);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::optional<ElementCall> first = ElementCallOf(statements[i]);
    if (!first || first->index != 0) continue;
    std::optional<std::size_t> carried;
    std::size_t end = i + 1;
    for (; end < statements.size(); ++end) {
      const std::optional<ElementCall> next = ElementCallOf(statements[end]);
      const bool follows = next && next->list == first->list && next->index == end - i &&
                           UsesOf(uses, statements[end - 1].targets.front()) == 1 &&
                           Continues(statements[end - 1], statements[end], carried);
      if (!follows) break;
    }
    if (end - i < kFewest || LengthOf(module, first->list) != end - i) continue;
    const std::string result = statements[end - 1].targets.front();
    const std::string item = first->list.substr(first->list.rfind('.') + 1);
    Statement start = {.targets = {result}, .value = statements[i].value.parts[*carried]};
    Statement loop = {
        .kind = Step::kFor, .targets = {"@" + Singular(item)}, .value = SelfAt(first->list)};
    Statement call = std::move(statements[end - 1]);
    call.value.parts[0] = ValueOf(loop.targets.front());
    call.value.parts[*carried] = ValueOf(result);
    loop.body.push_back(std::move(call));
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i),
                     statements.begin() + static_cast<std::ptrdiff_t>(end));
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(i), {start, loop});
  }
}

namespace {

// Characters that the expression takes, with names of usual length.
std::size_t WidthOf(const Expr& expr) {
  constexpr std::size_t kUsualName = 7;
  Expr copy = expr;
  ForEachPart(copy, [](Expr& part) {
    if (part.kind == Expr::Kind::kValue) part.text = std::string(kUsualName, 'x');
  });
  return FlatText(copy).size();
}

std::size_t CallsIn(const Expr& expr) {
  std::size_t calls = 0;
  ForEachPart(expr, [&](const Expr& part) {
    calls += part.kind == Expr::Kind::kCall || part.kind == Expr::Kind::kMethod ||
                     part.kind == Expr::Kind::kBinary
                 ? 1
                 : 0;
  });
  return calls;
}

bool Reads(const Expr& expr, const std::string& value) {
  bool reads = false;
  ForEachPart(expr, [&](const Expr& part) {
    reads = reads || (part.kind == Expr::Kind::kValue && part.text == value);
  });
  return reads;
}

bool MayHold(const Statement& statement) {
  return statement.kind == Step::kAssign || statement.kind == Step::kReturn;
}

}  // namespace

void InlineValues(Statements& statements) {
  constexpr std::size_t kWidest = 62;
  constexpr std::size_t kMostCalls = 3;
  const Uses uses = CountUses(statements);
  for (std::size_t i = 0; i + 1 < statements.size();) {
    Statement& statement = statements[i];
    Statement& next = statements[i + 1];
    const bool is_single = statement.kind == Step::kAssign && statement.targets.size() == 1 &&
                           statement.text.empty() && UsesOf(uses, statement.targets[0]) == 1;
    const bool is_reading = is_single && MayHold(next) && Reads(next.value, statement.targets[0]);
    const bool is_returned =
        is_reading && next.kind == Step::kReturn && next.value.kind == Expr::Kind::kValue;
    const bool is_short = is_reading && WidthOf(statement.value) + WidthOf(next.value) < kWidest &&
                          CallsIn(statement.value) + CallsIn(next.value) <= kMostCalls;
    if (!is_short && !is_returned) {
      ++i;
      continue;
    }
    ForEachPart(next.value, [&](Expr& part) {
      if (part.kind == Expr::Kind::kValue && part.text == statement.targets[0])
        part = Expr(statement.value);
    });
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
    if (i > 0) --i;
  }
  for (Statement& statement : statements) {
    InlineValues(statement.body);
    InlineValues(statement.orelse);
  }
}

namespace {

// "softmax" of F.softmax(…), "query" of self.attention.query(…); empty: nothing names it.
std::string BaseOf(const Expr& expr) {
  if (expr.kind == Expr::Kind::kMethod) {
    constexpr std::string_view kMoving[] = {"reshape",   "permute",    "transpose",
                                            "unsqueeze", "squeeze",    "expand",
                                            "to",        "contiguous", "clone"};
    if (std::ranges::count(kMoving, expr.text) > 0) return BaseOf(expr.parts[0]);
    return expr.text;
  }
  if (expr.kind == Expr::Kind::kSelf) return expr.text.substr(expr.text.rfind('.') + 1);
  if (expr.kind != Expr::Kind::kCall) return "";
  const Expr& callee = expr.parts[0];
  std::string name = callee.text;
  if (name.starts_with("torch.ops.")) name = name.substr(0, name.rfind('.'));
  if (callee.kind == Expr::Kind::kSelf) {
    while (name.ends_with(']')) name = name.substr(0, name.rfind('['));
    if (name.find('(') != std::string::npos) return "";
    name = name.substr(name.rfind('.') + 1);
    return callee.text.ends_with(']') ? Singular(name) : name;
  }
  if (name.starts_with("F.scaled_dot_product")) return "attention";
  name = name.substr(name.rfind('.') + 1);
  if (name == "linear" || name == "relu" || name == "pad") return "x";
  return name;
}

class Namer {
 public:
  explicit Namer(const Function& function) : uses_(CountUses(function.statements)) {
    for (std::string_view name : {"self", "torch", "nn", "F", "Tensor", "int", "zip", "range",
                                  "min", "max", "float", "list", "tuple", "dict"})
      names_.Reserve(name);
  }

  void NameInputs(const Function& function, const std::vector<std::string>& hints) {
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      const std::string hint = i < hints.size() ? hints[i] : "x";
      by_value_[function.inputs[i]] = names_.Unique(Short(hint));
      inputs_.insert(function.inputs[i]);
    }
  }

  const std::map<std::string, std::string>& names() const { return by_value_; }

  // `own`: values of this block, whose names may pass on to others.
  void Name(Statements& statements, std::set<std::string> own) {
    for (Statement& statement : statements) {
      const std::optional<std::string> reused = Reused(statement, own);
      if (statement.kind == Step::kAssign && statement.targets.size() == 1 &&
          IsSize(statement.value))
        sizes_.insert(statement.targets.front());
      NameIn(statement.value);
      if (statement.kind == Step::kSet) continue;
      if (statement.targets.size() == 1 && statement.kind == Step::kAssign) {
        own.insert(statement.targets[0]);
        NameTarget(statement, reused);
      } else {
        NameTargets(statement, own);
      }
      NameBodies(statement);
    }
    std::erase_if(statements, [](const Statement& statement) {
      return statement.kind == Step::kAssign && statement.targets.size() == 1 &&
             statement.value.kind == Expr::Kind::kText &&
             statement.value.text == statement.targets[0];
    });
  }

 private:
  static std::string Short(const std::string& name) {
    constexpr std::size_t kLongest = 18;
    std::string text = Identifier(name.substr(0, kLongest));
    while (text.size() > 1 && text.ends_with('_')) text.pop_back();
    return IsPythonKeyword(text) ? text + '_' : text;
  }

  void NameBodies(Statement& statement) {
    Name(statement.body, {});
    Name(statement.orelse, {});
  }

  void NameIn(Expr& expr) {
    ForEachPart(expr, [&](Expr& part) {
      if (part.kind != Expr::Kind::kValue) return;
      const auto name = by_value_.find(part.text);
      if (name != by_value_.end()) part = Code(name->second);
    });
  }

  // The name of what the statement reads first, where nothing else reads that.
  std::optional<std::string> Reused(const Statement& statement, const std::set<std::string>& own) {
    if (statement.kind != Step::kAssign || statement.targets.size() != 1) return std::nullopt;
    std::string first;
    ForEachPart(statement.value, [&](const Expr& part) {
      if (first.empty() && part.kind == Expr::Kind::kValue) first = part.text;
    });
    if (first.empty() || UsesOf(uses_, first) != 1) return std::nullopt;
    const auto name = by_value_.find(first);
    if (name == by_value_.end() || IsSize(statement.value) != sizes_.contains(first))
      return std::nullopt;
    if (!own.contains(first)) return std::nullopt;
    // What a module makes of an argument is no longer what its name says.
    const bool is_renamed = inputs_.contains(first) && CallsModule(statement.value);
    return is_renamed && name->second != "x" ? names_.Unique("x") : name->second;
  }

  static bool CallsModule(const Expr& expr) {
    bool calls = false;
    ForEachPart(expr, [&](const Expr& part) {
      calls = calls || (part.kind == Expr::Kind::kCall && part.parts[0].kind == Expr::Kind::kSelf);
    });
    return calls;
  }

  // Whether it is an int of Python, not a tensor.
  bool IsSize(const Expr& expr) const {
    using Kind = Expr::Kind;
    if (expr.kind == Kind::kInt) return true;
    if (expr.kind == Kind::kValue) return sizes_.contains(expr.text);
    if (expr.kind == Kind::kIndex)
      return expr.parts[0].kind == Kind::kAttribute && expr.parts[0].text == "shape";
    if (expr.kind == Kind::kCall) {
      const std::string& callee = expr.parts[0].text;
      return callee == "int" || callee == "min" || callee == "max";
    }
    return expr.kind == Kind::kBinary &&
           std::ranges::all_of(expr.parts, [&](const Expr& part) { return IsSize(part); });
  }

  std::string Fresh(const Expr& value) {
    std::string base = BaseOf(value);
    if (base.empty()) base = "x";
    return names_.Unique(Short(base));
  }

  void NameTarget(Statement& statement, const std::optional<std::string>& reused) {
    std::string& target = statement.targets[0];
    if (const auto known = by_value_.find(target); known != by_value_.end()) {
      target = known->second;
      return;
    }
    const std::string value = target;
    if (statement.text == "list") {
      target = names_.Unique(statement.value.parts.empty() ? "steps" : "features");
    } else {
      target = reused && CanTake(*reused) ? *reused : Fresh(statement.value);
    }
    by_value_[value] = target;
  }

  // Names of loops' elements are theirs alone.
  bool CanTake(const std::string& name) const { return !elements_.contains(name); }

  void NameTargets(Statement& statement, std::set<std::string>& own) {
    const bool is_recurrence = statement.text == "pair";
    for (std::size_t i = 0; i < statement.targets.size(); ++i) {
      std::string& target = statement.targets[i];
      const std::string value = target;
      const auto known = by_value_.find(target);
      if (known != by_value_.end()) {
        target = known->second;
        continue;
      }
      const bool is_element = statement.kind == Step::kFor;
      if (UsesOf(uses_, value) == 0) {
        target.clear();
        continue;
      }
      own.insert(value);
      if (is_element) {
        target = names_.Unique(Short(value.starts_with('@') ? value.substr(1) : "step"));
        elements_.insert(target);
      } else if (is_recurrence && i > 0) {
        target = names_.Unique(i == 1 ? "hidden" : "cell");
      } else {
        target = Fresh(statement.value);
      }
      by_value_[value] = target;
    }
  }

  Uses uses_;
  NameScope names_;
  std::map<std::string, std::string> by_value_;
  std::set<std::string> inputs_;
  std::set<std::string> elements_;
  std::set<std::string> sizes_;  // values that are ints
};

}  // namespace

std::map<std::string, std::string> NameValues(Function& function,
                                              const std::vector<std::string>& hints) {
  Namer namer(function);
  namer.NameInputs(function, hints);
  std::set<std::string> own;
  if (!function.takes_any) own.insert(function.inputs.begin(), function.inputs.end());
  namer.Name(function.statements, std::move(own));
  return namer.names();
}

}  // namespace dragoman::pytorch
