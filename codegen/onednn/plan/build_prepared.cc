// SPDX-License-Identifier: Apache-2.0
// Which nodes a prepared oneDNN operator computes: f32, sizes known, weights constant.

#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/rewrite/sequence_node.h"
#include "runtime/fast/conv.h"
#include "runtime/fast/conv_transpose.h"
#include "runtime/fast/few_outputs.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/mat_mul.h"
#include "runtime/fast/own_linear.h"
#include "runtime/fast/pool.h"
#include "runtime/fast/recurrent.h"
#include "runtime/fast/resize.h"
#include "runtime/params/gemm.h"

namespace dragoman::onednn {
namespace {

std::string Text(const rt::LinearSizes& sizes) {
  return "{/*rows=*/" + std::to_string(sizes.rows) + ", /*in=*/" + std::to_string(sizes.in) +
         ", /*out=*/" + std::to_string(sizes.out) + ", /*in_first=*/" +
         (sizes.in_first ? "true" : "false") + "}";
}

// The sizes of a product by a constant matrix, which `in_first` says the layout of.
rt::LinearSizes ProductSizes(const rt::Shape& x, const rt::Shape& weight, bool in_first) {
  rt::LinearSizes sizes;
  sizes.rows = 1;
  for (int i = 0; i + 1 < x.size(); ++i) sizes.rows *= x[i];
  sizes.in = weight[in_first ? 0 : 1];
  sizes.out = weight[in_first ? 1 : 0];
  sizes.in_first = in_first;
  return sizes;
}

std::size_t NumRecurrentStates(const Node& node) {
  return node.Is("LSTM") || node.IsDragoman("LSTM") ? 2 : 1;
}

bool FitsRecurrent(const Node& node, const Params& params, const rt::Shape& x) {
  if (node.IsDragoman("LSTM")) {
    return rt::PreparedRecurrent::Supports(params.As<rt::ProjectedLSTMParams>(), x);
  }
  if (node.Is("LSTM")) return rt::PreparedRecurrent::Supports(params.As<rt::LSTMParams>(), x);
  if (node.Is("GRU")) return rt::PreparedRecurrent::Supports(params.As<rt::GRUParams>(), x);
  return rt::PreparedRecurrent::Supports(params.As<rt::RNNParams>(), x);
}

}  // namespace

// By name: the layout of the operands is that of Linear for none but these.
bool PlanBuilder::FitsPlainProduct(const Node& node, const OpDef& def, bool& in_first) {
  in_first = node.Is("MatMul");
  if (!node.Is("Gemm")) return true;
  const Result<Params> params = def.fill_params(node);
  if (!params.ok()) return false;
  const auto& gemm = params->As<rt::GemmParams>();
  in_first = !gemm.transB;
  const bool scaled = gemm.alpha != 1.0f || (gemm.beta != 1.0f && node.operand(2) != nullptr);
  return !scaled && !gemm.transA;
}

std::string SizesText(const rt::Shape& sizes) {
  std::string text;
  for (std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "{" + text + "}";
}

bool PlanBuilder::IsF32Fixed(const Value* value) const { return IsF32(value) && IsFixed(value); }

// A bias of one element for each of `count` outputs, or none.
bool PlanBuilder::FitsBias(const Value* bias, std::int64_t count) const {
  if (bias == nullptr) return true;
  if (!IsF32Fixed(bias)) return false;
  const std::optional<rt::Shape> shape = SizesOf(bias);
  return shape && !shape->empty() && shape->back() == count && rt::NumElements(*shape) == count;
}

// Of a Conv by weights of sizes w, if these are known: what is compiled for it.
void PlanBuilder::SetConvMethods(std::int64_t group, const rt::Shape* w, Prepared& prepared) {
  const bool few = w == nullptr || rt::AreFewOutputs(group, *w);
  if (!few && !options_.exact_conv) return;
  prepared.method = options_.exact_conv ? "rt::ConvMethod::kDirect" : "rt::ConvMethod::kFastest";
  if (!few) return;
  prepared.method += ", &rt::MakeFewOutputs";
  plan_.headers.insert("runtime/fast/few_outputs.h");
}

bool PlanBuilder::PrepareConv(const Node& node, const OpDef& def, Prepared& prepared) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  if (!x || !w || !IsF32Fixed(node.operand(1)) || !FitsBias(node.operand(2), (*w)[0])) return false;
  const Result<Params> params = def.fill_params(node);
  if (!params.ok() || !rt::PreparedConv::Supports(params->As<rt::ConvParams>(), *x, *w))
    return false;
  SetConvMethods(params->As<rt::ConvParams>().group, &*w, prepared);
  prepared.type = "rt::PreparedConv";
  prepared.header = "runtime/fast/conv.h";
  prepared.init = params->cpp() + ", " + SizesText(*x) + ", " + SizesText(*w);
  prepared.constants = {GetWeights(node), Get(node.operand(2))};
  return true;
}

bool PlanBuilder::PrepareConvTranspose(const Node& node, const OpDef& def, Prepared& prepared) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  const std::optional<rt::Shape> y = SizesOf(node.result());
  if (!x || !w || !y || y->size() < 2 || !IsF32Fixed(node.operand(1)) ||
      !FitsBias(node.operand(2), (*y)[1])) {
    return false;
  }
  const Result<Params> params = def.fill_params(node);
  if (!params.ok() ||
      !rt::PreparedConvTranspose::Supports(params->As<rt::ConvTransposeParams>(), *x, *w)) {
    return false;
  }
  prepared.type = "rt::PreparedConvTranspose";
  prepared.header = "runtime/fast/conv_transpose.h";
  prepared.init = params->cpp() + ", " + SizesText(*x) + ", " + SizesText(*w);
  prepared.constants = {GetWeights(node), Get(node.operand(2))};
  return true;
}

