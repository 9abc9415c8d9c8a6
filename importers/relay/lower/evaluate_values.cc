// SPDX-License-Identifier: Apache-2.0
// Functions, names, tuples, references and matches.
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"

namespace dragoman::relay {
namespace {

// What a composed function is called by whoever made it.
std::string LabelOf(const Node& function) {
  const auto* dict = FindAs<Attribute::Dict>(function.attributes(), "attrs");
  for (std::string_view name : {"Composite", "global_symbol"}) {
    const Attribute* label = dict != nullptr ? Find(*dict, name) : nullptr;
    if (label != nullptr && label->As<std::string>() != nullptr) return *label->As<std::string>();
  }
  return "%" + function.name();
}

// Whether `value` holds the reference `cell`, through tuples and other references.
bool Holds(const Abstract& value, const Cell* cell) {
  std::vector<Abstract> open = {value};
  std::set<const void*> seen;
  while (!open.empty()) {
    const Abstract at = std::move(open.back());
    open.pop_back();
    const std::vector<Abstract>* items = nullptr;
    if (const auto* tuple = at.As<Tuple>()) items = tuple->items.get();
    if (const auto* list = at.As<ListRef>()) {
      if (list->cell.get() == cell) return true;
      items = &std::get<ListContents>(list->cell->contents).items;
    }
    if (items != nullptr && seen.insert(items).second)
      open.insert(open.end(), items->begin(), items->end());
  }
  return false;
}

}  // namespace

bool Evaluator::Contradicts(const Type& declared, const Abstract& value) {
  if (const auto* tuple = value.As<Tuple>(); tuple != nullptr) {
    if (declared.kind() != Type::Kind::kTuple) return false;
    const auto& types = declared.elements();
    if (types.size() != tuple->items->size()) return true;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (Contradicts(types[i], (*tuple->items)[i])) return true;
    }
    return false;
  }
  const auto* tensor = value.As<TensorRef>();
  if (tensor == nullptr || !declared.is_tensor()) return false;
  const Result<Value*> present = heap_.Read(builder(), *tensor);
  if (!present.ok()) return false;
  const Type& type = (*present)->type();
  if (type.dtype() != DType::kUnknown && declared.dtype() != DType::kUnknown &&
      type.dtype() != declared.dtype())
    return true;
  const Shape *made = type.shape(), *stated = declared.shape();
  if (made == nullptr || stated == nullptr) return false;
  if (made->size() != stated->size()) return true;
  for (std::size_t i = 0; i < made->size(); ++i) {
    const Dim &a = (*made)[i], &b = (*stated)[i];
    if (a.known() && b.known() && a.value() != b.value()) return true;
  }
  return false;
}

Status Evaluator::CheckResult(const Graph& body, const Abstract& result) {
  const Attribute* declared = PartOfFunction(body, "ret_type");
  const auto* type = declared != nullptr ? declared->As<Type>() : nullptr;
  if (type == nullptr || !Contradicts(*type, result)) return {};
  std::string found = "a tuple of other types";
  if (const auto* tensor = result.As<TensorRef>()) {
    DRAGOMAN_ASSIGN(const Value* made, heap_.Read(builder(), *tensor));
    found = made->type().ToString();
  }
  return InvalidInput("the result is declared as " + type->ToString() + ", but is " + found)
      .At("function @" + body.name());
}

Abstract Evaluator::EvaluateFunction(const Node& node, const Frame& frame) {
  const Attribute* body = node.attribute("body");
  if (body == nullptr || body->graph() == nullptr)
    return Report(node, InvalidInput("a function without a body"), frame);
  Closure function(body->graph(), &frame, LabelOf(node));
  const Attribute* attributes = node.attribute("attrs");
  if (attributes != nullptr) function.attributes = attributes->As<Attribute::Dict>();
  return function;
}

Abstract Evaluator::EvaluateLet(const Node& node, const Frame& frame) {
  const Abstract value = Get(node.operand(0), frame);
  const auto* function = value.As<Closure>();
  const std::string self = FindText(node.attributes(), "recursive");
  if (function == nullptr || self.empty()) return value;
  Closure named = *function;
  named.self = self;
  if (named.label.starts_with("%")) named.label = "%" + FindText(node.attributes(), "name");
  return named;
}

Abstract Evaluator::EvaluateSelf(const Node& node, const Frame& frame) {
  const std::string name = FindText(node.attributes(), "name");
  for (const Frame* at = &frame; at != nullptr; at = at->outer) {
    if (at->function && at->function->self == name) return *at->function;
  }
  return Report(node, Unsupported("function %" + name + " calls itself in a way that is not known"),
                frame);
}

Abstract Evaluator::EvaluateGlobal(const Node& node, const Frame& frame) {
  const auto found = globals_.find(FindText(node.attributes(), "name"));
  if (found != globals_.end()) return found->second;
  return Report(
      node,
      InvalidInput("function @" + FindText(node.attributes(), "name") + " is not in the module"),
      frame);
}

Abstract Evaluator::EvaluateProjection(const Node& node, const Frame& frame) {
  const Abstract value = Get(node.operand(0), frame);
  if (value.Is<Poison>()) return Poison();
  const auto* index = FindAs<std::int64_t>(node.attributes(), "index");
  const auto* tuple = value.As<Tuple>();
  if (tuple == nullptr || index == nullptr)
    return Report(node, InvalidInput("an element of " + Describe(value)), frame);
  if (*index < 0 || static_cast<std::size_t>(*index) >= tuple->items->size()) {
    return Report(node,
                  InvalidInput("element " + std::to_string(*index) + " of a tuple of " +
                               std::to_string(tuple->items->size())),
                  frame);
  }
  return (*tuple->items)[static_cast<std::size_t>(*index)];
}

