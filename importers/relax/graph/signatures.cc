// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/signatures.h"

#include <algorithm>
#include <iterator>

#include "core/support/find_by_key.h"

namespace dragoman::tvmscript {
namespace {

struct Row {
  std::string_view op;
  std::string_view parameters;
};

// Sorted by name.
constexpr Row kRows[] = {
    {"abs", "x"},
    {"acos", "x"},
    {"acosh", "x"},
    {"add", "x1, x2"},
    {"arange", "start, end=None, step=1, dtype=None"},
    {"argmax", "x, axis=None, keepdims=False"},
    {"argmin", "x, axis=None, keepdims=False"},
    {"argsort", "data, axis=-1, descending=False, dtype='int32'"},
    {"asin", "x"},
    {"asinh", "x"},
    {"assert_op", "condition, format_args=None, format=''"},
    {"astype", "x, dtype"},
    {"atan", "x"},
    {"atan2", "x1, x2"},
    {"atanh", "x"},
    {"bitwise_and", "x1, x2"},
    {"bitwise_not", "x"},
    {"bitwise_or", "x1, x2"},
    {"bitwise_xor", "x1, x2"},
    {"broadcast_to", "x, shape"},
    {"bucketize", "input_tensor, boundaries, out_int32=False, right=False"},
    {"builtin.alloc_tensor", "shape, dtype, runtime_device_index, storage_scope='global'"},
    {"builtin.stop_lift_params", "x"},
    {"call_builtin_with_ctx", "func, args, ty_args=None"},
    {"call_dps_packed", "func, args, out_ty"},
    {"call_inplace_packed", "func, *args, inplace_indices, ty_args"},
    {"call_pure_packed", "func, *args, ty_args"},
    {"call_py_func", "func_name, args, out_ty"},
    {"call_tir", "gvar, args, out_ty"},
    {"call_tir_inplace", "gvar, args, inplace_indices, out_ty"},
    {"call_tir_with_grad", "gvar, args, out_ty, te_grad_name, te_grad_kwargs=None"},
    {"ccl.allgather", "x, num_workers, in_group=True"},
    {"ccl.allreduce", "x, op_type='sum', in_group=True"},
    {"ccl.broadcast_from_worker0", "x"},
    {"ccl.scatter_from_worker0", "x, num_workers, axis=0"},
    {"ceil", "x"},
    {"clip", "x, min, max"},
    {"collapse_sum_like", "data, collapse_target"},
    {"collapse_sum_to", "data, shape"},
    {"concat", "tensors, axis=0"},
    {"const", "value, dtype=None"},
    {"cos", "x"},
    {"cosh", "x"},
    {"cumprod", "data, axis=None, dtype=None, exclusive=False"},
    {"cumsum", "data, axis=None, dtype=None, exclusive=False"},
    {"dataflow", ""},
    {"dequantize", "data, scale, zero_point, axis=-1, out_dtype='float32'"},
    {"device", "dev_type, dev_id"},
    {"dist.annotate_sharding", "input, device_mesh, placement"},
    {"dist.call_tir_local_view", "gvar, args, out_ty"},
    {"dist.redistribute", "input, device_mesh, placement"},
    {"dist.redistribute_replica_to_shard", "input, num_workers, axis"},
    {"divide", "x1, x2"},
    {"dtype", "value"},
    {"dynamic_strided_slice", "x, begin, end, strides"},
    {"einsum", "operands, subscripts"},
    {"equal", "x1, x2"},
    {"erf", "x"},
    {"ewise_fma", "x1, x2, x3"},
    {"exp", "x"},
    {"expand_dims", "x, axis"},
    {"eye", "n, m=None, k=0, dtype='float32'"},
    {"eye_like", "x, k=0, dtype=None"},
    {"flatten", "x"},
    {"flip", "data, axis"},
    {"floor", "x"},
    {"floor_divide", "x1, x2"},
    {"floor_mod", "x1, x2"},
    {"full", "shape, fill_value, dtype=None"},
    {"full_like", "x, fill_value, dtype=None"},
    {"func_attr", "attributes"},
    {"gather_elements", "data, indices, axis=0"},
    {"gather_nd", "data, indices, batch_dims=0"},
    {"grad.avg_pool2d_backward",
     "output_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), "
     "ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None"},
    {"grad.end_checkpoint", "input"},
    {"grad.max_pool2d_backward",
     "output_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), "
     "ceil_mode=False, count_include_pad=False, layout='NCHW', out_layout=None"},
    {"grad.nll_loss_backward",
     "output_grad, predictions, targets, weights=None, reduction='mean', ignore_index=-100"},
    {"grad.no_grad", "input"},
    {"grad.start_checkpoint", "input"},
    {"grad.take_backward", "output_grad, x, indices, axis=None"},
    {"greater", "x1, x2"},
    {"greater_equal", "x1, x2"},
    {"hamming_window", "window_size, periodic, alpha, beta, dtype"},
    {"hint_on_device", "data, dst_vdevice, memory_scope='global'"},
    {"image.affine_grid", "data, size, align_corners=True"},
    {"image.grid_sample",
     "data, grid, method='bilinear', layout='NCHW', padding_mode='zeros', align_corners=False"},
    {"image.resize2d",
     "data, size, roi=None, layout='NCHW', method='linear', "
     "coordinate_transformation_mode='half_pixel', rounding_method='round', cubic_alpha=-0.75, "
     "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None"},
    {"image.resize3d",
     "data, size, roi=None, layout='NCDHW', method='linear', "
     "coordinate_transformation_mode='half_pixel', rounding_method='', cubic_alpha=-0.75, "
     "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None"},
    {"index_put", "data, indices, values, accumulate=False"},
    {"index_tensor", "data, indices"},
    {"invoke_closure", "closure, args, ty_args"},
    {"invoke_pure_closure", "closure, args, ty_args"},
    {"isfinite", "x"},
    {"isinf", "x"},
    {"isnan", "x"},
    {"layout_transform", "x, index_map, pad_value=None"},
    {"left_shift", "x1, x2"},
    {"less", "x1, x2"},
    {"less_equal", "x1, x2"},
    {"linear", "data, weight, bias=None, out_dtype=None"},
    {"log", "x"},
    {"log_add_exp", "x1, x2"},
    {"logical_and", "x1, x2"},
    {"logical_not", "x"},
    {"logical_or", "x1, x2"},
    {"logical_xor", "x1, x2"},
    {"make_closure", "func, args"},
    {"masked_fill", "x, mask, value"},
    {"match_cast", "value, struct_info"},
    {"matmul", "x1, x2, out_dtype=None"},
    {"max", "x, axis=None, keepdims=False"},
    {"maximum", "x1, x2"},
    {"mean", "x, axis=None, keepdims=False"},
    {"median", "x, axis=None, keepdims=False"},
    {"memory.alloc_storage", "size, virtual_device_index, storage_scope, dtype"},
    {"memory.alloc_tensor", "storage, offset, shape, dtype, runtime_device_ind=prim_value(0)"},
    {"memory.ensure_zero_offset", "data"},
    {"memory.kill_storage", "storage"},
    {"memory.kill_tensor", "tensor"},
    {"memory.view", "data, shape=None, dtype=None, relative_byte_offset=None"},
    {"meshgrid", "tensors, indexing='ij'"},
    {"min", "x, axis=None, keepdims=False"},
    {"minimum", "x1, x2"},
    {"mod", "x1, x2"},
    {"multinomial_from_uniform", "prob, uniform_sample, sample_indices, dtype='int64'"},
    {"multiply", "x1, x2"},
    {"negative", "x"},
    {"nn.adaptive_avg_pool1d", "data, output_size=None, layout='NCW', out_layout=None"},
    {"nn.adaptive_avg_pool2d", "data, output_size=None, layout='NCHW', out_layout=None"},
    {"nn.adaptive_avg_pool3d", "data, output_size=None, layout='NCDHW', out_layout=None"},
    {"nn.attention",
     "query, key, value, bias=None, scale=None, causal_mask=None, window_size=None"},
    {"nn.attention_bias",
     "query, key, value, bias=None, scale=None, causal_mask=None, window_size=None"},
    {"nn.attention_var_len",
     "queries, keys, values, seqstart_q, max_seqlen_q, seqstart_k=None, max_seqlen_k=None, "
     "scale=None, causal_mask=None, window_size=None"},
    {"nn.avg_pool1d",
     "data, pool_size=(1,), strides=(1,), padding=(0, 0), dilation=(1,), ceil_mode=False, "
     "count_include_pad=True, layout='NCW', out_layout=None"},
    {"nn.avg_pool2d",
     "data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), dilation=(1, 1), ceil_mode=False, "
     "count_include_pad=False, layout='NCHW', out_layout=None"},
    {"nn.avg_pool3d",
     "data, pool_size=(1, 1, 1), strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), "
     "ceil_mode=False, count_include_pad=True, layout='NCDHW', out_layout=None"},
    {"nn.batch_flatten", "data"},
    {"nn.batch_norm",
     "data, gamma, beta, moving_mean, moving_var, axis, epsilon=1e-05, center=True, scale=True, "
     "momentum=0.1, training=True"},
    {"nn.conv1d",
     "data, weight, strides=1, padding=0, dilation=1, groups=1, data_layout='NCW', "
     "kernel_layout='OIW', out_layout=None, out_dtype=None"},
    {"nn.conv1d_transpose",
     "data, weight, strides=1, padding=0, output_padding=0, dilation=1, groups=1, "
     "data_layout='NCW', kernel_layout='IOW', out_layout=None, out_dtype=None"},
    {"nn.conv2d",
     "data, weight, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, data_layout='NCHW', "
     "kernel_layout='OIHW', out_layout=None, out_dtype=None"},
    {"nn.conv2d_transpose",
     "data, weight, strides=(1, 1), padding=(0, 0), output_padding=(0, 0), dilation=(1, 1), "
     "groups=1, data_layout='NCHW', kernel_layout='IOHW', out_layout=None, out_dtype=None"},
    {"nn.conv3d",
     "data, weight, strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1, "
     "data_layout='NCDHW', kernel_layout='OIDHW', out_layout=None, out_dtype=None"},
    {"nn.conv3d_transpose",
     "data, weight, strides=(1, 1, 1), padding=(0, 0, 0), output_padding=(0, 0, 0), dilation=(1, "
     "1, 1), groups=1, data_layout='NCDHW', kernel_layout='IODHW', out_layout=None, "
     "out_dtype=None"},
    {"nn.cross_entropy_with_logits", "predictions, labels"},
    {"nn.dropout", "data, rate=0.5"},
    {"nn.gelu", "data"},
    {"nn.gelu_tanh", "data"},
    {"nn.group_norm",
     "data, gamma, beta, num_groups, channel_axis, axes, epsilon=1e-05, center=True, scale=True"},
    {"nn.instance_norm",
     "data, gamma, beta, channel_axis, axes, epsilon=1e-05, center=True, scale=True"},
    {"nn.layer_norm", "data, gamma, beta, axes, epsilon=1e-05, center=True, scale=True"},
    {"nn.leakyrelu", "data, alpha=0.01"},
    {"nn.log_softmax", "data, axis=-1"},
    {"nn.max_pool1d",
     "data, pool_size=(1,), strides=(1,), padding=(0, 0), dilation=(1,), ceil_mode=False, "
     "count_include_pad=False, layout='NCW', out_layout=None"},
    {"nn.max_pool2d",
     "data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), dilation=(1, 1), ceil_mode=False, "
     "count_include_pad=False, layout='NCHW', out_layout=None"},
    {"nn.max_pool3d",
     "data, pool_size=(1, 1, 1), strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), "
     "ceil_mode=False, count_include_pad=False, layout='NCDHW', out_layout=None"},
    {"nn.nll_loss", "predictions, targets, weights=None, reduction='mean', ignore_index=-100"},
    {"nn.pad", "data, pad_width, pad_mode='constant', pad_value=0.0"},
    {"nn.pixel_shuffle", "data, upscale_factor"},
    {"nn.prelu", "data, alpha, axis=1"},
    {"nn.relu", "data"},
    {"nn.relu6", "data"},
    {"nn.rms_norm", "data, weight, axes=-1, epsilon=1e-05"},
    {"nn.selu", "data"},
    {"nn.silu", "data"},
    {"nn.softmax", "data, axis=-1"},
    {"nn.softplus", "data, beta=1.0, threshold=20.0"},
    {"nonzero", "x"},
    {"not_equal", "x1, x2"},
    {"null_value", ""},
    {"numpy_nonzero", "x"},
    {"numpy_unique", "x, sorted, return_index, return_inverse, return_counts, axis=None"},
    {"one_hot", "indices, on_value, off_value, depth, axis=-1"},
    {"ones", "shape, dtype"},
    {"ones_like", "x, dtype=None"},
    {"outer", "x1, x2"},
    {"output", "*names"},
    {"permute_dims", "x, axes=None"},
    {"power", "x1, x2"},
    {"print", "*values, format=''"},
    {"prod", "x, axis=None, keepdims=False"},
    {"quantize", "data, scale, zero_point, axis=-1, out_dtype='int8'"},
    {"register_gradient", "op_name, fgradient=None, level=10"},
    {"relax_assert_op", "condition, format_str, *format_args"},
    {"relax_print", "format_str, *format_args"},
    {"relax_shape_to_tensor", "shape_tuple"},
    {"render_object", "val"},
    {"repeat", "data, repeats, axis=None"},
    {"reshape", "x, shape"},
    {"reverse_sequence", "data, seq_lengths, seq_axis=1, batch_axis=0"},
    {"right_shift", "x1, x2"},
    {"round", "x"},
    {"rsqrt", "x"},
    {"scatter_elements", "data, indices, updates, axis=0, reduction='update'"},
    {"scatter_nd", "data, indices, updates, reduction='update'"},
    {"shape", "value"},
    {"shape_of", "expr"},
    {"shape_to_tensor", "expr"},
    {"sigmoid", "x"},
    {"sign", "x"},
    {"sin", "x"},
    {"sinh", "x"},
    {"size", "expr"},
    {"slice_scatter", "input_tensor, src, start, end, step, axis=0"},
    {"sort", "x, axis=-1, descending=False"},
    {"split", "x, indices_or_sections, axis=0"},
    {"sqrt", "x"},
    {"square", "x"},
    {"squeeze", "x, axis=None"},
    {"stack", "tensors, axis=0"},
    {"std", "x, axis=None, keepdims=False"},
    {"str", "value"},
    {"strided_slice", "x, axes, begin, end, strides=None, assume_inbound=False"},
    {"subtract", "x1, x2"},
    {"sum", "x, axis=None, keepdims=False"},
    {"take", "x, indices, axis=None, mode='fast'"},
    {"tan", "x"},
    {"tanh", "x"},
    {"tensor_to_shape", "expr"},
    {"tile", "data, repeats"},
    {"to_vdevice", "data, dst_vdevice"},
    {"topk", "data, k=1, axis=-1, ret_type='both', largest=True, dtype='int32'"},
    {"tril", "x, k=0"},
    {"triu", "x, k=0"},
    {"trunc", "x"},
    {"tuple", "*fields"},
    {"unique",
     "x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None"},
    {"variance", "x, axis=None, keepdims=False"},
    {"vision.all_class_non_max_suppression",
     "boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold, "
     "output_format='onnx'"},
    {"vision.get_valid_counts", "data, score_threshold=0, id_index=0, score_index=1"},
    {"vision.multibox_transform_loc",
     "cls_pred, loc_pred, anchor, clip=False, threshold=0.0, variances=(1.0, 1.0, 1.0, 1.0), "
     "keep_background=True"},
    {"vision.non_max_suppression",
     "data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, force_suppress=False, "
     "top_k=-1, coord_start=2, score_index=1, id_index=0, return_indices=True, "
     "invalid_to_bottom=False, soft_nms_sigma=0.0, score_threshold=0.0"},
    {"vision.roi_align",
     "data, rois, pooled_size, spatial_scale, sample_ratio=-1, aligned=False, layout='NCHW', "
     "mode='avg'"},
    {"vision.roi_pool", "data, rois, pooled_size, spatial_scale, layout='NCHW'"},
    {"vm.alloc_storage", "shape, runtime_device_index, dtype, storage_scope='global'"},
    {"vm.alloc_tensor", "storage, offset, shape, dtype, runtime_device_ind=prim_value(0)"},
    {"vm.call_tir_dyn", "func, args"},
    {"vm.kill_object", "obj"},
    {"where", "condition, x1, x2"},
    {"wrap_param", "data, dtype='float32'"},
    {"zeros", "shape, dtype"},
    {"zeros_like", "x, dtype=None"},
};
static_assert(IsSortedBy(kRows, &Row::op));

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The length of the first item of a list of parameters, up to a comma outside of brackets.
std::size_t ItemLength(std::string_view list) {
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '(' || list[i] == '[') ++depth;
    if (list[i] == ')' || list[i] == ']') --depth;
    if (list[i] == ',' && depth == 0) return i;
  }
  return list.size();
}

}  // namespace

std::vector<SignatureParameter> SignatureOf(std::string_view op) {
  const Row* row = FindByKey(kRows, op, &Row::op);
  std::vector<SignatureParameter> parameters;
  if (row == nullptr) return parameters;
  std::string_view rest = row->parameters;
  while (!rest.empty()) {
    const std::size_t length = ItemLength(rest);
    const std::string_view item = Trim(rest.substr(0, length));
    rest.remove_prefix(std::min(rest.size(), length + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      parameters.push_back({item, std::nullopt});
    } else {
      parameters.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
  }
  return parameters;
}

}  // namespace dragoman::tvmscript