bool PlanBuilder::PreparePool(const Node& node, const OpDef& def, Prepared& prepared) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!x || !params.ok()) return false;
  const bool max = node.Is("MaxPool");
  if (max && node.result(1) != nullptr) return false;
  const bool fits = max ? rt::PreparedPool::Supports(params->As<rt::MaxPoolParams>(), *x)
                        : rt::PreparedPool::Supports(params->As<rt::AveragePoolParams>(), *x);
  prepared.type = "rt::PreparedPool";
  prepared.header = "runtime/fast/pool.h";
  prepared.init = params->cpp() + ", " + SizesText(*x);
  return fits;
}

bool PlanBuilder::PrepareLinear(const Node& node, const OpDef& def, Prepared& prepared) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const std::optional<rt::Shape> w = SizesOf(node.operand(1));
  if (!x || !w || x->empty() || w->size() != 2 || !IsF32Fixed(node.operand(1))) return false;
  bool in_first = false;
  if (!FitsPlainProduct(node, def, in_first)) return false;
  const rt::LinearSizes sizes = ProductSizes(*x, *w, in_first);
  if (x->back() != sizes.in || !rt::PreparedLinear::Supports(sizes) ||
      !FitsBias(node.operand(2), sizes.out)) {
    return false;
  }
  prepared.init = Text(sizes);
  prepared.constants = {GetWeights(node), Get(node.operand(2))};
  const bool half = plan_.buffer(prepared.constants.front()).dtype == DType::kBF16;
  const bool own = rt::OwnLinear::Suits(sizes, half ? rt::Precision::kBF16 : rt::Precision::kF32);
  prepared.type = own ? "rt::OwnLinear" : "rt::PreparedLinear";
  prepared.header = own ? "runtime/fast/own_linear.h" : "runtime/fast/linear.h";
  prepared.allocates = !own;
  if (own) prepared.rows = sizes.rows;
  return true;
}

bool PlanBuilder::PrepareMatMul(const Node& node, Prepared& prepared) {
  const std::optional<rt::Shape> a = SizesOf(node.operand(0));
  const std::optional<rt::Shape> b = SizesOf(node.operand(1));
  if (!a || !b || !IsF32(node.operand(1)) || !rt::PreparedMatMul::Supports(*a, *b)) return false;
  prepared.type = "rt::PreparedMatMul";
  prepared.header = "runtime/fast/mat_mul.h";
  prepared.init = SizesText(*a) + ", " + SizesText(*b);
  return true;
}

bool PlanBuilder::PrepareResize(const Node& node, const OpDef& def, Prepared& prepared) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!x || !params.ok() || !rt::PreparedResize::Supports(params->As<rt::ResizeParams>(), *x) ||
      rt::NumElements(*SizesOf(node.result())) == 0) {
    return false;
  }
  for (const std::size_t i : {2, 3}) {
    const Value* operand = node.operand(i);
    const bool given = operand != nullptr && SizesOf(operand) != rt::Shape{0};
    if (given && !IsFixed(operand)) return false;
    prepared.constants.push_back(given ? Get(operand) : kAbsent);
  }
  prepared.type = "rt::PreparedResize";
  prepared.header = "runtime/fast/resize.h";
  prepared.init = params->cpp() + ", " + SizesText(*x);
  return true;
}

