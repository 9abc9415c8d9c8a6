// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/run_setstate.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/support/python/source_error.h"

namespace dragoman::torch {
namespace {

constexpr int kMaxCalls = 16;

// Operators that pack parameters: the class of the result, and its attributes by position.
using AttributeNames = std::array<std::string_view, 7>;

struct PackOperator {
  std::string_view name;
  std::string_view class_name;
  AttributeNames attributes;
  bool transpose;
};

constexpr AttributeNames kLinear = {"weight", "bias"};
constexpr AttributeNames kConv = {"weight", "bias", "stride", "padding", "dilation", "groups"};
constexpr AttributeNames kTransposed = {"weight",         "bias",     "stride", "padding",
                                        "output_padding", "dilation", "groups"};

constexpr std::array<PackOperator, 10> kPackOperators = {{
    {"conv1d_prepack", "Conv2dPackedParamsBase", kConv, false},
    {"conv2d_prepack", "Conv2dPackedParamsBase", kConv, false},
    {"conv3d_prepack", "Conv3dPackedParamsBase", kConv, false},
    {"conv_transpose1d_prepack", "Conv2dPackedParamsBase", kTransposed, true},
    {"conv_transpose2d_prepack", "Conv2dPackedParamsBase", kTransposed, true},
    {"conv_transpose3d_prepack", "Conv3dPackedParamsBase", kTransposed, true},
    {"linear_prepack", "LinearPackedParamsBase", kLinear, false},
    {"linear_prepack_fp16", "LinearPackedParamsBase", kLinear, false},
    {"linear_prepack_legacy", "LinearPackedParamsBase", kLinear, false},
    {"linear_prepack_fp16_legacy", "LinearPackedParamsBase", kLinear, false},
}};

// Numbers and strings by value, what has an identity by identity.
bool Equal(const Stored& a, const Stored& b) {
  const auto* x = std::get_if<StoredString>(&a);
  const auto* y = std::get_if<StoredString>(&b);
  if (x != nullptr && y != nullptr) return **x == **y;
  return a == b;
}

class Interpreter {
 public:
  Interpreter(const StoredObject& object, const ScriptClass& owner, StoredHeap& heap,
              RestoreContext& context)
      : object_(object), owner_(owner), heap_(heap), context_(context) {}

  Result<StoredAttributes> Run() {
    const Stored state = object_.state ? *object_.state : Stored();
    DRAGOMAN_ASSIGN([[maybe_unused]] const Stored none,
                    Call(*owner_.FindMethod("__setstate__"), {state}));
    DRAGOMAN_TRY(CheckViews());
    StoredAttributes result;
    for (const Member& member : owner_.def->members) {
      const auto found = attributes_.find(member.name);
      if (found != attributes_.end()) result.emplace_back(member.name, found->second);
    }
    return result;
  }

 private:
  using Variables = std::map<std::string, Stored>;

  // Errors: attributes that share elements, of which one is computed.
  Status CheckViews() const {
    std::set<const StoredTensor*> kept;
    for (const auto& [name, value] : attributes_) {
      const std::vector<Stored>* items = Items(value);
      for (const Stored& item : items != nullptr ? *items : std::vector<Stored>{value}) {
        if (const auto* tensor = std::get_if<const StoredTensor*>(&item)) kept.insert(*tensor);
      }
    }
    for (const auto& [view, base] : context_.evaluator.views()) {
      if (kept.contains(view) && kept.contains(base))
        return Fail(owner_.def->offset, "two attributes that share their elements");
    }
    return {};
  }

  Error Fail(std::uint32_t offset, std::string message) const {
    const SourceFile& source = owner_.file->source;
    return Error(FindingAt(ErrorKind::kUnsupported, source.name, source.text, offset,
                           "in __setstate__: " + std::move(message)));
  }

  Result<Stored> Call(const FunctionDef& function, const std::vector<Stored>& arguments) {
    if (++calls_ > kMaxCalls) return Fail(function.offset, "too many calls inside of each other");
    if (function.parameters.size() != arguments.size() + 1) {
      return Fail(function.offset, "a call with another number of arguments");
    }
    Variables outer = std::move(variables_);
    const std::string outer_self = std::exchange(self_, function.parameters.front().name);
    variables_.clear();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      variables_[function.parameters[i + 1].name] = arguments[i];
    }
    returned_ = std::nullopt;
    DRAGOMAN_TRY(RunBlock(function.body));
    const Stored result = returned_.value_or(Stored());
    returned_ = std::nullopt;
    variables_ = std::move(outer);
    self_ = outer_self;
    --calls_;
    return result;
  }

