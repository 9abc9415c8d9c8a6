// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/lower_doubles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/axes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/params.h"
#include "core/rewrite/lower_to_loops.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/unrolled_cell.h"
#include "runtime/params/average_pool.h"
#include "runtime/params/conv.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman {
namespace {

using Ints = Attribute::Ints;

// Products and sums of what the taps of a window read, in front of a node.
class WindowNodes {
 public:
  WindowNodes(Node& node, PassContext& context, const rt::Window& window)
      : nodes_(node, context), window_(window) {}

  const Status& status() const { return nodes_.status(); }
  StepNodes& nodes() { return nodes_; }

  Value* Reshape(Value* x, Ints sizes) {
    return nodes_.Op("Reshape", {x, nodes_.Ints(std::move(sizes))});
  }
  Value* Transpose(Value* x, Ints order) {
    return nodes_.Op("Transpose", {x}, {{"perm", std::move(order)}});
  }

  // Negative pads take elements away.
  Value* Padded(Value* x) {
    const auto rank = static_cast<std::size_t>(window_.rank);
    Ints pads(2 * rank + 4, 0);
    for (std::size_t i = 0; i < rank; ++i) {
      pads[i + 2] = window_.axes[i].pad_begin;
      pads[i + rank + 4] = window_.axes[i].pad_end;
    }
    if (std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; })) return x;
    return nodes_.Op("Pad", {x, nodes_.Ints(std::move(pads))});
  }

  // What each tap of the kernel, in its order, reads of `padded`: (N, C, places…).
  std::vector<Value*> Taps(Value* padded) {
    const auto rank = static_cast<std::size_t>(window_.rank);
    std::vector<Value*> taps;
    for (std::int64_t tap = 0; tap < window_.Taps(); ++tap) {
      Ints starts(rank), ends(rank), steps(rank);
      std::int64_t rest = tap;
      for (std::size_t i = rank; i-- > 0;) {
        const rt::WindowAxis& axis = window_.axes[i];
        starts[i] = rest % axis.kernel * axis.dilation;
        const std::int64_t behind = axis.Span() - 1 - starts[i];
        ends[i] = behind == 0 ? INT64_MAX : -behind;
        steps[i] = axis.stride;
        rest /= axis.kernel;
      }
      taps.push_back(
          nodes_.Op("Slice", {padded, nodes_.Ints(starts), nodes_.Ints(ends),
                              nodes_.Ints(AxesFrom(2, window_.rank + 2)), nodes_.Ints(steps)}));
    }
    return taps;
  }

  // Of `weight` (M, channels of a group, kernel…), whose sizes are known: (N, M, places…).
  Value* Convolved(Value* x, Value* weight, const Ints& sizes, std::int64_t groups) {
    const std::int64_t in_group = sizes[1];
    const std::int64_t count = window_.Taps();
    const std::vector<Value*> taps = Taps(Padded(x));
    Value* columns = nodes_.Concat(taps, 1);
    if (groups > 1) {
      columns = Reshape(columns, {0, count, groups, in_group, -1});
      columns = Transpose(columns, {0, 2, 1, 3, 4});
    }
    columns = Reshape(columns, {0, groups, count * in_group, -1});
    Ints order = AxesFrom(1, window_.rank + 2);
    std::rotate(order.begin(), order.begin() + 1, order.end());
    order.insert(order.begin(), 0);
    Value* rows = Transpose(weight, std::move(order));
    rows = Reshape(rows, {groups, sizes[0] / groups, count * in_group});
    Value* product = nodes_.Op("MatMul", {rows, columns});
    Value* places = nodes_.Op("Shape", {taps.front()}, {{"start", std::int64_t{2}}});
    Value* whole = nodes_.Concat({nodes_.Ints({0, sizes[0]}), places}, 0);
    return nodes_.Op("Reshape", {product, whole});
  }

  Value* WithBias(Value* y, Value* bias) {
    if (bias == nullptr) return y;
    Ints sizes(static_cast<std::size_t>(window_.rank) + 1, 1);
    sizes[0] = -1;
    return nodes_.Op("Add", {y, Reshape(bias, std::move(sizes))});
  }

  Value* Sum(const std::vector<Value*>& parts) {
    Value* sum = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) sum = nodes_.Op("Add", {sum, parts[i]});
    return sum;
  }

 private:
  StepNodes nodes_;
  const rt::Window window_;
};

constexpr std::int64_t kMaxTaps = 1024;

const Shape* ShapeOf(const Node& node, std::size_t i) { return node.operand(i)->type().shape(); }

bool HasFewTaps(const rt::Window& window) {
  for (int i = 0; i < window.rank; ++i) {
    if (window.axes[i].kernel > kMaxTaps) return false;  // whose product 64 bits may not hold
  }
  return window.Taps() <= kMaxTaps;
}

