// SPDX-License-Identifier: Apache-2.0
// What a program does beside computing: assertions and messages, in their order.
#include "importers/tensorflow/ops/op_rows.h"

#include <string>

#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// The texts among operands `first` and on that are known, as one line.
std::string KnownTexts(Call& c, std::size_t first) {
  std::string message;
  for (std::size_t i = first; i < c.num_operands(); ++i) {
    const auto* tensor = c.operand(i).As<TensorRef>();
    if (tensor == nullptr) continue;
    const dragoman::Tensor* constant = c.Constant(i);
    if (constant == nullptr || constant->dtype() != DType::kString) continue;
    for (const std::string& text : constant->strings()) {
      if (!message.empty() && !text.empty()) message += ' ';
      message += text;
    }
  }
  return message;
}

// Values of the operands that are not texts.
std::vector<Value*> Data(Call& c, std::size_t first) {
  std::vector<Value*> data;
  for (std::size_t i = first; i < c.num_operands(); ++i) {
    Value* value = c.Tensor(i);
    if (c.dtype(value) != DType::kString) data.push_back(value);
  }
  return data;
}

std::vector<Abstract> LowerAssert(Call& c) {
  Value* condition = c.Tensor(0);
  std::string message = KnownTexts(c, 1);
  if (message.empty()) message = "assertion '" + c.node().name() + "' failed";
  if (c.failed()) return {};
  const std::optional<Ints> known = c.builder().KnownInts(condition);
  if (known && known->size() == 1 && known->front() != 0) return {};
  std::vector<Value*> operands = {condition};
  const std::vector<Value*> data = Data(c, 1);
  operands.insert(operands.end(), data.begin(), data.end());
  c.Ops("dragoman.Assert", std::move(operands), {{"message", Attribute(message)}},
        std::vector<std::string>());
  return {};
}

// Print gives its first operand again.
Value* LowerPrint(Call& c) {
  Value* x = c.Tensor(0);
  const std::string message = c.TextAttribute("message");
  c.Ops("dragoman.Print", Data(c, 1), {{"message", Attribute(message)}},
        std::vector<std::string>());
  return x;
}

// A text that is known is the message, all else that is printed is computed by string operators.
std::vector<Abstract> LowerPrintV2(Call& c) {
  std::string message;
  std::vector<Value*> data;
  if (const auto* parts = c.operand(0).As<Tuple>()) {  // LowerStringFormat
    const Value* form = c.TensorOf(parts->items->front());
    for (std::size_t i = 1; i < parts->items->size(); ++i)
      data.push_back(c.TensorOf((*parts->items)[i]));
    if (c.failed()) return {};
    if (form->tensor() != nullptr) message = form->tensor()->strings().front();
    c.Ops("dragoman.Print", std::move(data), {{"message", Attribute(message)}},
          std::vector<std::string>());
    return {};
  }
  const dragoman::Tensor* text = c.Constant(0);
  if (text != nullptr && text->dtype() == DType::kString && text->size() == 1) {
    message = text->strings().front();
  } else {
    data.push_back(c.Tensor(0));
  }
  c.Ops("dragoman.Print", std::move(data), {{"message", Attribute(message)}},
        std::vector<std::string>());
  return {};
}

Value* LowerCheckNumerics(Call& c) {
  Value* x = c.Tensor(0);
  const std::string message = c.TextAttribute("message");
  Value* bad = c.Or(IsInf(c, x, true, true), IsNaN(c, x));
  Value* any = c.ReduceAll("ReduceMax", bad);
  c.Assert(c.Not(any), message + " : Tensor had NaN or Inf values");
  return x;
}

}  // namespace

std::span<const OpRow> EffectsRows() {
  static constexpr OpRow kRows[] = {
      {"Assert", LowerAssert},
      {"CheckNumerics", LowerCheckNumerics},
      {"CheckNumericsV2", LowerCheckNumerics},
      {"Print", LowerPrint},
      {"PrintV2", LowerPrintV2},
  };
  return kRows;
}

}  // namespace dragoman::tf
