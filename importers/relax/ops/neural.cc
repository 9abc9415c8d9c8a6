// SPDX-License-Identifier: Apache-2.0
// Operators of neural networks: windows, normalisation, activations, quantisation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/lowering/layout.h"
#include "importers/relax/ops/call.h"
#include "importers/tvm/adaptive_pool.h"

namespace dragoman::tvmscript {
namespace {

// One number for all axes, or one for each.
Ints EachAxis(Call& c, std::string_view name, int axes) {
  Ints values = c.IntsOf(name);
  const auto count = static_cast<std::size_t>(axes);
  if (values.size() == 1) values.resize(count, values.front());
  if (values.size() != count) c.Fail(std::string(name) + " has another number of elements");
  return values;
}

// One number, one for each axis, or all beginnings and then all ends, as ONNX has them.
Ints Padding(Call& c, int axes) {
  Ints values = c.IntsOf("padding");
  const auto count = static_cast<std::size_t>(axes);
  if (values.size() == 1) values.resize(count, values.front());
  if (values.size() == count) values.insert(values.end(), values.begin(), values.begin() + axes);
  if (values.size() != 2 * count) c.Fail("padding has another number of elements");
  return values;
}

// How a window moves, without what is the default in ai.onnx.
std::vector<NamedAttribute> WindowAttributes(Call& c, int axes) {
  std::vector<NamedAttribute> attributes;
  const auto add = [&](const char* name, Ints values, std::int64_t usual) {
    const bool plain = std::ranges::all_of(values, [&](std::int64_t v) { return v == usual; });
    if (!plain) attributes.emplace_back(name, std::move(values));
  };
  add("strides", EachAxis(c, "strides", axes), 1);
  add("pads", Padding(c, axes), 0);
  add("dilations", EachAxis(c, "dilation", axes), 1);
  return attributes;
}

// Channels in front of space: "NCHW", "OIHW".
std::string PlainLayout(std::string_view channels, int axes) {
  return std::string(channels) + std::string("DHW").substr(static_cast<std::size_t>(3 - axes));
}

// The operand `name` in the plain layout.
Value* InPlainLayout(Call& c, std::string_view name, std::string_view layout, int axes) {
  return ToLayout(c, c.X(name), c.Text(layout), PlainLayout("NC", axes));
}

// A result in the layout that the call asks for: that of its operand, unless it names another.
Abstract InOutLayout(Call& c, Value* y, std::string_view layout, int axes) {
  std::string out = c.IsNone("out_layout") ? "" : c.Text("out_layout");
  if (out.empty()) out = c.Text(layout);
  return c.NewTensor(ToLayout(c, y, PlainLayout("NC", axes), out));
}

// Whether no element of an integer tensor is above 2^9: numbers of 8 bits, and differences of
// them.
bool IsSmall(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (node == nullptr) return false;
  const auto is_narrow = [](const Value* x) {
    const Node* cast = x != nullptr ? x->producer() : nullptr;
    return cast != nullptr && cast->Is("Cast") && IsInteger(cast->operand(0)->type().dtype()) &&
           Info(cast->operand(0)->type().dtype()).bits <= 8;
  };
  return is_narrow(value) ||
         (node->Is("Sub") && is_narrow(node->operand(0)) && is_narrow(node->operand(1)));
}

// In f64, which holds sums of so small products; what the result cannot hold wraps.
Value* ConvOfSmallIntegers(Call& c, std::string_view op, Value* x, Value* w,
                           std::vector<NamedAttribute> attributes, DType out) {
  Value* sum = c.Op(op, {c.Cast(x, DType::kF64), c.Cast(w, DType::kF64)}, std::move(attributes));
  return c.Cast(c.Cast(sum, DType::kI64), out);
}

Abstract LowerConv(Call& c, int axes, bool transposed) {
  Value* x = InPlainLayout(c, "data", "data_layout", axes);
  Value* w = ToLayout(c, c.X("weight"), c.Text("kernel_layout"),
                      PlainLayout(transposed ? "IO" : "OI", axes));
  if (c.failed()) return Poison();
  const DType out = c.Type("out_dtype", c.dtype(x));
  std::vector<NamedAttribute> attributes = WindowAttributes(c, axes);
  attributes.emplace_back("group", c.Int("groups"));
  if (transposed) {
    const Ints padding = EachAxis(c, "output_padding", axes);
    if (std::ranges::any_of(padding, [](std::int64_t p) { return p != 0; }))
      attributes.emplace_back("output_padding", padding);
  }
  if (c.failed()) return Poison();
  const std::string_view op = transposed ? "ConvTranspose" : "Conv";
  const bool bytes = c.dtype(x) == DType::kI8 || c.dtype(x) == DType::kU8;
  if (bytes && out == DType::kI32 && !transposed)
    return InOutLayout(c, c.Op("ConvInteger", {x, w}, std::move(attributes)), "data_layout", axes);
  if (IsInteger(out) && IsSmall(x) && IsSmall(w)) {
    Value* y = ConvOfSmallIntegers(c, op, x, w, std::move(attributes), out);
    return InOutLayout(c, y, "data_layout", axes);
  }
  if (!IsFloating(c.dtype(x)) || !IsFloating(out))
    return c.NewTensor(c.Fail("a convolution of such integers is not supported"));
  Value* y = c.Op(op, {c.Cast(x, out), c.Cast(w, out)}, std::move(attributes));
  return InOutLayout(c, y, "data_layout", axes);
}

// Fails where rounding up may add a window that begins after the operand and its first padding:
// TVM keeps it, ai.onnx does not.
void CheckRoundedUp(Call& c, Value* x, int axes) {
  const Ints kernel = EachAxis(c, "pool_size", axes), strides = EachAxis(c, "strides", axes),
             dilations = EachAxis(c, "dilation", axes), pads = Padding(c, axes);
  for (std::size_t i = 0; i < static_cast<std::size_t>(axes) && !c.failed(); ++i) {
    const std::int64_t span = (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t before = pads[i], after = pads[i + static_cast<std::size_t>(axes)];
    if (strides[i] < 1 || after + strides[i] <= span) continue;
    const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(i) + 2);
    const std::int64_t moves = size.value_or(0) + before + after - span + strides[i] - 1;
    if (!size || moves / strides[i] * strides[i] >= *size + before)
      c.Fail("ceil_mode with a window that begins after the operand is not supported");
  }
}

Abstract LowerPool(Call& c, int axes, bool is_max) {
  Value* x = InPlainLayout(c, "data", "layout", axes);
  const bool ceil = c.Bool("ceil_mode");
  if (ceil) CheckRoundedUp(c, x, axes);
  std::vector<NamedAttribute> attributes = WindowAttributes(c, axes);
  attributes.emplace_back("kernel_shape", EachAxis(c, "pool_size", axes));
  attributes.emplace_back("ceil_mode", ceil ? 1 : 0);
  if (!is_max) attributes.emplace_back("count_include_pad", c.Bool("count_include_pad") ? 1 : 0);
  if (c.failed()) return Poison();
  Value* y = c.Op(is_max ? "MaxPool" : "AveragePool", {x}, std::move(attributes));
  return InOutLayout(c, y, "layout", axes);
}

// Parts of equal size: an average over windows that do not overlap.
Abstract LowerAdaptivePool(Call& c, int axes) {
  Value* x = InPlainLayout(c, "data", "layout", axes);
  const Ints sizes = c.IsNone("output_size") ? Ints() : EachAxis(c, "output_size", axes);
  if (c.failed()) return Poison();
  return InOutLayout(c, tvm::AdaptivePool(c, x, sizes, /*mean=*/true), "layout", axes);
}

// Gamma and beta of a normalisation: 1 and 0 where the operator is not to use them.
std::pair<Value*, Value*> Affine(Call& c) {
  Value* gamma = c.X("gamma");
  Value* beta = c.X("beta");
  const bool scale = c.Bool("scale");
  const bool center = c.Bool("center");
  if (c.failed()) return {nullptr, nullptr};
  if (!scale) gamma = c.Full(c.Shape(gamma), 1, c.dtype(gamma));
  if (!center) beta = c.Full(c.Shape(beta), 0, c.dtype(beta));
  return {gamma, beta};
}

NamedAttribute Epsilon(Call& c) { return {"epsilon", static_cast<float>(c.Float("epsilon"))}; }

// In training by the moments of the batch, which the moving ones follow.
Abstract LowerBatchNorm(Call& c) {
  Value* x = c.X("data");
  Value* mean = c.X("moving_mean");
  Value* variance = c.X("moving_var");
  const auto [gamma, beta] = Affine(c);
  const bool training = c.Bool("training");
  const double momentum = c.Float("momentum");
  if (c.failed()) return Poison();
  if (c.Axis(c.Int("axis"), c.Rank(x)) != 1) c.Fail("an axis other than 1 is not supported");
  if (!training || c.failed()) {
    Value* y = c.Op("BatchNormalization", {x, gamma, beta, mean, variance}, {Epsilon(c)});
    return c.NewTuple({y, mean, variance});
  }
  Ints axes = AllAxes(c.Rank(x));
  axes.erase(axes.begin() + 1);
  Value* centred = c.Sub(x, c.ReduceMean(x, axes, true));
  Value* batch_mean = c.ReduceMean(x, axes);
  Value* batch_variance = c.ReduceMean(c.Mul(centred, centred), axes);
  const auto moved = [&](Value* so_far, Value* batch) {
    return c.Add(c.Mul(so_far, 1 - momentum), c.Mul(batch, momentum));
  };
  Value* y = c.Op("BatchNormalization", {x, gamma, beta, batch_mean, batch_variance}, {Epsilon(c)});
  return c.NewTuple({y, moved(mean, batch_mean), moved(variance, batch_variance)});
}

// The first of the last axes that `name` lists.
int FirstOfLast(Call& c, std::string_view name, int rank) {
  Ints axes = c.IntsOf(name);
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != rank - static_cast<std::int64_t>(axes.size() - i))
      c.Fail(std::string(name) + " other than the last ones are not supported");
  }
  if (axes.empty()) c.Fail(std::string(name) + " is empty");
  return c.failed() ? 0 : static_cast<int>(axes.front());
}

