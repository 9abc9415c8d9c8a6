// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/weights.h"

#include <algorithm>
#include <utility>

#include "core/support/find_by_key.h"
#include "core/support/python_keywords.h"

namespace dragoman::pt2 {
namespace {

bool IsPathCharacter(char c) {
  return c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// What a module that torch.export.load gives has, or any other. Sorted.
// clang-format off
constexpr std::string_view kAttributesOfModules[] = {
    "T_destination", "_apply", "_backward_hooks", "_backward_pre_hooks", "_boxed_call", "_buffers",
    "_call_impl", "_code", "_compiled_call_impl", "_create_node_hooks", "_deepcopy_hooks",
    "_deepcopy_init", "_erase_node_hooks", "_forward_hooks", "_forward_hooks_always_called",
    "_forward_hooks_with_kwargs", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
    "_get_backward_hooks", "_get_backward_pre_hooks", "_get_name", "_graph", "_guards_fn",
    "_in_spec", "_is_full_backward_hook", "_lineno_map", "_load_from_state_dict",
    "_load_state_dict_post_hooks", "_load_state_dict_pre_hooks",
    "_maybe_warn_non_full_backward_hook", "_modules", "_named_members",
    "_non_persistent_buffers_set", "_out_spec", "_parameters", "_prologue_start",
    "_recompile_submodules", "_register_create_node_hook", "_register_deepcopy_hook",
    "_register_erase_node_hook", "_register_load_state_dict_pre_hook",
    "_register_replace_node_hook", "_register_state_dict_hook", "_replace_hooks",
    "_replicate_for_data_parallel", "_save_to_state_dict", "_set_replace_hook", "_slow_forward",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_tracer_cls", "_tracer_extras",
    "_unregister_create_node_hook", "_unregister_deepcopy_hook", "_unregister_erase_node_hook",
    "_unregister_replace_node_hook", "_version", "_wrapped_call", "_wrapped_call_impl",
    "add_module", "add_submodule", "apply", "bfloat16", "buffers", "call_super_init", "children",
    "code", "compile", "cpu", "cuda", "delete_all_unused_submodules", "delete_submodule", "double",
    "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer", "get_extra_state",
    "get_parameter", "get_submodule", "graph", "half", "ipu", "load_state_dict", "meta", "modules",
    "mtia", "named_buffers", "named_children", "named_modules", "named_parameters", "parameters",
    "print_readable", "range_constraints", "recompile", "register_backward_hook", "register_buffer",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_load_state_dict_post_hook",
    "register_load_state_dict_pre_hook", "register_module", "register_parameter",
    "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_",
    "set_extra_state", "set_submodule", "shape_env", "share_memory", "state_dict", "to", "to_empty",
    "to_folder", "train", "training", "type", "validate_inputs", "xpu", "zero_grad",
};
// clang-format on
static_assert(IsSortedBy(kAttributesOfModules));

// The path with another name for each part that modules have already, or that Python cannot name.
std::string WithFreeParts(const std::string& path) {
  std::string free;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (!free.empty()) free += '.';
    free += part;
    if (IsAttributeOfModules(part) || IsPythonKeyword(part)) free += '_';
    begin = end + 1;
  }
  return free;
}

// "encoder.0.kernel" of "/encoder/0/kernel:0": the modules are the scopes of the source.
std::string ModulePath(std::string_view name) {
  constexpr std::string_view kSelf = "self.";
  if (name.starts_with(kSelf)) name.remove_prefix(kSelf.size());
  if (name.ends_with(":0")) name.remove_suffix(2);
  std::string path;
  for (char c : name) {
    if (c == '/') c = '.';
    if (!IsPathCharacter(c)) c = '_';
    if (c == '.' && (path.empty() || path.back() == '.')) continue;
    path += c;
  }
  while (path.ends_with('.')) path.pop_back();
  return path.empty() ? "weight" : WithFreeParts(path);
}

// A byte for each element of a type of 2 or 4 bits.
dragoman::Tensor WithBytes(const dragoman::Tensor& tensor) {
  const DTypeInfo& info = Info(tensor.dtype());
  if (info.bits >= 8 || !info.is_integer) return tensor;
  std::string bytes;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    bytes += static_cast<char>(static_cast<std::uint8_t>(tensor.IntAt(i)));
  Result<dragoman::Tensor> wide = dragoman::Tensor::Make(
      info.is_signed ? DType::kI8 : DType::kU8, tensor.sizes(), Buffer::Own(std::move(bytes)));
  return wide.ok() ? *std::move(wide) : tensor;
}

std::string_view PrefixOf(WeightKind kind) {
  switch (kind) {
    case WeightKind::kParameter:
      return "p_";
    case WeightKind::kBuffer:
      return "b_";
    default:
      return "c_";
  }
}

}  // namespace

bool IsAttributeOfModules(std::string_view name) {
  return FindByKey(kAttributesOfModules, name) != nullptr;
}

std::string Weights::NewPath(std::string_view name) {
  const std::string wanted = ModulePath(name);
  std::string path = wanted;
  const auto is_free = [&] {
    if (paths_.contains(path) || modules_.contains(path)) return false;
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      if (paths_.contains(path.substr(0, dot))) return false;
    }
    return true;
  };
  for (std::int64_t i = 2; !is_free(); ++i) {
    path = wanted + "_" + std::to_string(i);
    // A weight that stands where this one wants a module.
    if (i > static_cast<std::int64_t>(paths_.size()) + 2) {
      path = wanted;
      std::ranges::replace(path, '.', '_');
      path += "_" + std::to_string(i);
    }
  }
  paths_.insert(path);
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
    modules_.insert(path.substr(0, dot));
  return path;
}

