// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/results.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/lowering/dict_entries.h"
#include "core/lowering/merge.h"
#include "core/lowering/number_value.h"
#include "core/support/size_budget.h"
#include "runtime/params/map_names.h"

namespace dragoman {
namespace {

Result<Value*> PayloadValue(const Maybe& maybe, Heap& heap, GraphBuilder& builder) {
  if (const auto* tensor = maybe.payload->As<TensorRef>()) return heap.Read(builder, *tensor);
  if (const auto* number = maybe.payload->As<Number>())
    return NumberValue(builder, *number, number->dtype());
  return Unsupported("the result holds an optional of " + Describe(*maybe.payload) +
                     ", which has no tensor form");
}

// One side of OptionalOf: a body that gives the payload, or nothing.
Result<std::shared_ptr<Graph>> OptionalBody(bool present, Value* payload, const std::string& name,
                                            GraphBuilder& builder) {
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, builder.inference(), names);
  inner.set_origin(builder.origin());
  const std::string result = builder.UniqueName(name);
  Value* made = nullptr;
  if (present) {
    DRAGOMAN_ASSIGN(made, inner.Add("Optional", {payload}, {}, result));
  } else {
    DRAGOMAN_ASSIGN(made, inner.Add("Optional", {}, {{"type", payload->type()}}, result));
  }
  body->AddOutput(made);
  return body;
}

Result<Value*> OptionalOf(Value* present, Value* payload, const std::string& name,
                          GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> some, OptionalBody(true, payload, name, builder));
  DRAGOMAN_ASSIGN(std::shared_ptr<Graph> none, OptionalBody(false, payload, name, builder));
  return builder.Add("If", {present},
                     {{"else_branch", Attribute(none)}, {"then_branch", Attribute(some)}});
}

// What a part takes as an output with a node of its own. A tuple may hold another one any number of
// times, so that few bytes of a file stand for many parts.
constexpr std::uint64_t kBytesOfPart = 1024;

// Adds the leaves of results to the outputs of a graph.
class ResultAdder {
 public:
  ResultAdder(Heap& heap, GraphBuilder& builder, const ResultForm& form)
      : heap_(heap), builder_(builder), form_(form) {
    for (const Use& use : builder.graph().outputs()) outputs_.insert(use.value());
  }

  Status Add(const Abstract& whole, std::string name) {
    open_.emplace_back(whole, std::move(name));
    while (!open_.empty()) {
      DRAGOMAN_TRY(TakeExpanded(0, kBytesOfPart));
      const auto [result, part] = std::move(open_.back());
      open_.pop_back();
      DRAGOMAN_TRY(AddPart(result, part));
    }
    return {};
  }

 private:
  using Part = std::pair<Abstract, std::string>;  // and its name

  // An output is a result of a node of its own.
  Status AddOutput(Value* value, const std::string& name) {
    Graph& graph = builder_.graph();
    const bool own = value->kind() == Value::Kind::kResult && value->graph() == &graph;
    if (own && outputs_.insert(value).second) {
      value->set_name(builder_.UniqueName(name));
    } else {
      DRAGOMAN_ASSIGN(value, builder_.Add("Identity", {value}, {}, name));
      outputs_.insert(value);
    }
    graph.AddOutput(value);
    return {};
  }

  Status AddPart(const Abstract& result, const std::string& name) {
    if (result.Is<None>() || result.Is<Poison>() || result.Is<Uninitialized>()) return {};
    if (const auto* tuple = result.As<Tuple>()) return AddItems(*tuple->items, name);
    if (const auto* list = result.As<ListRef>()) {
      const auto& contents = std::get<ListContents>(list->cell->contents);
      if (contents.sequence != nullptr) return AddOutput(contents.sequence, name);
      return AddItems(contents.items, name);
    }
    if (const auto* dict = result.As<DictRef>())
      return AddDict(std::get<DictContents>(dict->cell->contents), name);
    DRAGOMAN_ASSIGN(Value * value, LeafOf(result, name));
    return AddOutput(value, name);
  }

  Result<Value*> LeafOf(const Abstract& result, const std::string& name) {
    if (const auto* tensor = result.As<TensorRef>()) {
      DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder_, *tensor));
      return form_ ? form_(builder_, value) : value;
    }
    if (const auto* number = result.As<Number>())
      return NumberValue(builder_, *number, number->dtype());
    if (const auto* string = result.As<String>()) return TextValue(builder_, *string);
    const auto* maybe = result.As<Maybe>();
    if (maybe == nullptr)
      return Unsupported("the result holds " + Describe(result) + ", which has no tensor form");
    DRAGOMAN_ASSIGN(Value * payload, PayloadValue(*maybe, heap_, builder_));
    return OptionalOf(maybe->present, payload, name, builder_);
  }

  Status AddDict(const DictContents& dict, const std::string& name) {
    if (dict.keys != nullptr) return AddMap(dict, name);
    std::vector<Part> items;
    for (const auto& [key, value] : dict.items) {
      std::string part;
      if (const auto* text = key.As<String>(); text != nullptr && text->known())
        part = text->text();
      if (const auto* number = key.As<Number>(); number != nullptr && number->known())
        part = std::to_string(number->AsInt());
      if (part.empty())
        return Unsupported("the result has a dict with a key that is " + Describe(key));
      items.emplace_back(value, name + "." + part);
    }
    Open(std::move(items));
    return {};
  }

  // A map, as runtime/program/map.h has it.
  Status AddMap(const DictContents& dict, const std::string& name) {
    constexpr DType kKeys[] = {DType::kString, DType::kI64};
    constexpr DType kValues[] = {DType::kString, DType::kBool, DType::kI64, DType::kF32,
                                 DType::kF64};
    const Type& keys = dict.keys->type();
    const Type& values = dict.values->type();
    const bool is_map = std::ranges::count(kKeys, keys.dtype()) != 0 &&
                        std::ranges::count(kValues, values.dtype()) != 0 && values.rank() == 1;
    if (!is_map)
      return Unsupported("the result has a dict whose keys are known only at run time, from " +
                         std::string(Name(keys.dtype())) + " to " +
                         (values.rank() == 1 ? std::string(Name(values.dtype())) : "tensors") +
                         ", which has no form as a map");
    Composer c(builder_);
    const DictContents sorted = Sorted(c, dict);
    DRAGOMAN_TRY(c.status());
    DRAGOMAN_TRY(AddOutput(sorted.keys, name + rt::kMapKeys));
    return AddOutput(sorted.values, name + rt::kMapValues);
  }

  Status AddItems(const std::vector<Abstract>& items, const std::string& name) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < items.size(); ++i)
      parts.emplace_back(items[i], name + "." + std::to_string(i));
    Open(std::move(parts));
    return {};
  }

  // The first of them is next.
  void Open(std::vector<Part> parts) {
    open_.insert(open_.end(), std::make_move_iterator(parts.rbegin()),
                 std::make_move_iterator(parts.rend()));
  }

  Heap& heap_;
  GraphBuilder& builder_;
  const ResultForm& form_;
  std::vector<Part> open_;  // from the end on
  std::unordered_set<const Value*> outputs_;
};

}  // namespace

Status AddResults(const Abstract& result, Heap& heap, GraphBuilder& builder,
                  const ResultForm& form) {
  return ResultAdder(heap, builder, form).Add(result, "output");
}

}  // namespace dragoman