// The window of a Conv or a pool, whose pads are known; nullopt: it stays.
std::optional<rt::Window> WindowOf(const rt::WindowSpec& spec, const Shape& x) {
  rt::Window window;
  const int rank = static_cast<int>(x.size()) - 2;
  if (spec.ceil_mode || !rt::ReadWindow(spec, rank, &window).ok() || !HasFewTaps(window))
    return std::nullopt;
  const bool upper = spec.auto_pad == rt::AutoPad::kSameUpper;
  if (!upper && spec.auto_pad != rt::AutoPad::kSameLower) return window;
  for (int i = 0; i < rank; ++i) {
    const Dim& size = x[static_cast<std::size_t>(i) + 2];
    if (!size.known()) return std::nullopt;
    window.axes[i].input = size.value();
    rt::internal::ResolveSame(upper, &window.axes[i]);
  }
  return window;
}

// The sizes of the weight, operand 1, if they are known and there are any elements.
std::optional<Ints> WeightSizes(const Node& node) {
  const Shape* shape = ShapeOf(node, 1);
  std::optional<Ints> sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  if (!sizes || std::ranges::find(*sizes, 0) != sizes->end()) return std::nullopt;
  return sizes;
}

Value* BiasOf(const Node& node) { return node.num_operands() > 2 ? node.operand(2) : nullptr; }

Status LowerConv(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::ConvParams>(node));
  const auto& params = filled.As<rt::ConvParams>();
  const std::optional<Ints> sizes = WeightSizes(node);
  if (!sizes || ShapeOf(node, 0) == nullptr) return {};
  rt::Shape weight;
  for (std::int64_t size : *sizes) weight.push_back(size);
  const auto window = WindowOf(rt::internal::ConvWindowSpec(params, weight), *ShapeOf(node, 0));
  if (!window) return {};
  WindowNodes made(node, context, *window);
  Value* y = made.Convolved(node.operand(0), node.operand(1), *sizes, params.group);
  y = made.WithBias(y, BiasOf(node));
  DRAGOMAN_TRY(made.status());
  context.Replace(node, {&y, 1});
  return {};
}

// `x` with stride - 1 zeros after each element of every spatial axis. Sizes of these are known.
Value* Spread(WindowNodes& made, Value* x, const rt::Window& window) {
  for (int i = 0; i < window.rank; ++i) {
    const rt::WindowAxis& axis = window.axes[i];
    if (axis.stride == 1) continue;
    const std::int64_t place = i + 3;
    const auto rank = static_cast<std::size_t>(window.rank) + 3;
    Ints pads(2 * rank, 0);
    pads[rank + static_cast<std::size_t>(place)] = axis.stride - 1;
    x = made.nodes().Op("Pad", {made.nodes().Unsqueeze(x, place), made.nodes().Ints(pads)});
    Ints sizes = {0, 0};
    for (int k = 0; k < window.rank; ++k)
      sizes.push_back(window.axes[k].input * (k <= i ? window.axes[k].stride : 1));
    x = made.Reshape(x, std::move(sizes));
  }
  return x;
}

// The convolution of the spread operand whose result is that of `transposed`.
rt::Window AsConvolution(const rt::Window& transposed) {
  rt::Window window = transposed;
  for (int i = 0; i < window.rank; ++i) {
    rt::WindowAxis& axis = window.axes[i];
    const std::int64_t length = axis.input * axis.stride;
    axis.pad_begin = axis.Span() - 1 - axis.pad_begin;
    axis.pad_end = axis.output + axis.Span() - 1 - length - axis.pad_begin;
    axis.stride = 1;
  }
  return window;
}

Status LowerConvTranspose(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::ConvTransposeParams>(node));
  const auto& params = filled.As<rt::ConvTransposeParams>();
  const std::optional<Ints> sizes = WeightSizes(node);
  const Shape* shape = ShapeOf(node, 0);
  if (!sizes || shape == nullptr) return {};
  rt::Shape x, weight;
  for (const Dim& size : *shape) x.push_back(size.known() ? size.value() : -1);
  x[0] = 1;
  if (x[1] < 0) x[1] = sizes->front();
  for (std::int64_t size : *sizes) weight.push_back(size);
  rt::Window transposed;
  const bool is_known = rt::ConvTransposeWindow(params, x, weight, &transposed).ok();
  if (!is_known || !HasFewTaps(transposed)) return {};
  WindowNodes made(node, context, AsConvolution(transposed));
  // (groups, channels, results of a group, kernel…) to (groups, results, channels, kernel…)
  const std::int64_t channels = (*sizes)[0] / params.group;
  const std::int64_t results = (*sizes)[1];
  const Ints kernel(sizes->begin() + 2, sizes->end());
  const auto with_kernel = [&](Ints first) {
    first.insert(first.end(), kernel.begin(), kernel.end());
    return first;
  };
  Value* mirrored = made.Reshape(node.operand(1), with_kernel({params.group, channels, results}));
  Ints order = AxesFrom(0, transposed.rank + 3);
  std::swap(order[1], order[2]);
  mirrored = made.Transpose(mirrored, std::move(order));
  const Ints flat = with_kernel({params.group * results, channels});
  mirrored = made.Reshape(mirrored, flat);
  const auto all = [&](std::int64_t n) { return made.nodes().Ints(Ints(kernel.size(), n)); };
  mirrored =
      made.nodes().Op("Slice", {mirrored, all(-1), all(INT64_MIN),
                                made.nodes().Ints(AxesFrom(2, transposed.rank + 2)), all(-1)});
  Value* spread = Spread(made, node.operand(0), transposed);
  Value* y = made.WithBias(made.Convolved(spread, mirrored, flat, params.group), BiasOf(node));
  DRAGOMAN_TRY(made.status());
  context.Replace(node, {&y, 1});
  return {};
}