Abstract LowerLayerNorm(Call& c) {
  Value* x = c.X("data");
  const auto [gamma, beta] = Affine(c);
  if (c.failed()) return Poison();
  const int axis = FirstOfLast(c, "axes", c.Rank(x));
  return c.NewTensor(c.Op("LayerNormalization", {x, gamma, beta}, {{"axis", axis}, Epsilon(c)}));
}

void CheckAxesOfSpace(Call& c, int rank) {
  if (c.Axis(c.Int("channel_axis"), rank) != 1 || FirstOfLast(c, "axes", rank) != 2)
    c.Fail("axes other than those of space are not supported");
}

Abstract LowerGroupNorm(Call& c) {
  Value* x = c.X("data");
  const auto [gamma, beta] = Affine(c);
  if (c.failed()) return Poison();
  CheckAxesOfSpace(c, c.Rank(x));
  return c.NewTensor(c.Op("GroupNormalization", {x, gamma, beta},
                          {{"num_groups", c.Int("num_groups")}, Epsilon(c)}));
}

Abstract LowerRmsNorm(Call& c) {
  Value* x = c.X("data");
  Value* weight = c.X("weight");
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  Ints axes = c.IntsOf("axes");
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  if (c.failed()) return Poison();
  Value* square = c.ReduceMean(c.Mul(x, x), axes, true);
  return c.NewTensor(c.Mul(c.Div(x, c.Sqrt(c.Add(square, c.Float("epsilon")))), weight));
}

