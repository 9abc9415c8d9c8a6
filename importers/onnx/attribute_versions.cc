// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/attribute_versions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/ir/domain.h"

namespace dragoman {
namespace {

struct AttributeVersions {
  std::string_view op;          // with its domain, unless that is ai.onnx
  std::string_view attributes;  // separated by spaces
  std::int64_t since;           // the first operator set that has them
  std::int64_t before;          // the first that no longer does
};

constexpr std::int64_t kStays = INT64_MAX;

// Source: the operator schemas of onnx 1.23, docs/Changelog.md.
constexpr AttributeVersions kVersions[] = {
    {"Add", "axis broadcast", 1, 7},
    {"And", "axis broadcast", 1, 7},
    {"ArgMax", "select_last_index", 12, kStays},
    {"ArgMin", "select_last_index", 12, kStays},
    {"Attention", "left_window_size right_window_size", 25, kStays},
    {"AveragePool", "ceil_mode", 10, kStays},
    {"AveragePool", "count_include_pad", 7, kStays},
    {"AveragePool", "dilations", 19, kStays},
    {"BatchNormalization", "is_test", 1, 7},
    {"BatchNormalization", "spatial", 1, 9},
    {"BatchNormalization", "training_mode", 14, kStays},
    {"Cast", "round_mode", 24, kStays},
    {"Cast", "saturate", 19, kStays},
    {"CastLike", "round_mode", 24, kStays},
    {"CastLike", "saturate", 19, kStays},
    {"Clip", "max min", 1, 11},
    {"Constant", "sparse_value", 11, kStays},
    {"Constant", "value_float value_floats value_int value_ints value_string value_strings", 12,
     kStays},
    {"DFT", "axis", 1, 20},
    {"DepthToSpace", "mode", 11, kStays},
    {"DequantizeLinear", "axis", 13, kStays},
    {"DequantizeLinear", "block_size", 21, kStays},
    {"DequantizeLinear", "output_dtype", 23, kStays},
    {"Div", "axis broadcast", 1, 7},
    {"Dropout", "is_test", 1, 7},
    {"Dropout", "ratio", 1, 12},
    {"Dropout", "seed", 12, kStays},
    {"Equal", "axis broadcast", 1, 7},
    {"GRU", "layout", 14, kStays},
    {"GRU", "linear_before_reset", 3, kStays},
    {"GRU", "output_sequence", 1, 7},
    {"GatherND", "batch_dims", 12, kStays},
    {"Gemm", "broadcast", 1, 7},
    {"Greater", "axis broadcast", 1, 7},
    {"LSTM", "layout", 14, kStays},
    {"LSTM", "output_sequence", 1, 7},
    {"Less", "axis broadcast", 1, 7},
    {"LpPool", "ceil_mode dilations", 18, kStays},
    {"MaxPool", "ceil_mode dilations", 10, kStays},
    {"MaxPool", "storage_order", 8, kStays},
    {"Mul", "axis broadcast", 1, 7},
    {"Or", "axis broadcast", 1, 7},
    {"Pad", "paddings", 1, 2},
    {"Pad", "pads", 2, 11},
    {"Pad", "value", 1, 11},
    {"Pow", "axis broadcast", 1, 7},
    {"QuantizeLinear", "axis", 13, kStays},
    {"QuantizeLinear", "block_size output_dtype", 21, kStays},
    {"QuantizeLinear", "precision", 23, kStays},
    {"QuantizeLinear", "saturate", 19, kStays},
    {"RNN", "layout", 14, kStays},
    {"RNN", "output_sequence", 1, 7},
    {"Range", "stash_type", 27, kStays},
    {"ReduceL1", "axes", 1, 18},
    {"ReduceL1", "noop_with_empty_axes", 18, kStays},
    {"ReduceL2", "axes", 1, 18},
    {"ReduceL2", "noop_with_empty_axes", 18, kStays},
    {"ReduceLogSum", "axes", 1, 18},
    {"ReduceLogSum", "noop_with_empty_axes", 18, kStays},
    {"ReduceLogSumExp", "axes", 1, 18},
    {"ReduceLogSumExp", "noop_with_empty_axes", 18, kStays},
    {"ReduceMax", "axes", 1, 18},
    {"ReduceMax", "noop_with_empty_axes", 18, kStays},
    {"ReduceMean", "axes", 1, 18},
    {"ReduceMean", "noop_with_empty_axes", 18, kStays},
    {"ReduceMin", "axes", 1, 18},
    {"ReduceMin", "noop_with_empty_axes", 18, kStays},
    {"ReduceProd", "axes", 1, 18},
    {"ReduceProd", "noop_with_empty_axes", 18, kStays},
    {"ReduceSum", "axes", 1, 13},
    {"ReduceSum", "noop_with_empty_axes", 13, kStays},
    {"ReduceSumSquare", "axes", 1, 18},
    {"ReduceSumSquare", "noop_with_empty_axes", 18, kStays},
    {"Reshape", "allowzero", 14, kStays},
    {"Reshape", "shape", 1, 5},
    {"Resize", "antialias axes keep_aspect_ratio_policy", 18, kStays},
    {"Resize",
     "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
     "nearest_mode",
     11, kStays},
    {"RoiAlign", "coordinate_transformation_mode", 16, kStays},
    {"Scan", "directions", 1, 9},
    {"Scan", "scan_input_axes scan_input_directions scan_output_axes scan_output_directions", 9,
     kStays},
    {"ScatterElements", "reduction", 16, kStays},
    {"ScatterND", "reduction", 16, kStays},
    {"Shape", "end start", 15, kStays},
    {"Slice", "axes ends starts", 1, 10},
    {"SpaceToDepth", "mode", 28, kStays},
    {"Split", "num_outputs", 18, kStays},
    {"Split", "split", 1, 13},
    {"Squeeze", "axes", 1, 13},
    {"Sub", "axis broadcast", 1, 7},
    {"TopK", "k", 1, 10},
    {"TopK", "largest sorted", 11, kStays},
    {"Unsqueeze", "axes", 1, 13},
    {"Upsample", "height_scale width_scale", 1, 7},
    {"Upsample", "scales", 7, 9},
    {"Xor", "axis broadcast", 1, 7},
    {"ai.onnx.ml.LabelEncoder", "classes_strings", 1, 2},
    {"ai.onnx.ml.LabelEncoder",
     "default_float keys_floats keys_int64s keys_strings values_floats values_int64s "
     "values_strings",
     2, kStays},
    {"ai.onnx.ml.LabelEncoder", "default_tensor keys_tensor values_tensor", 4, kStays},
    {"ai.onnx.ml.TreeEnsembleClassifier",
     "base_values_as_tensor class_weights_as_tensor nodes_hitrates_as_tensor "
     "nodes_values_as_tensor",
     3, kStays},
    {"ai.onnx.ml.TreeEnsembleRegressor",
     "base_values_as_tensor nodes_hitrates_as_tensor nodes_values_as_tensor "
     "target_weights_as_tensor",
     3, kStays},
};
static_assert(std::ranges::is_sorted(kVersions, {}, &AttributeVersions::op));

// Attributes of ai.onnx that are 0 or 1. What other numbers mean to ONNX Runtime depends on the
// operator.
constexpr std::string_view kTruths =
    "keepdims largest sorted exclusive reverse select_last_index count_include_pad ceil_mode";

bool Lists(std::string_view names, std::string_view name) {
  while (true) {
    const std::size_t end = names.find(' ');
    if (names.substr(0, end) == name) return true;
    if (end == std::string_view::npos) return false;
    names.remove_prefix(end + 1);
  }
}

Status CheckTruths(const Node& node) {
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto* number = attribute.value.As<std::int64_t>();
    if (number == nullptr || *number == 0 || *number == 1 || !Lists(kTruths, attribute.name))
      continue;
    return InvalidInput("attribute '" + attribute.name + "' is " + std::to_string(*number) +
                        ", expected 0 or 1")
        .At(node.Describe());
  }
  return {};
}

}  // namespace

Status CheckAttributeVersions(const Node& node, std::int64_t opset) {
  const OpName& name = node.op();
  if (IsDefaultDomain(name.domain)) DRAGOMAN_TRY(CheckTruths(node));
  const std::string op = IsDefaultDomain(name.domain) ? name.type : name.domain + "." + name.type;
  for (const AttributeVersions& row :
       std::ranges::equal_range(kVersions, op, {}, &AttributeVersions::op)) {
    if (opset >= row.since && opset < row.before) continue;
    for (const NamedAttribute& attribute : node.attributes()) {
      if (!Lists(row.attributes, attribute.name)) continue;
      const bool early = opset < row.since;
      return InvalidInput("has attribute '" + attribute.name + "', which the operator has " +
                          (early ? "from opset " : "up to opset ") +
                          std::to_string(early ? row.since : row.before - 1) +
                          (early ? " on" : "") + "; this node is of opset " + std::to_string(opset))
          .At(node.Describe());
    }
  }
  return {};
}

}  // namespace dragoman
