// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, and what changes the size of images.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/lowering/math.h"
#include "core/lowering/sums.h"
#include "importers/relay/ops/layout.h"
#include "importers/tvm/adaptive_pool.h"

namespace dragoman::relay {
namespace {

// Layouts of data and kernels for 1, 2 and 3 spatial axes.
constexpr std::string_view kData[] = {"", "NCW", "NCHW", "NCDHW"};
constexpr std::string_view kKernel[] = {"", "OIW", "OIHW", "OIDHW"};

Ints Ones(int count) { return Ints(static_cast<std::size_t>(count), 1); }

// One number stands for all axes.
Ints PerAxis(Call& c, std::string_view name, int spatial) {
  Ints values = c.IntList(name, Ones(spatial));
  if (values.size() == 1) values = Ints(static_cast<std::size_t>(spatial), values.front());
  if (values.size() != static_cast<std::size_t>(spatial))
    c.Fail(InvalidInput(std::string(name) + " has " + std::to_string(values.size()) + " entries"));
  if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v < 1; }))
    c.Fail(InvalidInput(std::string(name) + " below 1"));
  return values;
}

// The layouts of operand and result.
std::pair<std::string, std::string> Layouts(Call& c, std::string_view name, int spatial) {
  const std::string data = c.Text(name, kData[spatial]);
  const std::string result = c.Text("out_layout", "");
  return {data, result.empty() ? data : result};
}

// The kernel (in, out of a group, …) of a transposed convolution. Before version 0.12 it was
// labelled as if O came first: sizes decide.
Value* TransposedKernel(Call& c, const Value* x, Value* weight, int spatial) {
  const std::string plain = std::string("IO") + std::string(kKernel[spatial].substr(2));
  std::string layout = c.Text("kernel_layout", plain);
  std::string swapped = layout;
  for (char& letter : swapped) letter = letter == 'O' ? 'I' : letter == 'I' ? 'O' : letter;
  if (c.failed() || layout == plain) return weight;
  const std::optional<std::int64_t> channels = c.KnownSize(x, 1);
  const std::optional<std::int64_t> in = c.KnownSize(weight, static_cast<int>(layout.find('I')));
  const std::optional<std::int64_t> out = c.KnownSize(weight, static_cast<int>(layout.find('O')));
  if (!channels || !in || !out) return c.Fail("sizes of a kernel that are not known");
  if (*in == *out && *in != 1)
    return c.Fail("kernel_layout=\"" + layout +
                  "\" of a square kernel means one thing before TVM 0.12 and another thing since");
  return ToLayout(c, weight, *in == *channels ? layout : swapped, plain);
}

struct Window {
  Ints kernel;
  Ints strides;
  Ints dilations;
  Ints pads;
};

Window PoolWindow(Call& c, int spatial) {
  Window window;
  window.kernel = c.RequiredInts("pool_size");
  if (window.kernel.size() == 1)
    window.kernel = Ints(static_cast<std::size_t>(spatial), window.kernel[0]);
  if (!c.failed() && window.kernel.size() != static_cast<std::size_t>(spatial))
    c.Fail(InvalidInput("pool_size has another number of entries"));
  window.strides = PerAxis(c, "strides", spatial);
  window.dilations = PerAxis(c, "dilation", spatial);
  window.pads = PadsOf(c, "padding", spatial);
  return window;
}

// As many elements more at the end as let the last window be whole: TVM has it wherever it begins.
// True if there are some.
bool PadToWholeWindows(Call& c, const Value* x, Window& window) {
  if (!c.Bool("ceil_mode", false) || c.failed()) return false;
  bool more = false;
  for (std::size_t i = 0; i < window.kernel.size() && !c.failed(); ++i) {
    std::int64_t& end = window.pads[window.kernel.size() + i];
    const std::int64_t stated = end;
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    end += window.strides[i] - 1;
    if (const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(i) + 2)) {
      const std::int64_t room = *size + window.pads[i] + end - extent;
      if (room < 0) c.Fail(InvalidInput("a window that does not fit"));
      end -= room % window.strides[i];
    }
    more = more || end > stated;
    if (end >= extent) c.Fail("ceil_mode with windows that may lie beyond the padding");
  }
  return more;
}

// The mean of integers, towards zero: quotients lie at least a part of the window away from the
// next whole number.
Value* WholeMean(Call& c, Value* mean, DType dtype) {
  Value* nudged = c.Add(mean, c.Mul(c.Op("Sign", {mean}), 1e-7));
  return c.Cast(Trunc(c, nudged), dtype);
}

}  // namespace

