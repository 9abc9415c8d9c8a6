// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/ops/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace dragoman::pt2 {

std::string OfAxes(std::string_view pattern, std::size_t axes) {
  return fmt::format(fmt::runtime(pattern), axes);
}

Result<Window> WindowOf(const AtenOp& op, Ints kernel) {
  const auto count = static_cast<std::int64_t>(kernel.size());
  Window window;
  window.kernel = std::move(kernel);
  window.strides = op.IntsOr("strides", count, 1);
  window.dilations = op.IntsOr("dilations", count, 1);
  const std::string mode = op.String("auto_pad", "NOTSET");
  const Ints pads = op.IntsOr("pads", 2 * count, 0);
  window.begins.assign(window.axes(), 0);
  window.ends.assign(window.axes(), 0);
  for (std::size_t i = 0; i < window.axes(); ++i) {
    if (!mode.starts_with("SAME")) {
      if (mode == "VALID") continue;
      window.begins[i] = pads.at(i);
      window.ends[i] = pads.at(i + window.axes());
      continue;
    }
    const Dim& size = op.arg(0).shape.at(i + 2);
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    std::int64_t total = reach - 1;
    if (window.strides[i] != 1) {
      if (!size.known()) return op.Refuse("padding of a size that is known at run time only");
      const std::int64_t steps = (size.value() + window.strides[i] - 1) / window.strides[i];
      total = std::max<std::int64_t>((steps - 1) * window.strides[i] + reach - size.value(), 0);
    }
    window.begins[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    window.ends[i] = total - window.begins[i];
  }
  return window;
}

Result<Ints> EndsFor(const AtenOp& op, const Window& window, const Shape& result) {
  const Term x = op.arg(0);
  Ints ends;
  for (std::size_t i = 0; i < window.axes(); ++i) {
    const Dim& from = x.shape.at(i + 2);
    const Dim& to = result.at(i + 2);
    if (!from.known() || !to.known())
      return op.Refuse("windows over a size that is known at run time only");
    const std::int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    ends.push_back((to.value() - 1) * window.strides[i] + reach - from.value() - window.begins[i]);
  }
  return ends;
}

Term PadSpatial(const AtenOp& op, const Term& x, const Ints& begins, const Ints& ends,
                double value) {
  const auto is_zero = [](std::int64_t pad) { return pad == 0; };
  if (std::ranges::all_of(begins, is_zero) && std::ranges::all_of(ends, is_zero)) return x;
  Shape shape = x.shape;
  const std::size_t lead = shape.size() - begins.size();
  Ints pads;
  for (std::size_t i = begins.size(); i-- > 0;) {
    pads.push_back(begins[i]);
    pads.push_back(ends[i]);
    shape[lead + i] = shape[lead + i] + Dim(begins[i] + ends[i]);
  }
  return op.Call("aten.constant_pad_nd.default",
                 {{"self", x}, {"pad", pads}, {"value", NumberFor(value, x.dtype)}},
                 {x.dtype, std::move(shape)});
}

}  // namespace dragoman::pt2
