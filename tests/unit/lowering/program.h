// SPDX-License-Identifier: Apache-2.0
// A program that a test writes by hand, lowered and run by the interpreter.
#ifndef DRAGOMAN_TESTS_UNIT_LOWERING_PROGRAM_H_
#define DRAGOMAN_TESTS_UNIT_LOWERING_PROGRAM_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/ir/model.h"
#include "core/lowering/composer.h"
#include "core/lowering/entry_builder.h"

namespace dragoman {

// The elements of a result: "i64[2] 1 2", of a sequence "[f32[] 1, f32[] 2]".
inline std::string Text(const RuntimeValue& value) {
  if (value.kind == RuntimeValue::Kind::kSequence) {
    std::string text;
    for (const RuntimeValue& item : value.sequence) text += (text.empty() ? "" : ", ") + Text(item);
    return "[" + text + "]";
  }
  const Tensor tensor = value.array.ToTensor();
  std::string text = tensor.type().ToString();
  for (std::int64_t i = 0; i < tensor.size(); ++i) text += " " + FormatElement(tensor, i);
  return text;
}

inline RuntimeValue Array1(const Tensor& tensor) {
  return RuntimeValue::Of(std::move(Array::FromTensor(tensor)).value());
}

// What the body of a test appends, as the only entry of a model.
class Program {
 public:
  Program() {
    model_.level = Level::kCommon;
    model_.opsets.push_back({"", kCommonOpset});
    model_.entries.emplace_back();
    model_.entries[0].name = "main";
    model_.entries[0].graph = std::make_unique<Graph>();
    entry_ = std::make_unique<EntryBuilder>(heap_, graph(), inference_);
  }

  EntryBuilder& entry() { return *entry_; }
  GraphBuilder& builder() { return entry_->builder(); }
  Heap& heap() { return heap_; }
  Graph& graph() { return *model_.entries[0].graph; }

  Value* Input(const std::string& name, DType dtype, Shape shape = {}) {
    return graph().AddInput(builder().UniqueName(name), Type::Tensor(dtype, std::move(shape)));
  }
  Abstract NumberInput(const std::string& name, Number::Kind kind) {
    const Number model{kind, std::int64_t{0}};
    return Number{kind, Input(name, model.dtype())};
  }
  // A tensor of the program, of float64.
  Abstract NewTensor(const std::vector<double>& elements) {
    const auto count = static_cast<std::int64_t>(elements.size());
    return heap_.NewTensor(builder().Constant(Tensor::Of<double>({count}, elements)));
  }
  void Output(const Abstract& tensor) {
    Result<Value*> value = heap_.Read(builder(), *tensor.As<TensorRef>());
    ASSERT_TRUE(value.ok()) << value.error().ToString();
    Output(*value);
  }
  void Output(Value* value) {
    Result<Value*> copy = builder().Add("Identity", {value});
    ASSERT_TRUE(copy.ok()) << copy.error().ToString();
    graph().AddOutput(*copy);
  }

  // The outputs for these inputs, joined by "; ", or the message of the error.
  std::string Run(const std::vector<Tensor>& inputs) {
    Result<Interpreter> interpreter = Interpreter::Make(model_);
    if (!interpreter.ok()) return interpreter.error().ToString();
    std::vector<RuntimeValue> values;
    for (const Tensor& input : inputs) values.push_back(Array1(input));
    const Result<std::vector<RuntimeValue>> ran =
        interpreter->Run(model_.entries[0], std::move(values));
    if (!ran.ok()) return ran.error().ToString();
    std::string text;
    for (const RuntimeValue& value : *ran) text += (text.empty() ? "" : "; ") + Text(value);
    return text;
  }

  // How many nodes of operator `type` the entry has, bodies apart.
  int Count(std::string_view type) {
    int count = 0;
    for (const Node& node : graph().nodes()) count += node.op().type == type ? 1 : 0;
    return count;
  }

 private:
  Model model_;
  Inference inference_;
  Heap heap_;
  std::unique_ptr<EntryBuilder> entry_;
};

// Element `index` of a vector, as a view.
inline ViewStep ElementAt(std::int64_t index) {
  ViewStep step;
  step.get = [index](GraphBuilder& builder, Value* base) {
    Composer c(builder);
    return c.Done(c.Slice(base, 0, index, index + 1));
  };
  return step;
}

// Adds `number` to the elements of `tensor` in place.
inline Status AddInPlace(EntryBuilder& entry, const Abstract& tensor, double number) {
  const TensorRef& reference = *tensor.As<TensorRef>();
  Composer c(entry.builder());
  Value* sum = c.Add(c.Take(entry.heap().Read(entry.builder(), reference)), number);
  DRAGOMAN_TRY(c.status());
  return entry.heap().Write(entry.builder(), reference, sum);
}

inline Tensor Bool(bool value) { return Tensor::Full(DType::kBool, {}, value ? 1 : 0).value(); }

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_LOWERING_PROGRAM_H_