  Status RunBlock(const std::vector<Stmt>& statements) {
    for (const Stmt& stmt : statements) {
      if (returned_) return {};
      DRAGOMAN_TRY(RunStatement(stmt));
    }
    return {};
  }

  Status RunStatement(const Stmt& stmt) {
    switch (stmt.kind) {
      case Stmt::Kind::kPass:
        return {};
      case Stmt::Kind::kExpr: {
        auto value = Evaluate(stmt.value);
        return value.ok() ? Status() : Status(std::move(value).error());
      }
      case Stmt::Kind::kReturn: {
        if (stmt.value.kind == Expr::Kind::kMissing) {
          returned_ = Stored();
          return {};
        }
        DRAGOMAN_ASSIGN(returned_, Evaluate(stmt.value));
        return {};
      }
      case Stmt::Kind::kIf: {
        DRAGOMAN_ASSIGN(const Stored condition, Evaluate(stmt.value));
        const bool* known = std::get_if<bool>(&condition);
        if (known == nullptr) return Fail(stmt.offset, "a condition that is not a bool");
        return RunBlock(*known ? stmt.body : stmt.other);
      }
      case Stmt::Kind::kAssign:
        return RunAssignment(stmt);
      case Stmt::Kind::kWhile:
        return RunWhile(stmt);
      case Stmt::Kind::kFor:
        return RunFor(stmt);
      default:
        return Fail(stmt.offset, "this statement cannot be run when a model is read");
    }
  }

  Status RunWhile(const Stmt& stmt) {
    while (!returned_) {
      DRAGOMAN_ASSIGN(const Stored condition, Evaluate(stmt.value));
      const bool* known = std::get_if<bool>(&condition);
      if (known == nullptr) return Fail(stmt.offset, "a condition that is not a bool");
      if (!*known) break;
      DRAGOMAN_TRY(RunBlock(stmt.body));
    }
    return {};
  }

  // Over range(n).
  Status RunFor(const Stmt& stmt) {
    const Expr& range = stmt.value;
    const bool plain = range.kind == Expr::Kind::kCall && range.parts.size() == 2 &&
                       range.parts[0].IsName("range") && stmt.targets.size() == 1;
    if (!plain) return Fail(stmt.offset, "a loop over anything but range(n)");
    DRAGOMAN_ASSIGN(const Stored count, Evaluate(range.parts[1]));
    const auto* iterations = std::get_if<std::int64_t>(&count);
    if (iterations == nullptr)
      return Fail(stmt.offset, "a number of iterations that is not an int");
    for (std::int64_t i = 0; i < *iterations && !returned_; ++i) {
      if (++steps_ > kMaxSetStateSteps) return Fail(stmt.offset, "it does not come to an end");
      DRAGOMAN_TRY(Assign(stmt.targets.front(), Stored(i)));
      DRAGOMAN_TRY(RunBlock(stmt.body));
    }
    return {};
  }

  Status RunAssignment(const Stmt& stmt) {
    if (!stmt.augmented.empty()) return Fail(stmt.offset, "an augmented assignment");
    DRAGOMAN_ASSIGN(const Stored value, Evaluate(stmt.value));
    if (!stmt.unpacks) return Assign(stmt.targets.front(), value);
    const std::vector<Stored>* items = Items(value);
    if (items == nullptr || items->size() != stmt.targets.size()) {
      return Fail(stmt.offset, "values that cannot be unpacked");
    }
    const std::vector<Stored> copies = *items;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      DRAGOMAN_TRY(Assign(stmt.targets[i], copies[i]));
    }
    return {};
  }

  Status Assign(const Expr& target, const Stored& value) {
    if (target.kind == Expr::Kind::kName) {
      variables_[target.text] = value;
      return {};
    }
    if (target.kind != Expr::Kind::kAttribute || !target.parts[0].IsName(self_.c_str())) {
      return Fail(target.offset, "an assignment to anything but self");
    }
    attributes_[target.text] = value;
    return {};
  }

  static const std::vector<Stored>* Items(const Stored& value) {
    if (const auto* tuple = std::get_if<const StoredTuple*>(&value)) return &(*tuple)->items;
    if (const auto* list = std::get_if<const StoredList*>(&value)) return &(*list)->items;
    return nullptr;
  }

