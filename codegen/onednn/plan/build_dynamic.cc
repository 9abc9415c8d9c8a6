// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, products and recurrent operators of f32 for sizes known only at run time, in
// place of the plain kernel.
#include <string>

#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/rewrite/sequence_node.h"
#include "runtime/fast/conv.h"
#include "runtime/fast/dynamic_conv.h"
#include "runtime/fast/dynamic_conv_transpose.h"
#include "runtime/fast/dynamic_resize.h"
#include "runtime/fast/pool.h"
#include "runtime/fast/recurrent.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kProductHeader = "runtime/fast/dynamic_product.h";
constexpr std::string_view kConvHeader = "runtime/fast/dynamic_conv.h";
constexpr std::string_view kConvTransposeHeader = "runtime/fast/dynamic_conv_transpose.h";
constexpr std::string_view kComputedConvHeader = "runtime/fast/computed_conv.h";
constexpr std::string_view kLinearHeader = "runtime/fast/packed_linear.h";
constexpr std::string_view kResizeHeader = "runtime/fast/dynamic_resize.h";
constexpr std::string_view kRecurrentHeader = "runtime/fast/dynamic_recurrent.h";
constexpr std::string_view kPoolHeader = "runtime/fast/dynamic_pool.h";

bool ReachesBeyond(const rt::WindowSpec& spec) {
  for (int i = 0; i < spec.pads.size(); ++i) {
    if (spec.pads[i] >= spec.kernel_shape[i % spec.kernel_shape.size()]) return true;
  }
  return false;
}

// Whether every window of such a pool has an element of the image, whatever its sizes.
template <class P>
bool SuitsPool(const P& p, const rt::Shape& sample) {
  const rt::WindowSpec spec = rt::PoolWindowSpec(p);
  return spec.auto_pad == rt::AutoPad::kNotSet && !spec.ceil_mode &&
         rt::PreparedPool::Supports(p, sample) && !ReachesBeyond(spec);
}

}  // namespace

bool PlanBuilder::PrepareDynamicConv(const Node& node, const Params& params,
                                     const rt::Shape& sample, Prepared& prepared) {
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  if (!w || !IsF32Fixed(node.operand(1))) return false;
  std::int64_t outputs = (*w)[0];
  if (node.Is("Conv")) {
    if (!rt::PreparedConv::Supports(params.As<rt::ConvParams>(), sample, *w)) return false;
    prepared.type = "rt::DynamicConv";
    prepared.header = kConvHeader;
    prepared.takes_blocks = true;
    SetConvMethods(params.As<rt::ConvParams>().group, &*w, prepared);
  } else {
    const auto& p = params.As<rt::ConvTransposeParams>();
    if (!rt::DynamicConvTranspose::Supports(p, sample, *w)) return false;
    prepared.type = "rt::DynamicConvTranspose";
    prepared.header = kConvTransposeHeader;
    outputs = (*w)[1] * p.group;
  }
  if (!FitsBias(node.operand(2), outputs)) return false;
  prepared.init = params.cpp() + ", " + SizesText(*w);
  prepared.constants = {Get(node.operand(1)), Get(node.operand(2))};
  prepared.takes_post = true;
  return true;
}

bool PlanBuilder::PrepareDynamicPool(const Node& node, const Params& params,
                                     const rt::Shape& sample, Prepared& prepared) {
  const bool max = node.Is("MaxPool");
  if (max && node.result(1) != nullptr) return false;
  const auto prepare = [&](const auto& p) {
    prepared.takes_blocks = SuitsPool(p, sample);
    return rt::PreparedPool::Supports(p, sample);
  };
  const bool fits =
      max ? prepare(params.As<rt::MaxPoolParams>()) : prepare(params.As<rt::AveragePoolParams>());
  prepared.type = "rt::DynamicPool<rt::" + std::string(max ? "Max" : "Average") + "PoolParams>";
  prepared.header = kPoolHeader;
  prepared.init = params.cpp();
  return fits;
}

bool PlanBuilder::PrepareDynamic(const Node& node, const OpDef& def, Prepared& prepared) {
  const bool convolves = node.Is("Conv") || node.Is("ConvTranspose");
  if (!convolves && !node.Is("MaxPool") && !node.Is("AveragePool")) return false;
  const std::optional<rt::Shape> sample = SampleImageSizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!sample || !params.ok()) return false;
  prepared.is_dynamic = prepared.reads_constants = prepared.allocates = true;
  return convolves ? PrepareDynamicConv(node, *params, *sample, prepared)
                   : PrepareDynamicPool(node, *params, *sample, prepared);
}

