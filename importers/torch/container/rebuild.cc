// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace dragoman::torch {
namespace {

constexpr std::string_view kClassRoot = "__torch__";
constexpr std::string_view kStorageSuffix = "Storage";

struct Invocation {
  StoredHeap& heap;
  std::span<const Stored> arguments;
};

Error WrongArguments(std::string_view what) {
  return InvalidInput(fmt::format("found other arguments than {}", what));
}

template <class T>
const T* Get(const Stored& value) {
  const auto* found = std::get_if<const T*>(&value);
  return found == nullptr ? nullptr : *found;
}

const std::string* GetText(const Stored& value) {
  const auto* found = std::get_if<StoredString>(&value);
  return found == nullptr ? nullptr : *found;
}

std::optional<TorchDType> StorageType(std::string_view name) {
  if (!name.ends_with(kStorageSuffix)) return std::nullopt;
  name.remove_suffix(kStorageSuffix.size());
  for (const TorchDTypeInfo& info : AllTorchDTypes()) {
    if (info.storage == name) return info.dtype;
  }
  return std::nullopt;
}

std::optional<std::size_t> StorageBytes(TorchDType dtype, std::int64_t count) {
  std::size_t bits = 0;
  const auto each = static_cast<std::size_t>(Info(dtype).bits);
  if (__builtin_mul_overflow(each, static_cast<std::size_t>(count), &bits)) return std::nullopt;
  return bits / 8 + (bits % 8 == 0 ? 0 : 1);
}

Result<std::vector<std::int64_t>> Ints(const Stored& value) {
  const auto* tuple = Get<StoredTuple>(value);
  if (tuple == nullptr) return WrongArguments("a tuple of sizes or strides");
  std::vector<std::int64_t> ints;
  for (const Stored& item : tuple->items) {
    const auto* number = std::get_if<std::int64_t>(&item);
    if (number == nullptr || *number < 0) return WrongArguments("sizes or strides of 0 and more");
    ints.push_back(*number);
  }
  return ints;
}

// (storage, offset, sizes, strides, …)
Result<StoredTensor> StridedTensor(std::span<const Stored> arguments) {
  const auto* storage = Get<StoredStorage>(arguments[0]);
  const auto* offset = std::get_if<std::int64_t>(&arguments[1]);
  if (storage == nullptr || offset == nullptr || *offset < 0) {
    return WrongArguments("a storage and an offset");
  }
  StoredTensor tensor = {.storage = storage, .dtype = storage->dtype, .offset = *offset};
  DRAGOMAN_ASSIGN(tensor.sizes, Ints(arguments[2]));
  DRAGOMAN_ASSIGN(tensor.strides, Ints(arguments[3]));
  if (tensor.sizes.size() != tensor.strides.size()) {
    return InvalidInput(fmt::format("a tensor has {} sizes and {} strides", tensor.sizes.size(),
                                    tensor.strides.size()));
  }
  DRAGOMAN_TRY(CheckReach(tensor));
  return tensor;
}

bool IsTrue(const Stored& value) {
  const bool* flag = std::get_if<bool>(&value);
  return flag != nullptr && *flag;
}

// (storage, offset, sizes, strides, requires_grad, hooks[, {"conj": bool, "neg": bool}])
Result<Stored> RebuildTensor(const Invocation& call) {
  if (call.arguments.size() < 6) return WrongArguments("those of a tensor");
  DRAGOMAN_ASSIGN(StoredTensor tensor, StridedTensor(call.arguments));
  tensor.requires_grad = IsTrue(call.arguments[4]);
  if (call.arguments.size() > 6) {
    if (const auto* flags = Get<StoredDict>(call.arguments[6])) {
      const Stored* conjugated = flags->Find("conj");
      const Stored* negated = flags->Find("neg");
      tensor.conjugated = conjugated != nullptr && IsTrue(*conjugated);
      tensor.negated = negated != nullptr && IsTrue(*negated);
    }
  }
  return Stored(call.heap.Add(std::move(tensor)));
}

// (tensor, requires_grad, hooks)
Result<Stored> RebuildParameter(const Invocation& call) {
  const auto* tensor = call.arguments.empty() ? nullptr : Get<StoredTensor>(call.arguments[0]);
  if (tensor == nullptr) return WrongArguments("those of a parameter");
  return Stored(tensor);
}

Result<Quantization> PerTensor(std::span<const Stored> parts, const std::string& scheme) {
  const double* scale = parts.size() == 3 ? std::get_if<double>(&parts[1]) : nullptr;
  const auto* zero_point = scale == nullptr ? nullptr : std::get_if<std::int64_t>(&parts[2]);
  if (zero_point == nullptr) return WrongArguments("a scale and a zero point");
  return Quantization{.scale = *scale, .zero_point = *zero_point, .scheme = scheme};
}

Result<Quantization> PerChannel(std::span<const Stored> parts, const std::string& scheme,
                                const StoredTensor& tensor) {
  const auto* scales = parts.size() == 4 ? Get<StoredTensor>(parts[1]) : nullptr;
  const auto* zero_points = scales == nullptr ? nullptr : Get<StoredTensor>(parts[2]);
  const auto* axis = scales == nullptr ? nullptr : std::get_if<std::int64_t>(&parts[3]);
  if (zero_points == nullptr || axis == nullptr) {
    return WrongArguments("scales, zero points and an axis");
  }
  const bool in_range = *axis >= 0 && *axis < static_cast<std::int64_t>(tensor.sizes.size());
  const std::int64_t channels = in_range ? tensor.sizes[static_cast<std::size_t>(*axis)] : -1;
  const std::vector<std::int64_t> expected = {channels};
  if (scales->sizes != expected || zero_points->sizes != expected) {
    return InvalidInput(fmt::format(
        "a quantised tensor of {} channels has other numbers of scales or zero points", channels));
  }
  return Quantization{.per_channel = true,
                      .scales = scales,
                      .zero_points = zero_points,
                      .axis = *axis,
                      .scheme = scheme};
}

// (storage, offset, sizes, strides, (scheme, …), requires_grad, hooks)
Result<Stored> RebuildQuantized(const Invocation& call) {
  if (call.arguments.size() < 6) return WrongArguments("those of a quantised tensor");
  DRAGOMAN_ASSIGN(StoredTensor tensor, StridedTensor(call.arguments));
  const auto* parts = Get<StoredTuple>(call.arguments[4]);
  const auto* scheme =
      parts == nullptr || parts->items.empty() ? nullptr : Get<StoredGlobal>(parts->items[0]);
  if (scheme == nullptr || !Info(tensor.dtype).is_quantized) {
    return WrongArguments("a quantisation scheme and a storage of quantised elements");
  }
  if (scheme->name.starts_with("per_channel")) {
    DRAGOMAN_ASSIGN(tensor.quantization, PerChannel(parts->items, scheme->name, tensor));
  } else {
    DRAGOMAN_ASSIGN(tensor.quantization, PerTensor(parts->items, scheme->name));
  }
  tensor.requires_grad = IsTrue(call.arguments[5]);
  return Stored(call.heap.Add(std::move(tensor)));
}

// (1, sizes, requires_grad, indices, values, …) or (2, sizes, requires_grad, rows, columns, values,
// …)
Result<Stored> RebuildSparse(const Invocation& call) {
  const auto* layout =
      call.arguments.empty() ? nullptr : std::get_if<std::int64_t>(&call.arguments[0]);
  const bool is_coo = layout != nullptr && *layout == 1;
  const std::size_t parts = is_coo ? 2 : 3;
  if (layout == nullptr || (*layout != 1 && *layout != 2) || call.arguments.size() < 3 + parts) {
    return WrongArguments("those of a sparse tensor in COO or CSR form");
  }
  StoredTensor tensor = {.layout = is_coo ? TensorLayout::kCoo : TensorLayout::kCsr,
                         .requires_grad = IsTrue(call.arguments[2])};
  DRAGOMAN_ASSIGN(tensor.sizes, Ints(call.arguments[1]));
  for (std::size_t i = 0; i < parts; ++i) {
    tensor.parts.push_back(Get<StoredTensor>(call.arguments[3 + i]));
    if (tensor.parts.back() == nullptr) return WrongArguments("tensors as parts");
  }
  tensor.dtype = tensor.parts.back()->dtype;
  return Stored(call.heap.Add(std::move(tensor)));
}

Result<Stored> TagList(const Invocation& call, std::string_view tag) {
  const auto* list = call.arguments.size() == 1 ? Get<StoredList>(call.arguments[0]) : nullptr;
  if (list == nullptr) return WrongArguments("one list");
  call.heap.Mutable(list)->type_tag = tag;
  return Stored(list);
}

Result<Stored> BuildInts(const Invocation& call) { return TagList(call, "List[int]"); }
Result<Stored> BuildDoubles(const Invocation& call) { return TagList(call, "List[float]"); }
Result<Stored> BuildBools(const Invocation& call) { return TagList(call, "List[bool]"); }
Result<Stored> BuildTensors(const Invocation& call) { return TagList(call, "List[Tensor]"); }

// (container, "List[…]" or "Dict[…]")
Result<Stored> RestoreTypeTag(const Invocation& call) {
  const std::string* tag = call.arguments.size() == 2 ? GetText(call.arguments[1]) : nullptr;
  if (tag == nullptr) return WrongArguments("a container and the text of its type");
  if (const auto* list = Get<StoredList>(call.arguments[0])) {
    call.heap.Mutable(list)->type_tag = *tag;
  } else if (const auto* dict = Get<StoredDict>(call.arguments[0])) {
    call.heap.Mutable(dict)->type_tag = *tag;
  } else {
    return WrongArguments("a list or dict and the text of its type");
  }
  return call.arguments[0];
}

Result<Stored> MakeDevice(const Invocation& call) {
  const std::string* name = call.arguments.size() == 1 ? GetText(call.arguments[0]) : nullptr;
  if (name == nullptr) return WrongArguments("the name of a device");
  return Stored(call.heap.Add(StoredDevice{*name}));
}

Result<Stored> MakeComplex(const Invocation& call) {
  const bool two = call.arguments.size() == 2;
  const double* real = two ? std::get_if<double>(&call.arguments[0]) : nullptr;
  const double* imaginary = two ? std::get_if<double>(&call.arguments[1]) : nullptr;
  if (real == nullptr || imaginary == nullptr) return WrongArguments("two floats");
  return Stored(call.heap.Add(std::complex<double>(*real, *imaginary)));
}

Result<Stored> MakeOrderedDict(const Invocation& call) {
  if (!call.arguments.empty()) return WrongArguments("none");
  return Stored(call.heap.Add(StoredDict()));
}

struct Function {
  std::string_view module;
  std::string_view name;
  Result<Stored> (*call)(const Invocation&);
};

constexpr std::string_view kFromType = "_rebuild_from_type_v2";
constexpr std::array<Function, 14> kFunctions = {{
    {"builtins", "complex", MakeComplex},
    {"collections", "OrderedDict", MakeOrderedDict},
    {"torch", "device", MakeDevice},
    {"torch._utils", "_rebuild_parameter", RebuildParameter},
    {"torch._utils", "_rebuild_parameter_with_state", RebuildParameter},
    {"torch._utils", "_rebuild_qtensor", RebuildQuantized},
    {"torch._utils", "_rebuild_sparse_tensor", RebuildSparse},
    {"torch._utils", "_rebuild_tensor_v2", RebuildTensor},
    {"torch.jit._pickle", "build_boollist", BuildBools},
    {"torch.jit._pickle", "build_doublelist", BuildDoubles},
    {"torch.jit._pickle", "build_intlist", BuildInts},
    {"torch.jit._pickle", "build_tensorlist", BuildTensors},
    {"torch.jit._pickle", "restore_type_tag", RestoreTypeTag},
    {"torch._tensor", kFromType, nullptr},  // calls another of these
}};

constexpr std::array<std::string_view, 5> kSchemes = {
    "per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric",
    "per_tensor_affine", "per_tensor_symmetric"};

const Function* FindFunction(std::string_view module, std::string_view name) {
  const auto* found = std::find_if(
      kFunctions.begin(), kFunctions.end(),
      [&](const Function& function) { return function.module == module && function.name == name; });
  return found == kFunctions.end() ? nullptr : found;
}

bool IsClassModule(std::string_view module) {
  return module == kClassRoot ||
         (module.starts_with(kClassRoot) && module[kClassRoot.size()] == '.');
}

Result<Stored> MakeEnum(StoredHeap& heap, const StoredGlobal& type, const Stored& value) {
  const bool is_raw = std::holds_alternative<std::int64_t>(value) ||
                      std::holds_alternative<double>(value) ||
                      std::holds_alternative<StoredString>(value);
  if (!is_raw) return InvalidInput("the class " + QualifiedName(type) + " cannot be called");
  return Stored(heap.Add(StoredEnum{.class_name = QualifiedName(type), .value = value}));
}

}  // namespace