Status LowerAveragePool(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::AveragePoolParams>(node));
  const auto& params = filled.As<rt::AveragePoolParams>();
  if (ShapeOf(node, 0) == nullptr) return {};
  const auto window = WindowOf(rt::PoolWindowSpec(params), *ShapeOf(node, 0));
  if (!window) return {};
  WindowNodes made(node, context, *window);
  Value* x = node.operand(0);
  Value* padded = made.Padded(x);
  Value* count = made.nodes().Scalar(static_cast<double>(window->Taps()), x);
  if (padded != x && !params.count_include_pad) {
    Value* ones =
        made.nodes().Op("Expand", {made.nodes().Scalar(1, x), made.nodes().Op("Shape", {x})});
    count = made.Sum(made.Taps(made.Padded(ones)));
  }
  Value* y = made.nodes().Op("Div", {made.Sum(made.Taps(padded)), count});
  DRAGOMAN_TRY(made.status());
  context.Replace(node, {&y, 1});
  return {};
}

// (x - mean) / √(mean of its square + epsilon) · scale + bias
Status LowerInstanceNormalization(Node& node, PassContext& context) {
  const Shape* shape = ShapeOf(node, 0);
  if (shape == nullptr || shape->size() < 3) return {};
  const int rank = static_cast<int>(shape->size());
  StepNodes nodes(node, context);
  Value* x = node.operand(0);
  Value* axes = nodes.Ints(AxesFrom(2, rank));
  Ints along(static_cast<std::size_t>(rank) - 1, 1);
  along[0] = -1;
  const auto of_channels = [&](std::size_t i) {
    return nodes.Op("Reshape", {node.operand(i), nodes.Ints(along)});
  };
  Value* centred = nodes.Op("Sub", {x, nodes.Op("ReduceMean", {x, axes})});
  Value* variance = nodes.Op("ReduceMean", {nodes.Op("Mul", {centred, centred}), axes});
  Value* epsilon = nodes.Scalar(FloatAttribute(node, "epsilon"), x);
  Value* deviation = nodes.Op("Sqrt", {nodes.Op("Add", {variance, epsilon})});
  Value* scaled = nodes.Op("Mul", {nodes.Op("Div", {centred, deviation}), of_channels(1)});
  Value* y = nodes.Op("Add", {scaled, of_channels(2)});
  DRAGOMAN_TRY(nodes.status());
  context.Replace(node, {&y, 1});
  return {};
}

Status LowerMean(Node& node, PassContext& context) {
  StepNodes nodes(node, context);
  Value* sum = node.operand(0);
  for (std::size_t i = 1; i < node.num_operands(); ++i)
    sum = nodes.Op("Add", {sum, node.operand(i)});
  const auto count = static_cast<double>(node.num_operands());
  Value* y = nodes.Op("Div", {sum, nodes.Scalar(count, sum)});
  DRAGOMAN_TRY(nodes.status());
  context.Replace(node, {&y, 1});
  return {};
}

// What stays is what the lowering does not support.
Status LowerSteps(Node& node, PassContext& context) {
  const Status lowered = LowerSequence(node, context);
  return lowered.ok() || lowered.error().kind() == ErrorKind::kUnsupported ? Status() : lowered;
}

struct LoweredDouble {
  std::string_view label;
  Status (*lower)(Node& node, PassContext& context);
};

// By name: what ONNX Runtime 1.31 lacks in float64, as only its releases show.
constexpr LoweredDouble kLoweredDoubles[] = {
    {"AveragePool", LowerAveragePool},
    {"Conv", LowerConv},
    {"ConvTranspose", LowerConvTranspose},
    {"GRU", LowerSteps},
    {"InstanceNormalization", LowerInstanceNormalization},
    {"LSTM", LowerSteps},
    {"Mean", LowerMean},
    {"RNN", LowerSteps},
};

const LoweredDouble* RowOf(const Node& node) {
  const bool is_double = node.num_operands() > 0 && node.operand(0) != nullptr &&
                         node.operand(0)->type().is_tensor() &&
                         node.operand(0)->type().dtype() == DType::kF64;
  const auto* row = std::ranges::find_if(kLoweredDoubles, [&](const LoweredDouble& r) {
    return node.Is(r.label) || (r.label == "LSTM" && node.IsDragoman("LSTM"));
  });
  return is_double && row != std::end(kLoweredDoubles) ? row : nullptr;
}

}  // namespace

Status LowerDoubles(Graph& entry) {
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (RowOf(node) != nullptr) nodes.push_back(&node);
    }
  });
  if (nodes.empty()) return {};
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  for (Node* node : nodes) DRAGOMAN_TRY(RowOf(*node)->lower(*node, context));
  return {};
}

}  // namespace dragoman