Abstract LowerSoftmax(Call& c) {
  return c.NewTensor(c.Op(c.target(), {c.X("data")}, {{"axis", c.Int("axis")}}));
}

Abstract LowerGelu(Call& c, bool tanh) {
  return c.NewTensor(c.Op("Gelu", {c.X("data")}, {{"approximate", tanh ? "tanh" : "none"}}));
}

Abstract LowerSilu(Call& c) {
  Value* x = c.X("data");
  return c.NewTensor(c.Mul(x, c.Sigmoid(x)));
}

Abstract LowerLeakyRelu(Call& c) {
  const auto alpha = static_cast<float>(c.Float("alpha"));
  return c.NewTensor(c.Op("LeakyRelu", {c.X("data")}, {{"alpha", alpha}}));
}

Abstract LowerSelu(Call& c) { return c.NewTensor(c.Op("Selu", {c.X("data")})); }

Abstract LowerRelu6(Call& c) {
  Value* x = c.X("data");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op("Clip", {x, c.Number(0, x), c.Number(6, x)}));
}

Abstract LowerPrelu(Call& c) {
  Value* x = c.X("data");
  Value* alpha = c.X("alpha");
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  const int axis = c.Axis(c.Int("axis"), rank);
  if (c.failed()) return Poison();
  Ints sizes(static_cast<std::size_t>(rank), 1);
  sizes[static_cast<std::size_t>(axis)] = -1;
  return c.NewTensor(c.Op("PRelu", {x, c.Reshape(alpha, sizes)}));
}

