// SPDX-License-Identifier: Apache-2.0
// The text form of models and graphs: for people to read, for ParseText (parse.h) to read back
// exactly. docs/text-form.md describes it.
#ifndef DRAGOMAN_CORE_IR_PRINT_H_
#define DRAGOMAN_CORE_IR_PRINT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "core/ir/model.h"

namespace dragoman {

struct PrintOptions {
  // Whether Origins are printed, as a table after the graphs.
  bool origins = true;
  // Tensors of at most so many elements stand in the text as numbers, larger ones as base64.
  std::int64_t inline_elements = 256;
  // If set, called for each larger tensor of numbers: what it returns stands in the text in place
  // of the data. A reference that ParseOptions::load understands ("sha256:…"), or kElided.
  std::function<std::string(const Tensor&)> store = nullptr;
};

// In place of data that a text for people only leaves out; not read back.
inline constexpr char kElided[] = "...";

// parse(print(m)) is m: every field, bit and order, Origins included unless they are switched off.
// The same model gives the same text on every machine. Linear.
std::string PrintText(const Model& model, const PrintOptions& options = {});
// As `graph name(…) -> (…) { … }`, without Origins. Captured values of enclosing graphs stand as
// they are.
std::string PrintGraph(const Graph& graph, const PrintOptions& options = {});
// One attribute value, as after `name =`.
std::string PrintAttribute(const Attribute& attribute, const PrintOptions& options = {});

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_PRINT_H_
