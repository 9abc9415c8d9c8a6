// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/autocast.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dragoman::torch {
namespace {

// To the type of the region. The file says whether einsum multiplied matrices.
constexpr std::string_view kLower[] = {
    "_addmm_activation",
    "_convolution",
    "_native_multi_head_attention",
    "addbmm",
    "addmm",
    "baddbmm",
    "bmm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "einsum",
    "linalg_vecdot",
    "linear",
    "matmul",
    "mkldnn_rnn_layer",
    "mm",
    "prelu",
    "scaled_dot_product_attention",
};

constexpr std::string_view kFloat[] = {
    "_lu_with_info",
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "ctc_loss",
    "fake_quantize_per_tensor_affine",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "geqrf",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "hinge_embedding_loss",
    "huber_loss",
    "inverse",
    "kl_div",
    "l1_loss",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_matrix_rank",
    "linalg_qr",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "lu_solve",
    "margin_ranking_loss",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_margin_loss_forward",
    "nanquantile",
    "nll_loss",
    "nll_loss2d",
    "orgqr",
    "ormqr",
    "pinverse",
    "poisson_nll_loss",
    "polar",
    "prod",
    "qr",
    "quantile",
    "reflection_pad1d",
    "reflection_pad2d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "smooth_l1_loss",
    "soft_margin_loss",
    "stft",
    "svd",
    "trace",
    "triangular_solve",
    "triplet_margin_loss",
    "view_as_complex",
};

// To float32 if any of them is of it.
constexpr std::string_view kPromote[] = {"cat", "index_copy", "stack"};

template <std::size_t kSize>
bool Lists(const std::string_view (&names)[kSize], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Whether an operand is of `dtype`; of any type that is cast if that is unknown.
bool HasOperand(const Node& node, DType dtype) {
  return std::any_of(node.operands().begin(), node.operands().end(), [&](const Use& use) {
    const DType given = use.value() != nullptr ? use.value()->type().dtype() : DType::kUnknown;
    return dtype == DType::kUnknown ? IsCastable(given) : given == dtype;
  });
}

// Of the first result; unknown if that is not a tensor of a type that is cast.
DType StatedType(const Node& node) {
  const Value* result = node.num_results() > 0 ? node.result(0) : nullptr;
  const DType stated = result != nullptr ? result->type().dtype() : DType::kUnknown;
  return IsCastable(stated) ? stated : DType::kUnknown;
}

// Whether an argument says what the type of the result is.
bool NamesType(const Node& node) {
  return std::any_of(node.attributes().begin(), node.attributes().end(),
                     [](const NamedAttribute& argument) {
                       const auto* dict = argument.value.As<Attribute::Dict>();
                       return dict != nullptr && Find(*dict, "as_scalar_type") != nullptr;
                     });
}

}  // namespace

bool IsCastable(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

Result<std::optional<DType>> AutocastType(const Node& node, DType region) {
  const OpName& op = node.op();
  std::optional<DType> none;
  if (op.dialect != "aten" || !HasOperand(node, DType::kUnknown)) return none;
  const DType stated = StatedType(node);
  const bool is_composed = op.type == "einsum" && stated != region;
  if (Lists(kFloat, op.type)) return std::optional(DType::kF32);
  if (Lists(kPromote, op.type))
    return HasOperand(node, DType::kF32) ? std::optional(DType::kF32) : none;
  const bool is_lower = Lists(kLower, op.type) && !is_composed;
  const bool holds = is_lower ? stated == region || stated == DType::kUnknown
                              : stated != region || HasOperand(node, region) || NamesType(node);
  if (!holds) {
    return Unsupported("operator " + op.ToString() +
                       " under autocast, whose type is not that of the region; decompose the "
                       "program (run_decompositions), which states the element types");
  }
  return is_lower ? std::optional(region) : none;
}

}  // namespace dragoman::torch