const Weight& Weights::Add(WeightKind kind, std::string_view name, const dragoman::Tensor& tensor,
                           NameScope& names) {
  Weight weight;
  weight.kind = kind;
  weight.tensor = WithBytes(tensor);
  weight.path = NewPath(name);
  weight.term.name = names.Unique(Identifier(std::string(PrefixOf(kind)) + weight.path));
  weight.term.dtype = weight.tensor.dtype();
  for (std::int64_t size : weight.tensor.sizes()) weight.term.shape.emplace_back(size);
  weights_.push_back(std::move(weight));
  return weights_.back();
}

Json InputSpecOf(const Weight& weight) {
  Json spec = {{"arg", {{"name", weight.term.name}}}};
  switch (weight.kind) {
    case WeightKind::kParameter:
      spec["parameter_name"] = weight.path;
      return {{"parameter", std::move(spec)}};
    case WeightKind::kBuffer:
      spec["buffer_name"] = weight.path;
      spec["persistent"] = true;
      return {{"buffer", std::move(spec)}};
    default:
      spec["tensor_constant_name"] = weight.path;
      return {{"tensor_constant", std::move(spec)}};
  }
}

Json PayloadOf(const Weight& weight, const std::string& record) {
  const bool is_parameter = weight.kind == WeightKind::kParameter;
  constexpr int kStridedLayout = 7;
  Json sizes = Json::array();
  Json strides = Json::array();
  std::int64_t stride = 1;
  const std::vector<std::int64_t>& all = weight.tensor.sizes();
  for (auto size = all.rbegin(); size != all.rend(); ++size) {
    sizes.insert(sizes.begin(), Json{{"as_int", *size}});
    strides.insert(strides.begin(), Json{{"as_int", stride}});
    stride *= std::max<std::int64_t>(*size, 1);
  }
  Json meta = {{"dtype", NumberOfDType(weight.tensor.dtype()).value_or(0)},
               {"sizes", std::move(sizes)},
               {"requires_grad", is_parameter},
               {"device", DeviceJson()},
               {"strides", std::move(strides)},
               {"storage_offset", {{"as_int", 0}}},
               {"layout", kStridedLayout}};
  return {{"path_name", record},
          {"is_param", is_parameter},
          {"use_pickle", false},
          {"tensor_meta", std::move(meta)}};
}

}  // namespace dragoman::pt2