Abstract Evaluator::EvaluateReference(const Node& node, const Frame& frame) {
  const std::vector<Abstract> operands = Operands(node, 0, frame);
  if (IsNode(node, "RefCreate") && operands.size() == 1) return heap_.NewList(operands);
  const auto* list = operands.empty() ? nullptr : operands[0].As<ListRef>();
  if (list == nullptr) {
    if (!operands.empty() && operands[0].Is<Poison>()) return Poison();
    return Report(node, InvalidInput("a reference is expected"), frame);
  }
  if (IsNode(node, "RefRead")) {
    const auto& items = std::get<ListContents>(list->cell->contents).items;
    return items.size() == 1 ? items.front() : Abstract(Poison());
  }
  if (operands.size() != 2) return Poison();
  if (Holds(operands[1], list->cell.get()))
    return Report(node, InvalidInput("a reference is written that would hold itself"), frame);
  heap_.Mutable<ListContents>(list->cell).items = {operands[1]};
  return Tuple{std::make_shared<const std::vector<Abstract>>()};
}

std::optional<bool> Evaluator::Fits(const Attribute& pattern, const Abstract& value,
                                    std::vector<Abstract>& bound) {
  if (pattern.kind() == Attribute::Kind::kNone) return true;
  if (pattern.As<std::string>() != nullptr) {
    bound.push_back(value);
    return true;
  }
  // An empty list of patterns is a list of no integers.
  static const Attribute::List kNothing;
  const Attribute* fields = &pattern;
  const auto* tuple = value.As<Tuple>();
  std::size_t first = 0;
  if (const auto* dict = pattern.As<Attribute::Dict>()) {
    const Attribute* name = Find(*dict, "constructor");
    fields = Find(*dict, "fields");
    if (const auto* list = value.As<ListRef>()) {
      const std::optional<Abstract> taken_apart = FirstAndRest(*list);
      return taken_apart ? Fits(pattern, *taken_apart, bound) : std::nullopt;
    }
    const Constructor* constructor = value.As<Constructor>();
    if (tuple != nullptr && !tuple->items->empty())
      constructor = tuple->items->front().As<Constructor>();
    if (constructor == nullptr || name == nullptr || name->As<std::string>() == nullptr)
      return std::nullopt;
    if (constructor->name != *name->As<std::string>()) return false;
    first = 1;
    if (tuple == nullptr) return true;
  }
  if (tuple == nullptr || fields == nullptr) return std::nullopt;
  const auto* list = fields->As<Attribute::List>();
  if (list == nullptr) list = &kNothing;
  // A constructor alone stands for any fields.
  if (first == 1 && list->empty()) return true;
  if (list->size() + first != tuple->items->size()) return std::nullopt;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::optional<bool> fits = Fits((*list)[i], (*tuple->items)[first + i], bound);
    if (fits != true) return fits;
  }
  return true;
}

Abstract Evaluator::Constructed(const Node& node, const Constructor& constructor,
                                std::vector<Abstract> fields, const Frame& frame) {
  const auto* rest = fields.size() == 2 ? fields[1].As<ListRef>() : nullptr;
  if (constructor.name == "Cons" && rest != nullptr) {
    Result<Abstract> list = Prepended(fields[0], *rest);
    return list.ok() ? *std::move(list) : Report(node, list.error(), frame);
  }
  fields.insert(fields.begin(), constructor);
  return NewTuple(node, std::move(fields), frame);
}

Abstract Evaluator::EvaluateMatch(const Node& node, Frame& frame, bool is_tail) {
  const Graph* arm = SelectArm(node, frame);
  if (arm == nullptr) return Poison();
  return is_tail ? RunTail(*arm, frame) : RunGraph(*arm, frame);
}

const Graph* Evaluator::SelectArm(const Node& node, Frame& frame) {
  const auto report = [&](const Error& error) {
    Report(node, error, frame);
    return nullptr;
  };
  const Abstract value = Get(node.operand(0), frame);
  if (value.Is<Poison>()) return nullptr;
  const Attribute* patterns = node.attribute("patterns");
  const Attribute* bodies = node.attribute("arms");
  const auto* list = patterns != nullptr ? patterns->As<Attribute::List>() : nullptr;
  const auto* arms = bodies != nullptr ? bodies->As<Attribute::Graphs>() : nullptr;
  if (list == nullptr || arms == nullptr || list->size() != arms->size())
    return report(InvalidInput("a match without arms"));
  for (std::size_t i = 0; i < arms->size(); ++i) {
    std::vector<Abstract> bound;
    const std::optional<bool> fits = Fits((*list)[i], value, bound);
    if (!fits) {
      return report(Unsupported("a match on " + Describe(value) +
                                ", whose constructor is known at run time only"));
    }
    if (!*fits) continue;
    const Graph& arm = *(*arms)[i];
    if (arm.num_inputs() != bound.size())
      return report(InvalidInput("an arm of other variables than its pattern"));
    for (std::size_t j = 0; j < bound.size(); ++j) frame.values[arm.input(j)] = std::move(bound[j]);
    return &arm;
  }
  return report(Unsupported("no pattern fits, so that it always fails"));
}

}  // namespace dragoman::relay