Value* DepthwiseKernel(Call& c, Value* x, Value* weight, std::int64_t groups) {
  const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(weight);
  const std::optional<std::int64_t> channels = c.KnownSize(x, 1);
  if (groups == 1 || !sizes || sizes->size() < 3 || (*sizes)[1] == 1) return weight;
  if (!channels || *channels != groups || (*sizes)[0] != groups) return weight;
  Ints shape = *sizes;
  shape[0] *= shape[1];
  shape[1] = 1;
  return c.Reshape(weight, std::move(shape));
}

void CheckKernel(Call& c, const Value* weight, int spatial, bool transposed) {
  const std::optional<Ints> kernel = c.MaybeInts("kernel_size");
  const std::optional<std::int64_t> channels = c.MaybeInt("channels");
  const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(weight);
  if (c.failed() || !sizes) return;
  if (sizes->size() != static_cast<std::size_t>(spatial) + 2) {
    c.Fail(InvalidInput("a kernel of rank " + std::to_string(sizes->size())));
    return;
  }
  if (channels && !transposed && *channels != sizes->front())
    c.Fail(InvalidInput("channels is " + std::to_string(*channels) + ", but the kernel has " +
                        std::to_string(sizes->front())));
  for (std::size_t i = 0; kernel && i < static_cast<std::size_t>(spatial); ++i) {
    const std::int64_t size = kernel->size() == 1  ? kernel->front()
                              : i < kernel->size() ? (*kernel)[i]
                                                   : -1;
    if (size != (*sizes)[i + 2]) c.Fail(InvalidInput("kernel_size is not that of the kernel"));
  }
}

namespace {

Value* LowerConv(Call& c, int spatial) {
  const auto [layout, out_layout] = Layouts(c, "data_layout", spatial);
  Value* x = ToLayout(c, c.Tensor(0), layout, kData[spatial]);
  Value* weight =
      ToLayout(c, c.Tensor(1), c.Text("kernel_layout", kKernel[spatial]), kKernel[spatial]);
  c.ExpectText("auto_scheduler_rewritten_layout", {""});
  const std::int64_t groups = c.Int("groups", 1);
  weight = DepthwiseKernel(c, x, weight, groups);
  CheckKernel(c, weight, spatial);
  const DType dtype = c.Type("out_dtype", c.dtype(x));
  std::vector<NamedAttribute> attributes = {{"dilations", PerAxis(c, "dilation", spatial)},
                                            {"group", groups},
                                            {"pads", PadsOf(c, "padding", spatial)},
                                            {"strides", PerAxis(c, "strides", spatial)}};
  if (c.failed()) return nullptr;
  Value* y = nullptr;
  const auto is_byte = [&](const Value* value) {
    return IsInteger(c.dtype(value)) && Info(c.dtype(value)).bits == 8;
  };
  if (IsFloating(dtype)) {
    y = c.Op("Conv", {c.Cast(x, dtype), c.Cast(weight, dtype)}, std::move(attributes));
  } else if (dtype == DType::kI32 && is_byte(x) && is_byte(weight)) {
    y = c.Op("ConvInteger", {x, weight}, std::move(attributes));
  } else if (IsInteger(dtype) && Info(dtype).bits <= 32) {
    // Sums of such integers are exact in float64, and wrap around as integers do.
    y = c.Op("Conv", {c.Cast(x, DType::kF64), c.Cast(weight, DType::kF64)}, std::move(attributes));
    y = c.Cast(c.Cast(y, DType::kI64), dtype);
  } else {
    return c.Fail("convolutions of " + std::string(NumpyName(dtype)) + " are not supported");
  }
  return ToLayout(c, y, kData[spatial], out_layout);
}

// Of quantised operands: without their zero points, operands 2 and 3.
Value* LowerConvTranspose(Call& c, int spatial) {
  const auto [layout, out_layout] = Layouts(c, "data_layout", spatial);
  Value* x = ToLayout(c, c.Tensor(0), layout, kData[spatial]);
  Value* weight = TransposedKernel(c, x, c.Tensor(1), spatial);
  CheckKernel(c, weight, spatial, /*transposed=*/true);
  const bool quantised = c.num_operands() > 2;
  const DType dtype = c.Type("out_dtype", quantised ? DType::kI32 : c.dtype(x));
  Ints extra = c.IntList("output_padding", Ints(static_cast<std::size_t>(spatial), 0));
  if (extra.size() == 1) extra = Ints(static_cast<std::size_t>(spatial), extra.front());
  const std::int64_t groups = c.Int("groups", 1);
  const std::optional<std::int64_t> of_group = c.KnownSize(weight, 1);
  const std::optional<std::int64_t> channels = c.MaybeInt("channels");
  if (channels && of_group && *of_group * groups != *channels)
    c.Fail(InvalidInput("channels is not that of the kernel"));
  std::vector<NamedAttribute> attributes = {{"dilations", PerAxis(c, "dilation", spatial)},
                                            {"group", groups},
                                            {"output_padding", std::move(extra)},
                                            {"pads", PadsOf(c, "padding", spatial)},
                                            {"strides", PerAxis(c, "strides", spatial)}};
  if (c.failed()) return nullptr;
  if (!IsFloating(dtype) && dtype != DType::kI32)
    return c.Fail("transposed convolutions of " + std::string(NumpyName(dtype)) +
                  " are not supported");
  // Sums of integers are exact in float64.
  const DType computed = IsFloating(dtype) ? dtype : DType::kF64;
  x = c.Cast(x, computed);
  weight = c.Cast(weight, computed);
  if (quantised) {
    x = c.Sub(x, c.Cast(c.Tensor(2), computed));
    weight = c.Sub(weight, c.Cast(c.Tensor(3), computed));
  }
  Value* y = c.Cast(c.Op("ConvTranspose", {x, weight}, std::move(attributes)), dtype);
  return ToLayout(c, y, kData[spatial], out_layout);
}

// ONNX's maxima are of floats and bytes; those of integers up to 32 bits are exact in float64.
Value* Maximum(Call& c, std::string_view op, Value* x, std::vector<NamedAttribute> attributes) {
  const DType dtype = c.dtype(x);
  if (c.failed() || !IsInteger(dtype) || Info(dtype).bits == 8)
    return c.Op(op, {x}, std::move(attributes));
  if (Info(dtype).bits > 32)
    return c.Fail("pools of " + std::string(NumpyName(dtype)) + " are not supported");
  return c.Cast(c.Op(op, {c.Cast(x, DType::kF64)}, std::move(attributes)), dtype);
}

}  // namespace