std::string QualifiedName(const StoredGlobal& global) { return global.module + "." + global.name; }

bool IsArchiveClass(const StoredGlobal& global) { return IsClassModule(global.module); }

bool IsKnownGlobal(std::string_view module, std::string_view name) {
  if (IsClassModule(module)) return true;
  if (FindFunction(module, name) != nullptr) return true;
  if (module != "torch") return false;
  return StorageType(name).has_value() ||
         std::find(kSchemes.begin(), kSchemes.end(), name) != kSchemes.end();
}

Result<Stored> Rebuilder::Storage(const Stored& id) {
  const auto* parts = Get<StoredTuple>(id);
  // Before torch 1.6 a sixth part follows, always None.
  const std::size_t count_of_parts = parts == nullptr ? 0 : parts->items.size();
  if (count_of_parts != 5 && !(count_of_parts == 6 && IsNone(parts->items[5]))) {
    return InvalidInput("a persistent id that names no storage");
  }
  const std::string* tag = GetText(parts->items[0]);
  const auto* type = Get<StoredGlobal>(parts->items[1]);
  const std::string* key = GetText(parts->items[2]);
  const std::string* device = GetText(parts->items[3]);
  const auto* count = std::get_if<std::int64_t>(&parts->items[4]);
  const std::optional<TorchDType> dtype =
      type == nullptr || type->module != "torch" ? std::nullopt : StorageType(type->name);
  if (tag == nullptr || *tag != "storage" || !dtype.has_value() || key == nullptr ||
      device == nullptr || count == nullptr || *count < 0) {
    return InvalidInput("a persistent id that names no storage");
  }
  return Load({.key = *key, .dtype = *dtype, .device = *device, .count = *count});
}

