// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/scripted_autocast.h"

#include <string_view>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/composer.h"
#include "core/support/find_by_key.h"
#include "importers/torch/container/torch_dtype.h"

namespace dragoman::torch {
namespace {

enum class Policy {
  kLower,             // to the type of the region
  kFloat,             // to float32
  kFloatUnlessStated  // to float32, unless an argument says of which type the result is
};

struct PolicyRow {
  std::string_view type;
  Policy policy;
};

// PyTorch widens the operands of add, dot and the like to the widest type among them. It knows none
// of these types where it compiles the program, and takes float32.
constexpr PolicyRow kPolicies[] = {
    {"_convolution", Policy::kLower},
    {"_convolution_nogroup", Policy::kLower},
    {"acos", Policy::kFloat},
    {"add", Policy::kFloat},
    {"addbmm", Policy::kLower},
    {"addcdiv", Policy::kFloat},
    {"addcmul", Policy::kFloat},
    {"addmm", Policy::kLower},
    {"addmv", Policy::kLower},
    {"addr", Policy::kLower},
    {"asin", Policy::kFloat},
    {"atan2", Policy::kFloat},
    {"baddbmm", Policy::kLower},
    {"bilinear", Policy::kFloat},
    {"binary_cross_entropy_with_logits", Policy::kFloat},
    {"bmm", Policy::kLower},
    {"cdist", Policy::kFloat},
    {"conv1d", Policy::kLower},
    {"conv2d", Policy::kLower},
    {"conv3d", Policy::kLower},
    {"conv_tbc", Policy::kLower},
    {"conv_transpose1d", Policy::kLower},
    {"convolution", Policy::kLower},
    {"cosh", Policy::kFloat},
    {"cosine_embedding_loss", Policy::kFloat},
    {"cosine_similarity", Policy::kFloat},
    {"cross", Policy::kFloat},
    {"cumprod", Policy::kFloatUnlessStated},
    {"cumsum", Policy::kFloatUnlessStated},
    {"dist", Policy::kFloat},
    {"div", Policy::kFloat},
    {"dot", Policy::kFloat},
    {"equal", Policy::kFloat},
    {"erfinv", Policy::kFloat},
    {"exp", Policy::kFloat},
    {"expm1", Policy::kFloat},
    {"frobenius_norm", Policy::kFloat},
    {"gelu", Policy::kFloat},
    {"group_norm", Policy::kFloat},
    {"gru_cell", Policy::kLower},
    {"hinge_embedding_loss", Policy::kFloat},
    {"index_put", Policy::kFloat},
    {"kl_div", Policy::kFloat},
    {"l1_loss", Policy::kFloat},
    {"layer_norm", Policy::kFloat},
    {"linear", Policy::kLower},
    {"log", Policy::kFloat},
    {"log10", Policy::kFloat},
    {"log1p", Policy::kFloat},
    {"log2", Policy::kFloat},
    {"log_softmax", Policy::kFloatUnlessStated},
    {"logsumexp", Policy::kFloat},
    {"lstm_cell", Policy::kLower},
    {"margin_ranking_loss", Policy::kFloat},
    {"matmul", Policy::kLower},
    {"mm", Policy::kLower},
    {"mse_loss", Policy::kFloat},
    {"mul", Policy::kFloat},
    {"multi_margin_loss", Policy::kFloat},
    {"multilabel_margin_loss", Policy::kFloat},
    {"mv", Policy::kLower},
    {"native_layer_norm", Policy::kFloat},
    {"nll_loss", Policy::kFloat},
    {"nll_loss2d", Policy::kFloat},
    {"nuclear_norm", Policy::kFloat},
    {"pdist", Policy::kFloat},
    {"pow", Policy::kFloat},
    {"prelu", Policy::kLower},
    {"prod", Policy::kFloatUnlessStated},
    {"reciprocal", Policy::kFloat},
    {"renorm", Policy::kFloat},
    {"rnn_relu_cell", Policy::kLower},
    {"rnn_tanh_cell", Policy::kLower},
    {"rsqrt", Policy::kFloat},
    {"sinh", Policy::kFloat},
    {"smooth_l1_loss", Policy::kFloat},
    {"soft_margin_loss", Policy::kFloat},
    {"softplus", Policy::kFloat},
    {"sub", Policy::kFloat},
    {"sum", Policy::kFloatUnlessStated},
    {"tan", Policy::kFloat},
    {"tensordot", Policy::kFloat},
    {"triplet_margin_loss", Policy::kFloat},
};
static_assert(IsSortedBy(kPolicies, &PolicyRow::type));

}  // namespace

bool IsAutocast(const ObjectContents& object) {
  return object.class_name.ends_with("amp.autocast_mode.autocast");
}

Result<std::optional<DType>> RegionType(const ObjectContents& object, std::optional<DType> outer) {
  std::optional<bool> enabled;
  std::optional<std::int64_t> dtype;
  bool on_cpu = true;
  for (const auto& [name, value] : object.attributes) {
    const auto* number = value.As<Number>();
    const auto* text = value.As<String>();
    if (name == "_enabled" && number != nullptr && number->known()) enabled = number->AsInt() != 0;
    if (name == "fast_dtype" && number != nullptr && number->known()) dtype = number->AsInt();
    if (name == "device" && text != nullptr && text->known()) on_cpu = text->text() == "cpu";
  }
  if (!on_cpu) return outer;
  if (enabled == false) return std::optional<DType>();
  const auto stated = dtype ? TorchDTypeFromNumber(*dtype) : std::nullopt;
  const DType region = stated ? Info(*stated).element : DType::kUnknown;
  if (enabled && IsHalf(region)) return std::optional(region);
  return Unsupported("a scripted region under autocast to another type than bfloat16 and float16");
}

std::optional<DType> OperandType(const Node& node, bool states_type, DType region) {
  const OpName& op = node.op();
  const PolicyRow* row =
      op.dialect == "aten" ? FindByKey(kPolicies, op.type, &PolicyRow::type) : nullptr;
  if (row == nullptr || (row->policy == Policy::kFloatUnlessStated && states_type))
    return std::nullopt;
  return row->policy == Policy::kLower ? region : DType::kF32;
}

bool IsCast(DType from, DType to) { return to == DType::kF32 ? IsHalf(from) : from == DType::kF32; }

}  // namespace dragoman::torch