Value* Pool(Call& c, Value* x, int spatial, bool mean) {
  const auto [layout, out_layout] = Layouts(c, "layout", spatial);
  x = ToLayout(c, x, layout, kData[spatial]);
  Window window = PoolWindow(c, spatial);
  const bool padded = PadToWholeWindows(c, x, window);
  std::vector<NamedAttribute> attributes = {{"dilations", std::move(window.dilations)},
                                            {"kernel_shape", std::move(window.kernel)},
                                            {"pads", std::move(window.pads)},
                                            {"strides", std::move(window.strides)}};
  const bool count_pads = mean && c.Bool("count_include_pad", false);
  if (mean) attributes.emplace_back("count_include_pad", std::int64_t{count_pads});
  if (c.failed()) return nullptr;
  // TVM counts stated pads, but not what ceil_mode adds.
  if (count_pads && padded) return c.Fail("ceil_mode with count_include_pad is not supported");
  const DType dtype = c.dtype(x);
  if (mean && IsInteger(dtype)) {
    Value* y = c.Op("AveragePool", {c.Cast(x, DType::kF64)}, std::move(attributes));
    return ToLayout(c, WholeMean(c, y, dtype), kData[spatial], out_layout);
  }
  Value* y = mean ? c.Op("AveragePool", {x}, std::move(attributes))
                  : Maximum(c, "MaxPool", x, std::move(attributes));
  return ToLayout(c, y, kData[spatial], out_layout);
}