  Result<std::vector<Stored>> EvaluateAll(const Expr& expr, std::size_t first) {
    std::vector<Stored> values;
    for (std::size_t i = first; i < expr.parts.size(); ++i) {
      DRAGOMAN_ASSIGN(Stored value, Evaluate(expr.parts[i]));
      values.push_back(value);
    }
    return values;
  }

  Result<Stored> Evaluate(const Expr& expr) {
    if (++steps_ > kMaxSetStateSteps) return Fail(expr.offset, "it does not come to an end");
    switch (expr.kind) {
      case Expr::Kind::kName: {
        const auto found = variables_.find(expr.text);
        if (found != variables_.end()) return found->second;
        break;
      }
      case Expr::Kind::kAttribute: {
        if (expr.parts[0].IsName("CONSTANTS")) return EvaluateConstant(expr);
        const auto found = attributes_.find(expr.text);
        if (expr.parts[0].IsName(self_.c_str()) && found != attributes_.end()) return found->second;
        return Fail(expr.offset, "an attribute that has no value yet");
      }
      case Expr::Kind::kTuple: {
        DRAGOMAN_ASSIGN(std::vector<Stored> items, EvaluateAll(expr, 0));
        return Stored(heap_.Add(StoredTuple{std::move(items)}));
      }
      case Expr::Kind::kList: {
        DRAGOMAN_ASSIGN(std::vector<Stored> items, EvaluateAll(expr, 0));
        return Stored(heap_.Add(StoredList{std::move(items), ""}));
      }
      case Expr::Kind::kDict: {
        DRAGOMAN_ASSIGN(std::vector<Stored> parts, EvaluateAll(expr, 0));
        StoredDict dict;
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
          dict.items.emplace_back(parts[i], parts[i + 1]);
        return Stored(heap_.Add(std::move(dict)));
      }
      case Expr::Kind::kSubscript:
        return EvaluateSubscript(expr);
      case Expr::Kind::kCall:
        return EvaluateCall(expr);
      default:
        break;
    }
    return EvaluateLiteral(expr);
  }

  Result<Stored> EvaluateLiteral(const Expr& expr) {
    const auto literal = LiteralOf(expr);
    if (!literal) return Fail(expr.offset, "this expression cannot be run when a model is read");
    if (const auto* value = literal->As<std::int64_t>()) return Stored(*value);
    if (const auto* value = literal->As<double>()) return Stored(*value);
    if (const auto* value = literal->As<bool>()) return Stored(*value);
    if (const auto* value = literal->As<std::string>()) {
      return Stored(StoredString(heap_.Add(std::string(*value))));
    }
    return Stored();
  }

  Result<Stored> EvaluateConstant(const Expr& expr) {
    const auto number =
        expr.text.starts_with("c") ? python::IntOf(expr.text.substr(1)) : std::nullopt;
    const auto count = static_cast<std::int64_t>(context_.constants.size());
    if (!number || *number < 0 || *number >= count)
      return Fail(expr.offset, "a constant that the archive lacks");
    return context_.constants[static_cast<std::size_t>(*number)];
  }

  Result<Stored> EvaluateSubscript(const Expr& expr) {
    DRAGOMAN_ASSIGN(const Stored object, Evaluate(expr.parts[0]));
    if (std::holds_alternative<const StoredTensor*>(object))
      return Fail(expr.offset, "an index of a tensor");
    DRAGOMAN_ASSIGN(const Stored index, Evaluate(expr.parts[1]));
    if (const auto* dict = std::get_if<const StoredDict*>(&object)) {
      for (const auto& [key, value] : (*dict)->items)
        if (Equal(key, index)) return value;
      return Fail(expr.offset, "a key that the dict lacks");
    }
    const std::vector<Stored>* items = Items(object);
    const auto* place = std::get_if<std::int64_t>(&index);
    if (items == nullptr || place == nullptr) return Fail(expr.offset, "an index of this kind");
    const auto size = static_cast<std::int64_t>(items->size());
    const std::int64_t at = *place < 0 ? *place + size : *place;
    if (at < 0 || at >= size) return Fail(expr.offset, "an index out of range");
    return (*items)[static_cast<std::size_t>(at)];
  }