Result<Stored> Rebuilder::Load(StoredStorage storage) {
  const auto [first, last] =
      std::pair(storages_.lower_bound(storage.key), storages_.upper_bound(storage.key));
  for (auto it = first; it != last; ++it) {
    if (it->second->dtype != storage.dtype) continue;
    if (it->second->count == storage.count) return Stored(it->second);
    return InvalidInput(fmt::format("storage {} has {} and {} elements", storage.key,
                                    it->second->count, storage.count));
  }
  const std::optional<std::size_t> size = StorageBytes(storage.dtype, storage.count);
  if (!size.has_value()) return InvalidInput(fmt::format("storage {} is too large", storage.key));
  DRAGOMAN_ASSIGN(std::optional<Buffer> bytes, load_(storage.key, *size));
  storage.has_data = bytes.has_value();
  if (bytes.has_value()) storage.bytes = *std::move(bytes);
  StoredStorage* added = heap_->Add(std::move(storage));
  if (first != last) added->number = first->second->number;
  storages_.emplace(added->key, added);
  return Stored(added);
}

Result<Stored> Rebuilder::Call(const StoredGlobal& function, const Stored& arguments) {
  if (IsArchiveClass(function)) return MakeEnum(*heap_, function, arguments);
  const Function* known = FindFunction(function.module, function.name);
  const auto* tuple = Get<StoredTuple>(arguments);
  if (known == nullptr || tuple == nullptr) {
    return InvalidInput(fmt::format("{} cannot be called", QualifiedName(function)));
  }
  if (known->call != nullptr) return known->call({*heap_, tuple->items});
  // (function, type, arguments, state): a subclass of Tensor, of which the tensor is kept.
  const auto* inner = tuple->items.size() == 4 ? Get<StoredGlobal>(tuple->items[0]) : nullptr;
  const bool is_leaf = inner != nullptr && inner->name != kFromType && !IsArchiveClass(*inner);
  if (!is_leaf) return WrongArguments("a function, a type, arguments and a state");
  return Call(*inner, tuple->items[2]);
}

}  // namespace dragoman::torch