namespace {

enum class Pooling { kMean, kMaximum };

Value* LowerPool(Call& c, int spatial, Pooling pooling) {
  return Pool(c, c.Tensor(0), spatial, pooling == Pooling::kMean);
}

Value* LowerGlobalPool(Call& c, int spatial, Pooling pooling) {
  const auto [layout, out_layout] = Layouts(c, "layout", spatial);
  Value* x = ToLayout(c, c.Tensor(0), layout, kData[spatial]);
  const bool mean = pooling == Pooling::kMean;
  if (c.failed()) return nullptr;
  Ints axes;
  for (int axis = 2; axis < spatial + 2; ++axis) axes.push_back(axis);
  Value* y = !mean                   ? Maximum(c, "GlobalMaxPool", x, {})
             : IsInteger(c.dtype(x)) ? MeanOfIntegers(c, x, axes, true)
                                     : c.Op("GlobalAveragePool", {x});
  return ToLayout(c, y, kData[spatial], out_layout);
}

Value* LowerAdaptivePool(Call& c, int spatial, Pooling pooling) {
  const auto [layout, out_layout] = Layouts(c, "layout", spatial);
  Value* x = ToLayout(c, c.Tensor(0), layout, kData[spatial]);
  Ints sizes = c.IntList("output_size", {});
  if (c.failed()) return nullptr;
  if (sizes.size() == 1) sizes = Ints(static_cast<std::size_t>(spatial), sizes.front());
  if (!sizes.empty() && sizes.size() != static_cast<std::size_t>(spatial))
    return c.Fail(InvalidInput("output_size has another number of entries"));
  x = tvm::AdaptivePool(c, x, sizes, pooling == Pooling::kMean);
  return ToLayout(c, x, kData[spatial], out_layout);
}

Value* LowerDepthToSpace(Call& c) {
  const std::string layout = c.Text("layout", "NCHW");
  const std::int64_t block = c.Int("block_size", 1);
  const std::string mode = c.Text("mode", "DCR");
  if (mode != "DCR" && mode != "CDR") return c.Fail("mode=\"" + mode + "\" is not supported");
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  Value* y =
      c.Op("DepthToSpace", {x}, {{"blocksize", block}, {"mode", mode == "CDR" ? "CRD" : mode}});
  return ToLayout(c, y, "NCHW", layout);
}

Value* LowerSpaceToDepth(Call& c) {
  const std::string layout = c.Text("layout", "NCHW");
  const std::int64_t block = c.Int("block_size", 1);
  c.ExpectText("mode", {"DCR"});
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  return ToLayout(c, c.Op("SpaceToDepth", {x}, {{"blocksize", block}}), "NCHW", layout);
}

}  // namespace

std::span<const OpRow> ConvolutionRows() {
  static constexpr OpRow kRows[] = {
      {"contrib.adaptive_avg_pool2d", With<LowerAdaptivePool, 2, Pooling::kMean>},
      {"contrib.adaptive_max_pool2d", With<LowerAdaptivePool, 2, Pooling::kMaximum>},
      {"nn.adaptive_avg_pool1d", With<LowerAdaptivePool, 1, Pooling::kMean>},
      {"nn.adaptive_avg_pool2d", With<LowerAdaptivePool, 2, Pooling::kMean>},
      {"nn.adaptive_avg_pool3d", With<LowerAdaptivePool, 3, Pooling::kMean>},
      {"nn.adaptive_max_pool1d", With<LowerAdaptivePool, 1, Pooling::kMaximum>},
      {"nn.adaptive_max_pool2d", With<LowerAdaptivePool, 2, Pooling::kMaximum>},
      {"nn.adaptive_max_pool3d", With<LowerAdaptivePool, 3, Pooling::kMaximum>},
      {"nn.avg_pool1d", With<LowerPool, 1, Pooling::kMean>},
      {"nn.avg_pool2d", With<LowerPool, 2, Pooling::kMean>},
      {"nn.avg_pool3d", With<LowerPool, 3, Pooling::kMean>},
      {"nn.contrib_conv2d_NCHWc", With<LowerConv, 2>},
      {"nn.contrib_depthwise_conv2d_NCHWc", With<LowerConv, 2>},
      {"nn.conv1d", With<LowerConv, 1>},
      {"nn.conv1d_transpose", With<LowerConvTranspose, 1>},
      {"nn.conv2d", With<LowerConv, 2>},
      {"nn.conv2d_transpose", With<LowerConvTranspose, 2>},
      {"nn.conv3d", With<LowerConv, 3>},
      {"nn.conv3d_transpose", With<LowerConvTranspose, 3>},
      {"nn.depth_to_space", LowerDepthToSpace},
      {"nn.global_avg_pool1d", With<LowerGlobalPool, 1, Pooling::kMean>},
      {"nn.global_avg_pool2d", With<LowerGlobalPool, 2, Pooling::kMean>},
      {"nn.global_avg_pool3d", With<LowerGlobalPool, 3, Pooling::kMean>},
      {"nn.global_max_pool1d", With<LowerGlobalPool, 1, Pooling::kMaximum>},
      {"nn.global_max_pool2d", With<LowerGlobalPool, 2, Pooling::kMaximum>},
      {"nn.global_max_pool3d", With<LowerGlobalPool, 3, Pooling::kMaximum>},
      {"nn.max_pool1d", With<LowerPool, 1, Pooling::kMaximum>},
      {"nn.max_pool2d", With<LowerPool, 2, Pooling::kMaximum>},
      {"nn.max_pool3d", With<LowerPool, 3, Pooling::kMaximum>},
      {"nn.space_to_depth", LowerSpaceToDepth},
      {"qnn.conv2d_transpose", With<LowerConvTranspose, 2>},
  };
  return kRows;
}

}  // namespace dragoman::relay