  Result<Stored> EvaluateCall(const Expr& expr) {
    const Expr& callee = expr.parts[0];
    const auto name = QualifiedName(callee);
    if (!name) return Fail(expr.offset, "a call of this kind");
    if ((*name == "annotate" || *name == "unchecked_cast") && expr.parts.size() == 3) {
      return Evaluate(expr.parts[2]);
    }
    DRAGOMAN_ASSIGN(const std::vector<Stored> arguments, EvaluateAll(expr, 1));
    if (const std::optional<Stored> value = EvaluateInPlace(*name, arguments)) return *value;
    if (name->starts_with("ops.quantized.")) return Pack(expr, name->substr(14), arguments);
    if (callee.kind == Expr::Kind::kAttribute && callee.parts[0].IsName(self_.c_str())) {
      const FunctionDef* method = owner_.FindMethod(callee.text);
      if (method != nullptr) return Call(*method, arguments);
    }
    steps_ += kStepsOfOperator;
    Result<Stored> value = context_.evaluator.Evaluate(expr, arguments, owner_);
    if (value.ok()) return value;
    return Fail(expr.offset,
                fmt::format("a call of {}: {}", *name, value.error().findings().front().message));
  }

  // What needs no operator: conversions to the type that a value has, comparisons of equal types,
  // identity, and lists that grow.
  std::optional<Stored> EvaluateInPlace(const std::string& name,
                                        const std::vector<Stored>& arguments) {
    const bool converts = arguments.size() == 1 &&
                          ((name == "int" && std::holds_alternative<std::int64_t>(arguments[0])) ||
                           (name == "float" && std::holds_alternative<double>(arguments[0])) ||
                           (name == "bool" && std::holds_alternative<bool>(arguments[0])));
    if (converts) return arguments[0];
    if (arguments.size() != 2) return std::nullopt;
    if (name == "torch.__is__") return Stored(Equal(arguments[0], arguments[1]));
    if (name == "torch.__isnot__") return Stored(!Equal(arguments[0], arguments[1]));
    const bool plain = arguments[0].index() == arguments[1].index() &&
                       (std::holds_alternative<StoredString>(arguments[0]) ||
                        std::holds_alternative<std::int64_t>(arguments[0]) ||
                        std::holds_alternative<double>(arguments[0]) ||
                        std::holds_alternative<bool>(arguments[0]));
    if (plain && name == "torch.eq") return Stored(Equal(arguments[0], arguments[1]));
    if (plain && name == "torch.ne") return Stored(!Equal(arguments[0], arguments[1]));
    const auto* list = std::get_if<const StoredList*>(&arguments[0]);
    if (list == nullptr || name != "torch.append") return std::nullopt;
    heap_.Mutable(*list)->items.push_back(arguments[1]);
    return arguments[0];
  }

  Result<Stored> Pack(const Expr& expr, const std::string& name,
                      const std::vector<Stored>& arguments) {
    for (const PackOperator& known : kPackOperators) {
      if (known.name != name) continue;
      StoredDict attributes;
      const auto add = [&](std::string_view attribute, const Stored& value) {
        attributes.items.emplace_back(StoredString(heap_.Add(std::string(attribute))), value);
      };
      for (std::size_t i = 0; i < arguments.size() && i < known.attributes.size(); ++i) {
        if (!known.attributes[i].empty()) add(known.attributes[i], arguments[i]);
      }
      if (known.class_name.starts_with("Conv")) add("transpose", known.transpose);
      StoredObject object;
      object.class_name = "__torch__.torch.classes.quantized." + std::string(known.class_name);
      object.state = Stored(heap_.Add(std::move(attributes)));
      return Stored(heap_.Add(std::move(object)));
    }
    return Fail(expr.offset, fmt::format("a call of quantized::{}", name));
  }

  const StoredObject& object_;
  const ScriptClass& owner_;
  StoredHeap& heap_;
  RestoreContext& context_;
  std::string self_;  // what the function at hand calls its object
  Variables variables_;
  Variables attributes_;
  std::optional<Stored> returned_;
  int calls_ = 0;
  int steps_ = 0;
};

}  // namespace

Result<StoredAttributes> RunSetState(const StoredObject& object, Program& program, StoredHeap& heap,
                                     RestoreContext& context) {
  const ScriptClass* owner = program.FindClass(object.class_name);
  return Interpreter(object, *owner, heap, context).Run();
}

}  // namespace dragoman::torch