// By constant scales, or to sizes that may be known at run time only.
bool PlanBuilder::UseDynamicResize(const Node& node, const OpDef& def, Step& step) {
  if (!node.Is("Resize") || SizesOf(node.operand(0))) return false;
  const std::optional<rt::Shape> x = SampleSizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!x || x->size() > rt::DynamicResize::kMostAxes || !params.ok()) return false;
  const auto& p = params->As<rt::ResizeParams>();
  if (!rt::PreparedResize::Supports(p, *x)) return false;
  std::vector<BufferId> given;
  for (const std::size_t i : {2, 3}) {
    const Value* operand = node.operand(i);
    const bool present = operand != nullptr && SizesOf(operand) != rt::Shape{0};
    if (present && i == 2 && !IsFixed(operand)) return false;
    given.push_back(present ? Get(operand) : kAbsent);
  }
  if (p.keep_aspect_ratio_policy != rt::AspectRatioPolicy::kStretch) return false;
  Prepared prepared;
  prepared.is_dynamic = prepared.reads_constants = true;
  prepared.type = "rt::DynamicResize";
  prepared.header = kResizeHeader;
  prepared.init = params->cpp();
  step.inputs = {Get(node.operand(0)), given[0], given[1]};
  SetPrepared(std::move(prepared), step);
  return true;
}

// By weights that are not constant.
bool PlanBuilder::UseComputedConv(const Node& node, const OpDef& def, Step& step) {
  if (!node.Is("Conv") || IsFixed(node.operand(1))) return false;
  const std::optional<rt::Shape> x = SampleImageSizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!x || x->size() > 5 || !params.ok()) return false;
  Prepared prepared;
  prepared.is_dynamic = prepared.reads_constants = prepared.allocates = true;
  prepared.type = "rt::ComputedConv";
  prepared.header = kComputedConvHeader;
  prepared.init = params->cpp();
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  SetConvMethods(params->As<rt::ConvParams>().group, w ? &*w : nullptr, prepared);
  step.inputs = {Get(node.operand(0)), Get(node.operand(1)), Get(node.operand(2))};
  SetPrepared(std::move(prepared), step);
  return true;
}

// A product by a constant matrix, of any number of rows.
bool PlanBuilder::PrepareDynamicLinear(const Node& node, const OpDef& def, Prepared& prepared) {
  if (!node.Is("MatMul") && !node.Is("Gemm") && !node.IsDragoman("Linear")) return false;
  const Shape* x = node.operand(0)->type().shape();
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  bool in_first = false;
  if (x == nullptr || x->empty() || !w || w->size() != 2 || !IsF32Fixed(node.operand(1)) ||
      !FitsPlainProduct(node, def, in_first)) {
    return false;
  }
  const std::int64_t in = (*w)[in_first ? 0 : 1], out = (*w)[in_first ? 1 : 0];
  const bool fits = x->back().known() && x->back().value() == in && in > 0 && out > 0 &&
                    FitsBias(node.operand(2), out);
  if (!fits) return false;
  prepared.is_dynamic = prepared.takes_post = true;
  prepared.type = "rt::PackedLinear";
  prepared.header = kLinearHeader;
  prepared.init = "/*in=*/" + std::to_string(in) + ", /*out=*/" + std::to_string(out) +
                  ", /*in_first=*/" + (in_first ? "true" : "false");
  prepared.constants = {GetWeights(node), Get(node.operand(2))};
  return true;
}

bool PlanBuilder::UseDynamicRecurrent(const Node& node, const OpDef& def, Step& step) {
  const Shape* shape = node.operand(0)->type().shape();
  if (!IsRecurrent(node) || shape == nullptr) return false;
  rt::Shape x;
  for (const Dim& dim : *shape)
    x.push_back(dim.known() ? dim.value() : rt::PreparedRecurrent::kOpen);
  Prepared prepared;
  if (!PrepareRecurrent(node, def, x, prepared)) return false;
  prepared.is_dynamic = true;
  prepared.type = "rt::DynamicRecurrent";
  prepared.header = kRecurrentHeader;
  SetRecurrent(node, std::move(prepared), step);
  return true;
}

void PlanBuilder::UseDynamic(const Node& node, const OpDef& def, Step& step) {
  auto* call = step.As<KernelStep>();
  if (call == nullptr || UseDynamicInt8(node, def, step)) return;
  if (!IsF32(node.operand(0)) || UseDynamicRecurrent(node, def, step) ||
      UseDynamicResize(node, def, step) || UseComputedConv(node, def, step)) {
    return;
  }
  Prepared prepared;
  if (PrepareDynamic(node, def, prepared) || PrepareDynamicLinear(node, def, prepared)) {
    step.inputs = {Get(node.operand(0))};
    SetPrepared(std::move(prepared), step);
  } else if (node.Is("MatMul") || node.IsDragoman("Linear")) {
    call->function = node.Is("MatMul") ? "DynamicMatMul" : "DynamicLinear";
    call->fallible = true;
    call->header = kProductHeader;
  }
}

}  // namespace dragoman::onednn