// log(1 + exp(beta x)) / beta, and x where beta x is above the threshold.
Abstract LowerSoftplus(Call& c) {
  Value* x = c.X("data");
  const double beta = c.Float("beta");
  const double threshold = c.Float("threshold");
  if (c.failed()) return Poison();
  Value* scaled = beta == 1 ? x : c.Mul(x, beta);
  Value* soft = c.Op("Softplus", {scaled});
  if (beta != 1) soft = c.Div(soft, beta);
  return c.NewTensor(c.Where(c.Greater(scaled, threshold), x, soft));
}

Abstract LowerInstanceNorm(Call& c) {
  Value* x = c.X("data");
  const auto [gamma, beta] = Affine(c);
  if (c.failed()) return Poison();
  CheckAxesOfSpace(c, c.Rank(x));
  return c.NewTensor(c.Op("InstanceNormalization", {x, gamma, beta}, {Epsilon(c)}));
}

// Not trained, it is the operand itself, beside a mask of ones.
Abstract LowerDropout(Call& c) {
  Value* x = c.X("data");
  c.Float("rate");
  if (c.failed()) return Poison();
  return c.NewTuple({x, c.Full(c.Shape(x), 1, c.dtype(x))});
}

Abstract LowerPixelShuffle(Call& c) {
  return c.NewTensor(c.Op("DepthToSpace", {c.X("data")},
                          {{"blocksize", c.Int("upscale_factor")}, {"mode", "CRD"}}));
}

// Whether a key of each column may be seen from each row: it comes no later, counted from the first
// query and key or from the last.
Value* CausalMask(Call& c, Value* scores, const std::string& corner) {
  Value* rows = c.Unsqueeze(c.Iota(c.Size(scores, 2)), {1});
  Value* columns = c.Unsqueeze(c.Iota(c.Size(scores, 3)), {0});
  if (corner == "BottomRight")
    rows = c.Add(rows, c.Sub(c.Size(scores, 3), c.Size(scores, 2)));
  else if (corner != "TopLeft")
    return c.Fail("causal_mask \"" + corner + "\" is not supported");
  return c.LessOrEqual(columns, rows);
}

// Of (batch, length, heads, size); the bias is (batch, heads, queries, keys).
Abstract LowerAttention(Call& c) {
  Value* q = c.X("query");
  Value* k = c.X("key");
  Value* v = c.X("value");
  if (!c.IsNone("window_size")) c.Fail("a window_size is not supported");
  if (c.failed()) return Poison();
  const std::optional<std::int64_t> size = c.KnownSize(q, 3);
  if (c.IsNone("scale") && !size) c.Fail("an unknown size of heads without a scale");
  const std::optional<std::int64_t> heads = c.KnownSize(q, 2), shared = c.KnownSize(k, 2);
  if (!heads || heads != shared) c.Fail("keys of another number of heads are not supported");
  if (c.failed()) return Poison();
  const double scale =
      c.IsNone("scale") ? 1 / std::sqrt(static_cast<double>(*size)) : c.Float("scale");
  Value* scores = c.Op("MatMul", {c.Transpose(q, {0, 2, 1, 3}), c.Transpose(k, {0, 2, 3, 1})});
  scores = c.Mul(scores, scale);
  if (!c.IsNone("bias")) scores = c.Add(scores, c.X("bias"));
  if (!c.IsNone("causal_mask")) {
    const double least = -std::numeric_limits<double>::infinity();
    scores = c.Where(CausalMask(c, scores, c.Text("causal_mask")), scores, c.Number(least, scores));
  }
  Value* weights = c.Op("Softmax", {scores}, {{"axis", -1}});
  return c.NewTensor(
      c.Transpose(c.Op("MatMul", {weights, c.Transpose(v, {0, 2, 1, 3})}), {0, 2, 1, 3}));
}

