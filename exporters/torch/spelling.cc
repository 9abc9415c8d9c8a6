// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/support/find_by_key.h"

namespace dragoman::pytorch {
namespace {

using pt2::Json;

// `form`: an operator, ".method" of the first argument, or a function. `arguments`, in the order of
// the function: "x" by position, "x=" by keyword, "*x" its elements; "x|0" is left out where it is
// 0, "x!0" is 0 and has no place.
struct Row {
  std::string_view target;
  std::string_view form;
  std::string_view arguments;
};

// Sorted by target.
constexpr Row kRows[] = {
    {"_operator.add", "+", "a b"},
    {"_operator.floordiv", "//", "a b"},
    {"_operator.mod", "%", "a b"},
    {"_operator.mul", "*", "a b"},
    {"aten.__rshift__.Scalar", ">>", "self other"},
    {"aten.abs.default", "torch.abs", "self"},
    {"aten.acos.default", "torch.acos", "self"},
    {"aten.acosh.default", "torch.acosh", "self"},
    {"aten.adaptive_avg_pool1d.default", "F.adaptive_avg_pool1d", "self output_size"},
    {"aten.adaptive_avg_pool2d.default", "F.adaptive_avg_pool2d", "self output_size"},
    {"aten.adaptive_avg_pool3d.default", "F.adaptive_avg_pool3d", "self output_size"},
    {"aten.add.Scalar", "+", "self other"},
    {"aten.add.Tensor", "+", "self other"},
    {"aten.amax.default", ".amax", "dim keepdim=|False"},
    {"aten.amin.default", ".amin", "dim keepdim=|False"},
    {"aten.arange.default", "torch.arange", "end dtype= device="},
    {"aten.arange.start_step", "torch.arange", "start end step dtype= device="},
    {"aten.argmax.default", ".argmax", "dim keepdim=|False"},
    {"aten.argmin.default", ".argmin", "dim keepdim=|False"},
    {"aten.asin.default", "torch.asin", "self"},
    {"aten.asinh.default", "torch.asinh", "self"},
    {"aten.atan.default", "torch.atan", "self"},
    {"aten.atanh.default", "torch.atanh", "self"},
    {"aten.avg_pool1d.default", "F.avg_pool1d",
     "self kernel_size stride padding=|(0,) ceil_mode=|False count_include_pad=|True"},
    {"aten.avg_pool2d.default", "F.avg_pool2d",
     "self kernel_size stride padding=|(0, 0) ceil_mode=|False count_include_pad=|True"},
    {"aten.avg_pool3d.default", "F.avg_pool3d",
     "self kernel_size stride padding=|(0, 0, 0) ceil_mode=|False count_include_pad=|True"},
    {"aten.batch_norm.default", "F.batch_norm",
     "input running_mean running_var weight bias training momentum eps cudnn_enabled!False"},
    {"aten.bitwise_and.Scalar", "&", "self other"},
    {"aten.bitwise_and.Tensor", "&", "self other"},
    {"aten.bitwise_not.default", "~", "self"},
    {"aten.bitwise_or.Tensor", "|", "self other"},
    {"aten.bitwise_xor.Tensor", "^", "self other"},
    {"aten.cat.default", "torch.cat", "tensors dim=|0"},
    {"aten.ceil.default", "torch.ceil", "self"},
    {"aten.celu.default", "F.celu", "self alpha|1.0"},
    {"aten.clamp.default", "torch.clamp", "self min=|None max=|None"},
    {"aten.clone.default", ".clone", ""},
    {"aten.constant_pad_nd.default", "F.pad", "self pad value=|0.0"},
    {"aten.contiguous.default", ".contiguous", ""},
    {"aten.conv1d.default", "F.conv1d",
     "input weight bias|None stride=|(1,) padding=|(0,) dilation=|(1,) groups=|1"},
    {"aten.conv2d.default", "F.conv2d",
     "input weight bias|None stride=|(1, 1) padding=|(0, 0) dilation=|(1, 1) groups=|1"},
    {"aten.conv3d.default", "F.conv3d",
     "input weight bias|None stride=|(1, 1, 1) padding=|(0, 0, 0) dilation=|(1, 1, 1) groups=|1"},
    {"aten.conv_transpose1d.default", "F.conv_transpose1d",
     "input weight bias|None stride= padding= output_padding= groups=|1 dilation="},
    {"aten.conv_transpose2d.input", "F.conv_transpose2d",
     "input weight bias|None stride= padding= output_padding= groups=|1 dilation="},
    {"aten.conv_transpose3d.input", "F.conv_transpose3d",
     "input weight bias|None stride= padding= output_padding= groups=|1 dilation="},
    {"aten.cos.default", "torch.cos", "self"},
    {"aten.cosh.default", "torch.cosh", "self"},
    {"aten.cumsum.default", ".cumsum", "dim"},
    {"aten.div.Scalar", "/", "self other"},
    {"aten.div.Tensor", "/", "self other"},
    {"aten.div.Tensor_mode", "torch.div", "self other rounding_mode="},
    {"aten.einsum.default", "torch.einsum", "equation *tensors"},
    {"aten.elu.default", "F.elu", "self alpha|1.0"},
    {"aten.eq.Scalar", "torch.eq", "self other"},
    {"aten.eq.Tensor", "torch.eq", "self other"},
    {"aten.erf.default", "torch.erf", "self"},
    {"aten.erfc.default", "torch.erfc", "self"},
    {"aten.exp.default", "torch.exp", "self"},
    {"aten.expand.default", ".expand", "*size"},
    {"aten.flip.default", ".flip", "*dims"},
    {"aten.floor.default", "torch.floor", "self"},
    {"aten.fmod.Tensor", "torch.fmod", "self other"},
    {"aten.full.default", "torch.full", "size fill_value dtype= device="},
    {"aten.gather.default", ".gather", "dim index"},
    {"aten.ge.Scalar", ">=", "self other"},
    {"aten.ge.Tensor", ">=", "self other"},
    {"aten.gelu.default", "F.gelu", "self approximate=|\"none\""},
    {"aten.group_norm.default", "F.group_norm", "input num_groups weight=|None bias=|None eps="},
    {"aten.gt.Scalar", ">", "self other"},
    {"aten.gt.Tensor", ">", "self other"},
    {"aten.hardsigmoid.default", "F.hardsigmoid", "self"},
    {"aten.hardswish.default", "F.hardswish", "self"},
    {"aten.index_put.default", ".index_put", "indices values accumulate=|False"},
    {"aten.index_select.default", ".index_select", "dim index"},
    {"aten.instance_norm.default", "F.instance_norm",
     "input running_mean=|None running_var=|None weight=|None bias=|None use_input_stats=|True "
     "momentum!0.1 eps= cudnn_enabled!False"},
    {"aten.isinf.default", "torch.isinf", "self"},
    {"aten.isnan.default", "torch.isnan", "self"},
    {"aten.item.default", "int", "self"},
    {"aten.layer_norm.default", "F.layer_norm",
     "input normalized_shape weight|None bias|None eps= cudnn_enable!False"},
    {"aten.le.Scalar", "<=", "self other"},
    {"aten.le.Tensor", "<=", "self other"},
    {"aten.leaky_relu.default", "F.leaky_relu", "self negative_slope|0.01"},
    {"aten.linalg_det.default", "torch.linalg.det", "A"},
    {"aten.linalg_vector_norm.default", "torch.linalg.vector_norm",
     "self ord!2.0 dim= keepdim=|False"},
    {"aten.linear.default", "F.linear", "input weight bias|None"},
    {"aten.log.default", "torch.log", "self"},
    {"aten.log_softmax.int", "F.log_softmax", "self dim="},
    {"aten.logical_and.default", "torch.logical_and", "self other"},
    {"aten.logical_not.default", "torch.logical_not", "self"},
    {"aten.logical_or.default", "torch.logical_or", "self other"},
    {"aten.logical_xor.default", "torch.logical_xor", "self other"},
    {"aten.logsumexp.default", "torch.logsumexp", "self dim keepdim=|False"},
    {"aten.lt.Scalar", "<", "self other"},
    {"aten.lt.Tensor", "<", "self other"},
    {"aten.masked_fill.Scalar", ".masked_fill", "mask value"},
    {"aten.matmul.default", "@", "self other"},
    {"aten.max_pool1d.default", "F.max_pool1d",
     "self kernel_size stride padding=|(0,) dilation=|(1,) ceil_mode=|False"},
    {"aten.max_pool2d.default", "F.max_pool2d",
     "self kernel_size stride padding=|(0, 0) dilation=|(1, 1) ceil_mode=|False"},
    {"aten.max_pool3d.default", "F.max_pool3d",
     "self kernel_size stride padding=|(0, 0, 0) dilation=|(1, 1, 1) ceil_mode=|False"},
    {"aten.maximum.default", "torch.maximum", "self other"},
    {"aten.mean.dim", ".mean", "dim keepdim=|False"},
    {"aten.minimum.default", "torch.minimum", "self other"},
    {"aten.mish.default", "F.mish", "self"},
    {"aten.mm.default", "@", "self mat2"},
    {"aten.mul.Scalar", "*", "self other"},
    {"aten.mul.Tensor", "*", "self other"},
    {"aten.neg.default", "-", "self"},
    {"aten.nonzero.default", "torch.nonzero", "self"},
    {"aten.pad.default", "F.pad", "self pad mode="},
    {"aten.permute.default", ".permute", "*dims"},
    {"aten.pixel_shuffle.default", "F.pixel_shuffle", "self upscale_factor"},
    {"aten.pow.Tensor_Scalar", "torch.pow", "self exponent"},
    {"aten.pow.Tensor_Tensor", "torch.pow", "self exponent"},
    {"aten.prelu.default", "F.prelu", "self weight"},
    {"aten.prod.dim_int", ".prod", "dim keepdim=|False"},
    {"aten.rand.default", "torch.rand", "size dtype= device="},
    {"aten.randn.default", "torch.randn", "size dtype= device="},
    {"aten.reciprocal.default", "torch.reciprocal", "self"},
    {"aten.relu.default", "F.relu", "self"},
    {"aten.remainder.Scalar", "%", "self other"},
    {"aten.remainder.Tensor", "%", "self other"},
    {"aten.repeat.default", ".repeat", "*repeats"},
    {"aten.repeat_interleave.self_int", ".repeat_interleave", "repeats dim="},
    {"aten.reshape.default", ".reshape", "*shape"},
    {"aten.rms_norm.default", "F.rms_norm", "input normalized_shape weight|None eps="},
    {"aten.round.default", "torch.round", "self"},
    {"aten.rsqrt.default", "torch.rsqrt", "self"},
    {"aten.rsub.Scalar", "-", "other self"},
    {"aten.scalar_tensor.default", "torch.tensor", "s dtype= device="},
    {"aten.scaled_dot_product_attention.default", "F.scaled_dot_product_attention",
     "query key value attn_mask=|None dropout_p!0.0 is_causal=|False scale=|None"},
    {"aten.scatter.src", ".scatter", "dim index src"},
    {"aten.scatter_reduce.two", ".scatter_reduce", "dim index src reduce"},
    {"aten.select.int", ".select", "dim index"},
    {"aten.sigmoid.default", "torch.sigmoid", "self"},
    {"aten.sign.default", "torch.sign", "self"},
    {"aten.silu.default", "F.silu", "self"},
    {"aten.sin.default", "torch.sin", "self"},
    {"aten.sinh.default", "torch.sinh", "self"},
    {"aten.softmax.int", "F.softmax", "self dim="},
    {"aten.softplus.default", "F.softplus", "self"},
    {"aten.split_with_sizes.default", ".split", "split_sizes dim=|0"},
    {"aten.sqrt.default", "torch.sqrt", "self"},
    {"aten.squeeze.dim", ".squeeze", "dim"},
    {"aten.stack.default", "torch.stack", "tensors dim=|0"},
    {"aten.sub.Scalar", "-", "self other"},
    {"aten.sub.Tensor", "-", "self other"},
    {"aten.sum.dim_IntList", ".sum", "dim keepdim=|False"},
    {"aten.tan.default", "torch.tan", "self"},
    {"aten.tanh.default", "torch.tanh", "self"},
    {"aten.threshold.default", "F.threshold", "self threshold value"},
    {"aten.to.dtype", ".to", "dtype"},
    {"aten.transpose.int", ".transpose", "dim0 dim1"},
    {"aten.tril.default", "torch.tril", "self diagonal|0"},
    {"aten.triu.default", "torch.triu", "self diagonal|0"},
    {"aten.unsqueeze.default", ".unsqueeze", "dim"},
    {"aten.view.dtype", ".view", "dtype"},
    {"aten.where.ScalarOther", "torch.where", "condition self other"},
    {"aten.where.self", "torch.where", "condition self other"},
    {"torch.sym_max", "max", "a b"},
    {"torch.sym_min", "min", "a b"},
};
static_assert(IsSortedBy(kRows, &Row::target));

Expr NameExpr(const Json& value) { return ValueOf(value["name"].get<std::string>()); }

Expr FloatExpr(const Json& value) {
  if (value.is_number()) return FloatLiteral(value.get<double>());
  const std::string word = value.get<std::string>();
  return Code(word == "Infinity"    ? "float(\"inf\")"
              : word == "-Infinity" ? "float(\"-inf\")"
                                    : "float(\"nan\")");
}

Exprs Each(const Json& values, std::string_view what) {
  Exprs parts;
  for (const Json& value : values) {
    if (value.is_number_integer()) {
      parts.push_back(Number(value.get<std::int64_t>(), what));
    } else if (value.is_object() && value.contains("name")) {
      parts.push_back(NameExpr(value));
    } else {
      parts.push_back(value.is_object() ? ArgumentExpr(value, what) : FloatExpr(value));
    }
  }
  return parts;
}

bool IsOperator(std::string_view form) {
  return std::string_view("+-*/%@<>&|^~").find(form.front()) != std::string_view::npos;
}

struct Spec {
  std::string_view name;
  bool is_splat = false;
  bool is_keyword = false;
  std::optional<std::string_view> absent;  // left out where it is that
  bool has_place = true;
};

Spec SpecOf(std::string_view text) {
  Spec spec;
  spec.is_splat = text.starts_with('*');
  if (spec.is_splat) text.remove_prefix(1);
  if (const std::size_t bar = text.find_first_of("|!"); bar != std::string_view::npos) {
    spec.has_place = text[bar] == '|';
    spec.absent = text.substr(bar + 1);
    text = text.substr(0, bar);
  }
  spec.is_keyword = text.ends_with('=');
  if (spec.is_keyword) text.remove_suffix(1);
  spec.name = text;
  return spec;
}

// Separated by spaces, but for those within parentheses.
std::vector<Spec> SpecsOf(std::string_view text) {
  std::vector<Spec> specs;
  while (!text.empty()) {
    std::size_t end = 0;
    int depth = 0;
    for (; end < text.size() && (text[end] != ' ' || depth > 0); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    specs.push_back(SpecOf(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return specs;
}

// The arguments as `specs` have them; nullopt: some have no place there.
std::optional<Exprs> Placed(const Call& call, const std::vector<Spec>& specs, std::size_t first) {
  Exprs arguments;
  std::size_t placed = first;
  bool has_gap = false;
  for (const Spec& spec : specs) {
    const Json* value = call.Find(spec.name);
    if (value == nullptr) {
      has_gap = true;
      continue;
    }
    ++placed;
    Expr expr = ArgumentExpr(*value, spec.name);
    const bool is_absent = spec.absent && FlatText(expr) == *spec.absent;
    if (!spec.has_place && !is_absent) return std::nullopt;
    if (!spec.has_place) continue;
    if (is_absent) {
      has_gap = true;
      continue;
    }
    // Without sizes the method has no argument, which it asks for.
    if (spec.is_splat && !expr.parts.empty()) {
      for (Expr& part : expr.parts) arguments.push_back(std::move(part));
    } else if (spec.is_keyword || has_gap) {
      arguments.push_back(Keyword(spec.name, std::move(expr)));
    } else {
      arguments.push_back(std::move(expr));
    }
  }
  if (placed != call.arguments.size()) return std::nullopt;
  return arguments;
}

// torch.ops takes every call as the schema has it.
Expr AsSchema(const Call& call) {
  Exprs arguments;
  for (const Json& input : call.arguments) {
    const std::string name = input["name"].get<std::string>();
    Expr value = ArgumentExpr(input["arg"], name);
    const bool is_keyword = input["kind"] == 2;
    arguments.push_back(is_keyword ? Keyword(name, std::move(value)) : std::move(value));
  }
  return CallOf("torch.ops." + call.target, std::move(arguments));
}

std::optional<Expr> SpellOperator(const Row& row, Exprs operands) {
  if (operands.size() == 1) return Unary(row.form, std::move(operands[0]));
  if (operands.size() != 2) return std::nullopt;
  return Binary(std::move(operands[0]), row.form, std::move(operands[1]));
}

std::optional<Expr> SpellRow(const Row& row, const Call& call) {
  const bool is_method = row.form.starts_with('.');
  std::optional<Exprs> arguments = Placed(call, SpecsOf(row.arguments), is_method ? 1 : 0);
  if (!arguments) return std::nullopt;
  if (IsOperator(row.form)) return SpellOperator(row, *std::move(arguments));
  if (!is_method) return CallOf(row.form, *std::move(arguments));
  const Json& receiver = call.arguments.front()["arg"];
  if (!receiver.contains("as_tensor")) return std::nullopt;
  return Method(NameExpr(receiver["as_tensor"]), row.form.substr(1), *std::move(arguments));
}

// The places before an axis that is counted from the front: x[:, :, …].
std::optional<Exprs> PlacesBefore(const Call& call) {
  const Json* dim = call.Find("dim");
  if (dim == nullptr || !dim->contains("as_int") || (*dim)["as_int"] < 0) return std::nullopt;
  return Exprs((*dim)["as_int"].get<std::size_t>(), Code(":"));
}

// x[:, 1:3], x[:, ::2].
std::optional<Expr> SpellSlice(const Call& call) {
  const Json* begin = call.Find("start");
  const Json* end = call.Find("end");
  const Json* step = call.Find("step");
  std::optional<Exprs> places = PlacesBefore(call);
  if (!places || begin == nullptr || end == nullptr) return std::nullopt;
  Expr from = ArgumentExpr(*begin, "start");
  Expr to = ArgumentExpr(*end, "end");
  if (from.kind == Expr::Kind::kInt && from.number == 0) from = Code("");
  if (to.kind == Expr::Kind::kInt && to.number == INT64_MAX) to = Code("");
  if (FlatText(from) == "None") from = Code("");
  if (FlatText(to) == "None") to = Code("");
  Expr slice = Slice(std::move(from), std::move(to));
  if (step != nullptr) slice.parts.push_back(ArgumentExpr(*step, "step"));
  places->push_back(std::move(slice));
  return Index(ValueOf(call.Tensor("self")), *std::move(places));
}

// x[:, 0].
std::optional<Expr> SpellSelect(const Call& call) {
  constexpr std::size_t kMostAxes = 3;
  std::optional<Exprs> places = PlacesBefore(call);
  if (!places || places->size() > kMostAxes || call.arguments.size() != 3) return std::nullopt;
  places->push_back(ArgumentExpr(*call.Find("index"), "index"));
  return Index(ValueOf(call.Tensor("self")), *std::move(places));
}

std::optional<Expr> SpellIndex(const Call& call) {
  const Json* indices = call.Find("indices");
  if (indices == nullptr) return std::nullopt;
  Exprs places = ArgumentExpr(*indices, "").parts;
  for (Expr& place : places) {
    if (FlatText(place) == "None") place = Code(":");
  }
  return Index(ValueOf(call.Tensor("self")), std::move(places));
}

}  // namespace

Expr ArgumentExpr(const Json& value, std::string_view what) {
  if (value.contains("as_tensor")) return NameExpr(value["as_tensor"]);
  if (value.contains("as_int")) return Number(value["as_int"].get<std::int64_t>(), what);
  if (value.contains("as_float")) return FloatExpr(value["as_float"]);
  if (value.contains("as_bool")) return BoolLiteral(value["as_bool"].get<bool>());
  if (value.contains("as_string")) return StringLiteral(value["as_string"].get<std::string>());
  if (value.contains("as_name")) return ValueOf(value["as_name"].get<std::string>());
  if (value.contains("as_sym_int")) return ArgumentExpr(value["as_sym_int"], what);
  if (value.contains("as_device"))
    return StringLiteral(value["as_device"]["type"].get<std::string>());
  if (value.contains("as_scalar_type"))
    return Code(TorchTypeOf(pt2::DTypeOfNumber(value["as_scalar_type"].get<std::int64_t>())));
  for (const char* kind : {"as_tensors", "as_optional_tensors"}) {
    if (value.contains(kind)) return List(Each(value[kind], what));
  }
  for (const char* kind : {"as_ints", "as_sym_ints", "as_floats"}) {
    if (value.contains(kind)) return Tuple(Each(value[kind], what));
  }
  return Code("None");
}

Expr PerAxis(const Json& ints, std::string_view what) {
  Expr all = ArgumentExpr(ints, what);
  if (all.kind != Expr::Kind::kTuple || all.parts.empty()) return all;
  const bool are_equal = std::ranges::all_of(
      all.parts, [&](const Expr& part) { return part.number == all.parts.front().number; });
  return are_equal ? all.parts.front() : all;
}

Expr Spell(const Call& call) {
  std::optional<Expr> spelled;
  if (call.target == "aten.slice.Tensor") spelled = SpellSlice(call);
  if (call.target == "aten.index.Tensor") spelled = SpellIndex(call);
  if (call.target == "aten.select.int") spelled = SpellSelect(call);
  const Row* row = FindByKey(kRows, std::string_view(call.target), &Row::target);
  if (row != nullptr && !spelled) spelled = SpellRow(*row, call);
  return spelled ? *std::move(spelled) : AsSchema(call);
}

namespace {

struct LayerRow {
  std::string_view target;
  std::string_view name;
  std::string_view arguments;  // of the layer, as in Row
};

// Sorted by target.
constexpr LayerRow kLayers[] = {
    {"aten.adaptive_avg_pool2d.default", "nn.AdaptiveAvgPool2d", "output_size"},
    {"aten.avg_pool2d.default", "nn.AvgPool2d",
     "kernel_size stride padding=|(0, 0) ceil_mode=|False count_include_pad=|True"},
    {"aten.elu.default", "nn.ELU", "alpha|1.0"},
    {"aten.gelu.default", "nn.GELU", "approximate|\"none\""},
    {"aten.hardsigmoid.default", "nn.Hardsigmoid", ""},
    {"aten.hardswish.default", "nn.Hardswish", ""},
    {"aten.leaky_relu.default", "nn.LeakyReLU", "negative_slope|0.01"},
    {"aten.max_pool1d.default", "nn.MaxPool1d",
     "kernel_size stride padding=|(0,) dilation=|(1,) ceil_mode=|False"},
    {"aten.max_pool2d.default", "nn.MaxPool2d",
     "kernel_size stride padding=|(0, 0) dilation=|(1, 1) ceil_mode=|False"},
    {"aten.mish.default", "nn.Mish", ""},
    {"aten.relu.default", "nn.ReLU", ""},
    {"aten.sigmoid.default", "nn.Sigmoid", ""},
    {"aten.silu.default", "nn.SiLU", ""},
    {"aten.softmax.int", "nn.Softmax", "dim"},
    {"aten.softplus.default", "nn.Softplus", ""},
    {"aten.tanh.default", "nn.Tanh", ""},
};
static_assert(IsSortedBy(kLayers, &LayerRow::target));

// torch.clamp(x, 0.0, 6.0).
bool IsRelu6(const Call& call) {
  const Json* low = call.Find("min");
  const Json* high = call.Find("max");
  if (call.target != "aten.clamp.default" || low == nullptr || high == nullptr) return false;
  return FlatText(ArgumentExpr(*low, "")) == "0.0" && FlatText(ArgumentExpr(*high, "")) == "6.0";
}

}  // namespace

std::optional<Expr> LayerWithoutWeights(const Call& call) {
  if (IsRelu6(call)) return CallOf("nn.ReLU6", {});
  const LayerRow* row = FindByKey(kLayers, std::string_view(call.target), &LayerRow::target);
  if (row == nullptr) return std::nullopt;
  std::optional<Exprs> arguments = Placed(call, SpecsOf(row->arguments), 1);
  if (!arguments) return std::nullopt;
  return CallOf(row->name, *std::move(arguments));
}

}  // namespace dragoman::pytorch
