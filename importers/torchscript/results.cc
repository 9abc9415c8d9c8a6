#include "importers/torchscript/results.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "importers/torchscript/number_value.h"
#include "importers/torchscript/ops/quantized.h"

namespace dragoman::torchscript {
namespace {

Status AddOutput(Value* value, const std::string& name, GraphBuilder& builder) {
  Graph& graph = builder.graph();
  bool own = value->kind() == Value::Kind::kResult && value->graph() == &graph;
  for (const Use& use : graph.outputs()) own = own && use.value() != value;
  if (own) {
    value->set_name(builder.UniqueName(name));
  } else {
    DRAGOMAN_ASSIGN(value, builder.Add("Identity", {value}, {}, name));
  }
  graph.AddOutput(value);
  return {};
}

// A quantised tensor leaves the model as the integers that it stores.
Result<Value*> StoredForm(Value* value, GraphBuilder& builder) {
  const std::optional<ValueGrid> grid = ValueGridOf(value);
  if (!grid) return value;
  Composer c(builder);
  return c.Done(StoredOn(c, value, *grid));
}

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

Status AddItems(const std::vector<Abstract>& items, const std::string& name, Heap& heap,
                GraphBuilder& builder);

Status AddResult(const Abstract& result, const std::string& name, Heap& heap,
                 GraphBuilder& builder) {
  if (result.Is<None>()) return {};
  if (const auto* tensor = result.As<TensorRef>()) {
    DRAGOMAN_ASSIGN(Value * value, heap.Read(builder, *tensor));
    DRAGOMAN_ASSIGN(value, StoredForm(value, builder));
    return AddOutput(value, name, builder);
  }
  if (const auto* number = result.As<Number>()) {
    DRAGOMAN_ASSIGN(Value * value, NumberValue(builder, *number, number->dtype()));
    return AddOutput(value, name, builder);
  }
  if (const auto* string = result.As<String>()) {
    Value* value = string->known() ? nullptr : std::get<Value*>(string->value);
    if (!string->known() && value == nullptr)
      return Unsupported("the result holds a text that only run time tells");
    if (value == nullptr) {
      DRAGOMAN_ASSIGN(Tensor text, Tensor::MakeStrings({}, {string->text()}));
      value = builder.Constant(std::move(text));
    }
    return AddOutput(value, name, builder);
  }
  if (const auto* tuple = result.As<Tuple>()) return AddItems(*tuple->items, name, heap, builder);
  if (const auto* list = result.As<ListRef>()) {
    const auto& contents = std::get<ListContents>(list->cell->contents);
    if (contents.sequence != nullptr) return AddOutput(contents.sequence, name, builder);
    return AddItems(contents.items, name, heap, builder);
  }
  if (const auto* dict = result.As<DictRef>()) {
    for (const auto& [key, value] : std::get<DictContents>(dict->cell->contents).items) {
      std::string part;
      if (const auto* text = key.As<String>(); text != nullptr && text->known())
        part = text->text();
      if (const auto* number = key.As<Number>(); number != nullptr && number->known())
        part = std::to_string(number->AsInt());
      if (part.empty())
        return Unsupported("the result has a dict with a key that is " + Describe(key));
      DRAGOMAN_TRY(AddResult(value, name + "." + part, heap, builder));
    }
    return {};
  }
  if (const auto* maybe = result.As<Maybe>()) {
    DRAGOMAN_ASSIGN(Value * payload, PayloadValue(*maybe, heap, builder));
    DRAGOMAN_ASSIGN(Value * value, OptionalOf(maybe->present, payload, name, builder));
    return AddOutput(value, name, builder);
  }
  if (result.Is<Poison>() || result.Is<Uninitialized>()) return {};
  return Unsupported("the result holds " + Describe(result) + ", which has no tensor form");
}

Status AddItems(const std::vector<Abstract>& items, const std::string& name, Heap& heap,
                GraphBuilder& builder) {
  for (std::size_t i = 0; i < items.size(); ++i)
    DRAGOMAN_TRY(AddResult(items[i], name + "." + std::to_string(i), heap, builder));
  return {};
}

}  // namespace

Status AddResults(const Abstract& result, Heap& heap, GraphBuilder& builder) {
  return AddResult(result, "output", heap, builder);
}

}  // namespace dragoman::torchscript