Abstract LowerQuantize(Call& c) {
  const bool quantizes = c.target() == "QuantizeLinear";
  Value* x = c.X("data");
  Value* scale = c.X("scale");
  Value* zero = c.X("zero_point");
  const std::int64_t axis = c.Int("axis");
  const DType dtype = c.Type("out_dtype", quantizes ? DType::kI8 : DType::kF32);
  if (c.failed()) return Poison();
  if (c.dtype(zero) != (quantizes ? dtype : c.dtype(x)))
    return c.NewTensor(c.Fail("a zero point of another element type"));
  // One for all beside one for each.
  if (c.Rank(zero) < c.Rank(scale)) zero = c.Expand(zero, c.Shape(scale));
  if (c.Rank(scale) < c.Rank(zero)) scale = c.Expand(scale, c.Shape(zero));
  if (c.failed()) return Poison();
  if (quantizes || c.dtype(scale) == dtype)
    return c.NewTensor(c.Op(c.target(), {x, scale, zero}, {{"axis", axis}}));
  // TVM multiplies in float32, whatever the scale is.
  Value* y = c.Op(c.target(), {x, c.Cast(scale, DType::kF32), zero}, {{"axis", axis}});
  return c.NewTensor(c.failed() ? nullptr : c.Cast(y, dtype));
}

}  // namespace

std::span<const LoweringRow> NeuralRows() {
  static constexpr LoweringRow kRows[] = {
      {"dequantize", LowerQuantize, "DequantizeLinear"},
      {"nn.adaptive_avg_pool1d", With<LowerAdaptivePool, 1>},
      {"nn.adaptive_avg_pool2d", With<LowerAdaptivePool, 2>},
      {"nn.adaptive_avg_pool3d", With<LowerAdaptivePool, 3>},
      {"nn.attention", LowerAttention},
      {"nn.attention_bias", LowerAttention},
      {"nn.avg_pool1d", With<LowerPool, 1, false>},
      {"nn.avg_pool2d", With<LowerPool, 2, false>},
      {"nn.avg_pool3d", With<LowerPool, 3, false>},
      {"nn.batch_norm", LowerBatchNorm},
      {"nn.conv1d", With<LowerConv, 1, false>},
      {"nn.conv1d_transpose", With<LowerConv, 1, true>},
      {"nn.conv2d", With<LowerConv, 2, false>},
      {"nn.conv2d_transpose", With<LowerConv, 2, true>},
      {"nn.conv3d", With<LowerConv, 3, false>},
      {"nn.conv3d_transpose", With<LowerConv, 3, true>},
      {"nn.dropout", LowerDropout},
      {"nn.gelu", With<LowerGelu, false>},
      {"nn.gelu_tanh", With<LowerGelu, true>},
      {"nn.group_norm", LowerGroupNorm},
      {"nn.instance_norm", LowerInstanceNorm},
      {"nn.layer_norm", LowerLayerNorm},
      {"nn.leakyrelu", LowerLeakyRelu},
      {"nn.log_softmax", LowerSoftmax, "LogSoftmax"},
      {"nn.max_pool1d", With<LowerPool, 1, true>},
      {"nn.max_pool2d", With<LowerPool, 2, true>},
      {"nn.max_pool3d", With<LowerPool, 3, true>},
      {"nn.pixel_shuffle", LowerPixelShuffle},
      {"nn.prelu", LowerPrelu},
      {"nn.relu6", LowerRelu6},
      {"nn.rms_norm", LowerRmsNorm},
      {"nn.selu", LowerSelu},
      {"nn.silu", LowerSilu},
      {"nn.softmax", LowerSoftmax, "Softmax"},
      {"nn.softplus", LowerSoftplus},
      {"quantize", LowerQuantize, "QuantizeLinear"},
  };
  return kRows;
}

}  // namespace dragoman::tvmscript
