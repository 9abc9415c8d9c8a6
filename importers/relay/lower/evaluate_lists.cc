// SPDX-License-Identifier: Apache-2.0
// Lists. One of Cons and Nil is a value whose structure is known. Where ways meet that differ in
// length, in branches and loops, it becomes a list of the heap (core/lowering/merge.h), which may
// be a sequence whose length is known at run time only.
#include <algorithm>
#include <string>
#include <utility>

#include "core/lowering/composer.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"
#include "importers/relay/lower/prelude.h"

namespace dragoman::relay {
namespace {

bool IsNamed(const Abstract& value, std::string_view name) {
  const auto* constructor = value.As<Constructor>();
  return constructor != nullptr && constructor->name == name;
}

const ListContents& ContentsOf(const ListRef& list) {
  return std::get<ListContents>(list.cell->contents);
}

// The operators of a function, sorted.
std::vector<std::string> CallsIn(const Graph& body) {
  std::vector<std::string> calls;
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) calls.push_back(OperatorText(node.op()));
  });
  std::sort(calls.begin(), calls.end());
  return calls;
}

// Whether a function of the module is the one of the prelude that has its name.
bool IsPrelude(const Closure& function) {
  for (const Function& known : Prelude().functions) {
    if ("@" + known.op->type != function.label) continue;
    return known.graph->num_inputs() == function.body->num_inputs() &&
           (known.graph.get() == function.body || CallsIn(*known.graph) == CallsIn(*function.body));
  }
  return false;
}

}  // namespace

std::optional<std::vector<Abstract>> ItemsOf(const Abstract& list) {
  std::vector<Abstract> items;
  Abstract at = list;
  while (!IsNamed(at, "Nil")) {
    const auto* cell = at.As<Tuple>();
    if (cell == nullptr || cell->items->size() != 3 || !IsNamed(cell->items->front(), "Cons"))
      return std::nullopt;
    items.push_back((*cell->items)[1]);
    const Abstract rest = (*cell->items)[2];
    at = rest;
  }
  return items;
}

Abstract Evaluator::Generalized(const Abstract& value) {
  const std::optional<std::vector<Abstract>> items = ItemsOf(value);
  const auto is_tensor = [](const Abstract& item) { return item.Is<TensorRef>(); };
  if (!items || !std::all_of(items->begin(), items->end(), is_tensor)) return value;
  return heap_.NewList(*items);
}

std::optional<Abstract> Evaluator::FirstAndRest(const ListRef& list) {
  const ListContents& contents = ContentsOf(list);
  if (contents.sequence != nullptr) return std::nullopt;
  if (contents.items.empty()) return Constructor("Nil");
  std::vector<Abstract> rest(contents.items.begin() + 1, contents.items.end());
  std::vector<Abstract> cell = {Constructor("Cons"), contents.items.front(),
                                heap_.NewList(std::move(rest))};
  return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(cell))};
}

Result<Abstract> Evaluator::Prepended(const Abstract& first, const ListRef& rest) {
  const ListContents& contents = ContentsOf(rest);
  if (contents.sequence == nullptr) {
    std::vector<Abstract> items = contents.items;
    items.insert(items.begin(), first);
    return heap_.NewList(std::move(items));
  }
  const auto* tensor = first.As<TensorRef>();
  if (tensor == nullptr) return Unsupported("a list of " + Describe(first) + " and of tensors");
  DRAGOMAN_ASSIGN(Value * item, heap_.Read(builder(), *tensor));
  Composer c(builder());
  DRAGOMAN_ASSIGN(Value * longer,
                  c.Done(c.Op("SequenceInsert", {contents.sequence, item, c.Int(0)})));
  return Abstract(ListRef{heap_.NewCell(ListContents{{}, longer, contents.numbers})});
}

Result<Value*> Evaluator::Sequence(const Abstract& list) {
  const Abstract general = Generalized(list);
  const auto* known = general.As<ListRef>();
  if (known == nullptr) return Unsupported("a list of other things than tensors");
  return SequenceOf(heap_, builder(), ContentsOf(*known), DType::kUnknown);
}

std::optional<Abstract> Evaluator::CallPrelude(const Node& node, const Closure& function,
                                               const std::vector<Abstract>& arguments,
                                               const Frame& frame) {
  const std::string_view name = function.label;
  if (name != "@nth" && name != "@length" && name != "@concat") return std::nullopt;
  const auto is_open = [](const Abstract& value) {
    const auto* list = value.As<ListRef>();
    return list != nullptr && ContentsOf(*list).sequence != nullptr;
  };
  bool open = std::any_of(arguments.begin(), arguments.end(), is_open);
  Value* place = nullptr;
  if (name == "@nth" && arguments.size() == 2 && arguments[1].Is<TensorRef>()) {
    const Result<Value*> read = heap_.Read(builder(), *arguments[1].As<TensorRef>());
    place = read.ok() ? *read : nullptr;
    open = open || (place != nullptr && !builder().KnownInts(place));
  }
  if (!open || !IsPrelude(function)) return std::nullopt;
  const auto compose = [&]() -> Result<Abstract> {
    Composer c(builder());
    DRAGOMAN_ASSIGN(Value * list, Sequence(arguments[0]));
    if (name == "@length") {
      Value* count = c.Cast(c.Op("SequenceLength", {list}), DType::kI32);
      DRAGOMAN_ASSIGN(count, c.Done(count));
      return heap_.NewTensor(count);
    }
    if (name == "@nth") {
      DRAGOMAN_ASSIGN(Value * item, c.Done(c.Op("SequenceAt", {list, c.Cast(place, DType::kI64)})));
      return heap_.NewTensor(item);
    }
    const Abstract behind = Generalized(arguments[1]);
    const auto* tail = behind.As<ListRef>();
    if (tail == nullptr || ContentsOf(*tail).sequence != nullptr)
      return Unsupported("two lists, whose lengths are known at run time only, as one");
    for (const Abstract& item : ContentsOf(*tail).items) {
      DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder(), *item.As<TensorRef>()));
      list = c.Op("SequenceInsert", {list, value});
    }
    DRAGOMAN_ASSIGN(list, c.Done(list));
    return Abstract(ListRef{heap_.NewCell(ListContents{{}, list, std::nullopt})});
  };
  Result<Abstract> result = compose();
  return result.ok() ? *std::move(result) : Report(node, result.error(), frame);
}

}  // namespace dragoman::relay
