// SPDX-License-Identifier: Apache-2.0
// What the lowering of one source node works with. Operators whose form has not changed since opset
// 1 need no lowering of their own: they are copied. One that changed has a function here and a row
// in kOnnxLowerings.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OP_LOWERING_H_
#define DRAGOMAN_IMPORTERS_ONNX_OP_LOWERING_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/builder.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

struct OpLowering {
  const Node& source;
  std::int64_t opset;  // of the node's domain, in the source
  GraphBuilder& builder;
  std::vector<Value*> operands;  // in the common graph; nullptr where omitted
  // Of the source, references to a function's attributes resolved. Those that a lowering leaves
  // here are refused.
  std::vector<NamedAttribute> attributes;

  Value* operand(std::size_t i) const { return i < operands.size() ? operands[i] : nullptr; }
  // How many results the source node names, and how result `i` is called.
  std::size_t num_results() const { return source.num_results(); }
  std::string ResultName(std::size_t i) const;

  // The attribute, taken out of `attributes`, so that what is left is passed on. nullopt if absent.
  // Errors: of another kind.
  Result<std::optional<std::int64_t>> TakeInt(std::string_view name);
  Result<std::optional<float>> TakeFloat(std::string_view name);
  Result<std::optional<std::string>> TakeString(std::string_view name);
  Result<std::optional<std::vector<std::int64_t>>> TakeInts(std::string_view name);
  Result<std::optional<std::vector<float>>> TakeFloats(std::string_view name);
  void Drop(std::string_view name);
  bool Has(std::string_view name) const { return Find(attributes, name) != nullptr; }

  // Errors: one of these operands is missing.
  Status Require(std::initializer_list<std::size_t> required) const;
  // The rank of operand `i`. Errors: unknown, with the hint to give --shape.
  Result<int> Rank(std::size_t i) const;
  // An int64 constant of rank 1.
  Value* Ints(const std::vector<std::int64_t>& values) { return builder.Ints(values); }
  // A constant of the element type of `like`, rank 0.
  Result<Value*> Scalar(double value, const Value* like);

  // Appends the source node as it is, with `operands` and `attributes`: a foreign node.
  std::vector<Value*> EmitForeign();
  // Appends `type` with `operands` and all of `attributes`, and the source's result names;
  // as a foreign node if the common dialect has no such operator.
  Result<std::vector<Value*>> Emit(std::string_view type);
  // One node whose only result is the source's first.
  Result<std::vector<Value*>> EmitOne(std::string_view type, std::vector<Value*> with,
                                      std::vector<NamedAttribute> attrs = {});

  Error Unsupported(std::string message) const;
  Error Invalid(std::string message) const;
};

// Gives what stands for the source node's results.
using OnnxLowering = Result<std::vector<Value*>> (*)(OpLowering&);

// The lowering of ai.onnx operator `type` as opset `opset` defines it, or nullptr: copy it.
OnnxLowering FindOnnxLowering(std::string_view type, std::int64_t opset);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OP_LOWERING_H_
