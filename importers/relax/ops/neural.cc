// Operators of neural networks: windows, normalisation, activations, quantisation.
#include <algorithm>
#include <utility>

#include "importers/relax/ops/call.h"

namespace dragoman::tvmscript {
namespace {

// "nn.conv2d" has 2 axes of space.
int AxesOfSpace(Call& c) { return c.target().back() - '0'; }

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

// Channels in front of space.
void ExpectLayout(Call& c, std::string_view name, int axes, bool weights, bool transposed = false) {
  const std::string space = std::string("DHW").substr(static_cast<std::size_t>(3 - axes));
  const std::string layout = (weights ? (transposed ? "IO" : "OI") : "NC") + space;
  c.Expect(name, {layout});
}

Abstract LowerConv(Call& c) {
  const int axes = AxesOfSpace(c);
  const bool transposed = c.target().starts_with("ConvTranspose");
  Value* x = c.X("data");
  Value* w = c.X("weight");
  ExpectLayout(c, "data_layout", axes, false);
  ExpectLayout(c, "kernel_layout", axes, true, transposed);
  ExpectLayout(c, "out_layout", axes, false);
  if (c.failed()) return Poison();
  if (c.Type("out_dtype", c.dtype(x)) != c.dtype(x))
    return c.NewTensor(c.Fail("an out_dtype that is not that of the operands"));
  std::vector<NamedAttribute> attributes = {{"strides", EachAxis(c, "strides", axes)},
                                            {"pads", Padding(c, axes)},
                                            {"dilations", EachAxis(c, "dilation", axes)},
                                            {"group", c.Int("groups")}};
  if (transposed) attributes.emplace_back("output_padding", EachAxis(c, "output_padding", axes));
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op(transposed ? "ConvTranspose" : "Conv", {x, w}, std::move(attributes)));
}

Abstract LowerPool(Call& c) {
  const int axes = AxesOfSpace(c);
  const bool is_max = c.target().starts_with("Max");
  ExpectLayout(c, "layout", axes, false);
  ExpectLayout(c, "out_layout", axes, false);
  const bool ceil = c.Bool("ceil_mode");
  if (ceil && !is_max) c.Fail("an average with ceil_mode is not supported");
  std::vector<NamedAttribute> attributes = {{"kernel_shape", EachAxis(c, "pool_size", axes)},
                                            {"strides", EachAxis(c, "strides", axes)},
                                            {"pads", Padding(c, axes)},
                                            {"dilations", EachAxis(c, "dilation", axes)},
                                            {"ceil_mode", ceil ? 1 : 0}};
  if (!is_max) attributes.emplace_back("count_include_pad", c.Bool("count_include_pad") ? 1 : 0);
  if (c.failed()) return Poison();
  return c.NewTensor(
      c.Op(is_max ? "MaxPool" : "AveragePool", {c.X("data")}, std::move(attributes)));
}

Abstract LowerAdaptivePool(Call& c) {
  const int axes = AxesOfSpace(c);
  ExpectLayout(c, "layout", axes, false);
  ExpectLayout(c, "out_layout", axes, false);
  const Ints sizes = c.IsNone("output_size") ? Ints() : EachAxis(c, "output_size", axes);
  if (sizes.empty() || std::ranges::any_of(sizes, [](std::int64_t n) { return n != 1; }))
    c.Fail("an output_size other than 1 is not supported");
  return c.NewTensor(c.Op("GlobalAveragePool", {c.X("data")}));
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

Abstract LowerBatchNorm(Call& c) {
  Value* x = c.X("data");
  Value* mean = c.X("moving_mean");
  Value* variance = c.X("moving_var");
  const auto [gamma, beta] = Affine(c);
  if (c.Bool("training")) c.Fail("training is not supported");
  if (c.failed()) return Poison();
  if (c.Axis(c.Int("axis"), c.Rank(x)) != 1) c.Fail("an axis other than 1 is not supported");
  Value* y = c.Op("BatchNormalization", {x, gamma, beta, mean, variance}, {Epsilon(c)});
  return c.NewTuple({y, mean, variance});
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

Abstract LowerGroupNorm(Call& c) {
  Value* x = c.X("data");
  const auto [gamma, beta] = Affine(c);
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  if (c.Axis(c.Int("channel_axis"), rank) != 1 || FirstOfLast(c, "axes", rank) != 2)
    c.Fail("axes other than those of space are not supported");
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

Abstract LowerGelu(Call& c) {
  return c.NewTensor(c.Op("Gelu", {c.X("data")}, {{"approximate", Attribute(c.target())}}));
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

Abstract LowerQuantize(Call& c) {
  const bool quantizes = c.target() == "QuantizeLinear";
  Value* x = c.X("data");
  Value* scale = c.X("scale");
  Value* zero = c.X("zero_point");
  const std::int64_t axis = c.Int("axis");
  const DType dtype = c.Type("out_dtype", quantizes ? DType::kI8 : DType::kF32);
  if (c.failed()) return Poison();
  if (c.dtype(zero) != (quantizes ? dtype : c.dtype(x)) || (!quantizes && c.dtype(scale) != dtype))
    return c.NewTensor(c.Fail("a zero point or a scale of another element type"));
  return c.NewTensor(c.Op(c.target(), {x, scale, zero}, {{"axis", axis}}));
}

}  // namespace

void AddNeural(std::vector<LoweringRow>& rows) {
  const LoweringRow own[] = {{"nn.conv1d", LowerConv, "Conv1"},
                             {"nn.conv2d", LowerConv, "Conv2"},
                             {"nn.conv3d", LowerConv, "Conv3"},
                             {"nn.conv1d_transpose", LowerConv, "ConvTranspose1"},
                             {"nn.conv2d_transpose", LowerConv, "ConvTranspose2"},
                             {"nn.conv3d_transpose", LowerConv, "ConvTranspose3"},
                             {"nn.max_pool1d", LowerPool, "MaxPool1"},
                             {"nn.max_pool2d", LowerPool, "MaxPool2"},
                             {"nn.max_pool3d", LowerPool, "MaxPool3"},
                             {"nn.avg_pool1d", LowerPool, "AveragePool1"},
                             {"nn.avg_pool2d", LowerPool, "AveragePool2"},
                             {"nn.avg_pool3d", LowerPool, "AveragePool3"},
                             {"nn.adaptive_avg_pool1d", LowerAdaptivePool, "1"},
                             {"nn.adaptive_avg_pool2d", LowerAdaptivePool, "2"},
                             {"nn.adaptive_avg_pool3d", LowerAdaptivePool, "3"},
                             {"nn.batch_norm", LowerBatchNorm, ""},
                             {"nn.layer_norm", LowerLayerNorm, ""},
                             {"nn.group_norm", LowerGroupNorm, ""},
                             {"nn.rms_norm", LowerRmsNorm, ""},
                             {"nn.softmax", LowerSoftmax, "Softmax"},
                             {"nn.log_softmax", LowerSoftmax, "LogSoftmax"},
                             {"nn.gelu", LowerGelu, "none"},
                             {"nn.gelu_tanh", LowerGelu, "tanh"},
                             {"nn.silu", LowerSilu, ""},
                             {"nn.leakyrelu", LowerLeakyRelu, ""},
                             {"nn.selu", LowerSelu, ""},
                             {"nn.relu6", LowerRelu6, ""},
                             {"nn.prelu", LowerPrelu, ""},
                             {"nn.softplus", LowerSoftplus, ""},
                             {"quantize", LowerQuantize, "QuantizeLinear"},
                             {"dequantize", LowerQuantize, "DequantizeLinear"}};
  rows.insert(rows.end(), std::begin(own), std::end(own));
}

}  // namespace dragoman::tvmscript
