// SPDX-License-Identifier: Apache-2.0
// Maps at the borders of a graph: operators of ai.onnx.ml read those of inputs, and make those of
// outputs. In between there are none. What runs the model knows the two tensors of a map by their
// names (runtime/program/map.h).
#include "importers/onnx/graph_lowering.h"
#include "runtime/params/map_names.h"

namespace dragoman {

Status OnnxGraphLowering::AddMapInput(const Value& input, GraphBuilder& builder) {
  const Type& type = input.type();
  const DType key = type.map_key(), value = type.element().dtype();
  const bool known = (key == DType::kString || key == DType::kI64) && type.element().is_tensor() &&
                     type.element().rank().value_or(0) == 0 &&
                     (value == DType::kString || value == DType::kI64 || IsFloating(value));
  if (!known) return Unsupported("input '" + input.name() + "' has type " + type.ToString());
  const Shape entries = {Dim::Symbol(input.name() + ".entries")};
  Graph& graph = builder.graph();
  map_keys_[&input] =
      graph.AddInput(builder.UniqueName(input.name() + rt::kMapKeys), Type::Tensor(key, entries));
  values_[&input] = graph.AddInput(builder.UniqueName(input.name() + rt::kMapValues),
                                   Type::Tensor(value, entries));
  return {};
}

Status OnnxGraphLowering::AddMapOutput(const Value& declared, GraphBuilder& builder) {
  DRAGOMAN_TRY(
      LowerOutput(declared.name() + rt::kMapKeys, Type(), map_keys_.at(&declared), builder));
  return LowerOutput(declared.name() + rt::kMapValues, Type(), values_.at(&declared), builder);
}

}  // namespace dragoman