// With constant weights, `x` being the sizes of the operand.
bool PlanBuilder::PrepareRecurrent(const Node& node, const OpDef& def, const rt::Shape& x,
                                   Prepared& prepared) {
  const Result<Params> params = def.fill_params(node);
  if (!params.ok() || !FitsRecurrent(node, *params, x)) return false;
  for (std::size_t i : {1, 2, 3, 7, 8}) {
    const bool is_needed = i < 3;
    if (is_needed || node.operand(i) != nullptr) {
      if (!IsF32Fixed(node.operand(i))) return false;
    }
  }
  prepared.init = params->cpp() + ", rt::Shape" + SizesText(x);
  prepared.constants = {GetWeights(node, 1), GetWeights(node, 2), Get(node.operand(3))};
  if (node.IsDragoman("LSTM")) {
    prepared.init += ", /*output=*/" + std::to_string((*SizesOf(node.operand(2)))[2]);
    prepared.constants.push_back(Get(node.operand(7)));
    prepared.constants.push_back(Get(node.operand(8)));
  } else if (node.operand(7) != nullptr) {
    prepared.constants.push_back(Get(node.operand(7)));
  }
  return true;
}

bool PlanBuilder::BuildRecurrent(const Node& node, const OpDef& def, Step& step) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  Prepared prepared;
  if (!x || !PrepareRecurrent(node, def, *x, prepared)) return false;
  for (std::size_t i = 4; i < 5 + NumRecurrentStates(node); ++i) {
    if (node.operand(i) != nullptr && !SizesOf(node.operand(i))) return false;
  }
  prepared.type = "rt::PreparedRecurrent";
  prepared.header = "runtime/fast/recurrent.h";
  prepared.allocates = (*x)[0] * (*x)[1] > rt::OwnLinear::kOwnRows;
  for (std::size_t i = 0; i <= NumRecurrentStates(node); ++i) {
    if (node.result(i) != nullptr) Make(*node.result(i));
  }
  FinishResults(node, step);
  SetRecurrent(node, std::move(prepared), step);
  return true;
}

// An operand or result that is not there stays in its place; there are buffers for the results.
void PlanBuilder::SetRecurrent(const Node& node, Prepared prepared, Step& step) {
  const std::size_t num_states = NumRecurrentStates(node);
  step.inputs = {Get(node.operand(0)), Get(node.operand(4)), Get(node.operand(5)),
                 num_states == 2 ? Get(node.operand(6)) : kAbsent};
  std::vector<BufferId> places;
  for (std::size_t i = 0; i < 3; ++i) {
    const Value* result = i <= num_states ? node.result(i) : nullptr;
    places.push_back(result != nullptr ? buffers_.at(result) : kAbsent);
  }
  SetPrepared(std::move(prepared), step).places = std::move(places);
}

PreparedStep& PlanBuilder::AddPrepared(const Node& node, Prepared prepared, Step& step) {
  FinishResults(node, step);
  return SetPrepared(std::move(prepared), step);
}

PreparedStep& PlanBuilder::SetPrepared(Prepared prepared, Step& step) {
  prepared.name = names_.Unique(plan_.buffer(step.results.front()).name + "_op");
  plan_.headers.insert({prepared.header, "runtime/fast/blocked_sizes.h"});
  plan_.prepared.push_back(std::move(prepared));
  PreparedStep& call = step.action.emplace<PreparedStep>();
  call.prepared = plan_.prepared.size() - 1;
  return call;
}

bool PlanBuilder::BuildPrepared(const Node& node, const OpDef& def, Step& step) {
  if (IsRecurrent(node)) return IsF32(node.operand(0)) && BuildRecurrent(node, def, step);
  if (!IsF32(node.operand(0)) || !SizesOf(node.result())) return false;
  Prepared prepared;
  prepared.takes_post = true;
  prepared.allocates = true;
  bool fits = false;
  if (node.Is("Conv")) {
    fits = PrepareConv(node, def, prepared);
    prepared.takes_blocks = true;
  } else if (node.Is("ConvTranspose")) {
    fits = PrepareConvTranspose(node, def, prepared);
  } else if (node.Is("MaxPool") || node.Is("AveragePool")) {
    fits = PreparePool(node, def, prepared);
    prepared.takes_post = false;
    prepared.takes_blocks = true;
  } else if (node.Is("Resize")) {
    fits = PrepareResize(node, def, prepared);
    prepared.takes_post = prepared.allocates = false;
  } else if (node.IsDragoman("Linear") || node.Is("Gemm") || node.Is("MatMul")) {
    // By name: what rt::fast::Linear computes.
    fits =
        PrepareLinear(node, def, prepared) || (node.Is("MatMul") && PrepareMatMul(node, prepared));
  }
  if (!fits) return false;
  step.inputs = {Get(node.operand(0))};
  if (prepared.type == "rt::PreparedMatMul") step.inputs.push_back(Get(node.operand(1)));
  Make(*node.result());
  AddPrepared(node, std::move(prepared), step);
  return true;
}

}  // namespace dragoman::onednn
