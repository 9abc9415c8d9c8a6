#include "importers/torch/lower/result_strides.h"

#include <algorithm>

#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

// Calls `visit` for each tensor among `values` and in lists of them.
template <class Visit>
Status ForTensors(std::span<const Abstract> values, Visit visit) {
  for (const Abstract& value : values) {
    if (const auto* tensor = value.As<TensorRef>()) DRAGOMAN_TRY(visit(*tensor));
    const std::vector<Abstract>* items = ItemsOf(value);
    if (items != nullptr) DRAGOMAN_TRY(ForTensors(std::span<const Abstract>(*items), visit));
  }
  return {};
}

// Whether all operands lie row-major, and the call asks for nothing else.
Result<bool> StartsRowMajor(Call& call) {
  constexpr std::int64_t kPreserve = 1;
  if (call.Has("memory_format")) {
    DRAGOMAN_ASSIGN(const std::int64_t format, call.Int("memory_format"));
    if (format > kPreserve) return false;
  }
  bool all = true;
  DRAGOMAN_TRY(ForTensors(call.arguments(), [&](const TensorRef& tensor) -> Status {
    const Strides& strides = Heap::StridesOf(tensor);
    if (strides.row_major || !all) return {};
    DRAGOMAN_ASSIGN(const Value* value, call.heap().Read(call.builder(), tensor));
    all = IsRowMajor(strides, value->type().shape()) == Truth::kYes;
    return {};
  }));
  return all;
}

}  // namespace

Status SetResultStrides(Call& call, ResultOrder order, std::uint64_t last_cell,
                        const Results& results) {
  if (order == ResultOrder::kStated) return {};
  if (order == ResultOrder::kByOperands) {
    DRAGOMAN_ASSIGN(const bool row_major, StartsRowMajor(call));
    if (row_major) return {};
  }
  return ForTensors(results, [&](const TensorRef& tensor) -> Status {
    if (tensor.storage->number <= last_cell || tensor.path != nullptr) return {};
    const auto* contents = std::get_if<StorageContents>(&tensor.storage->contents);
    const Type type = contents->value != nullptr ? contents->value->type() : Type();
    const bool is_line = type.rank() && *type.rank() <= 1;
    if (is_line && order == ResultOrder::kByOperands) return {};
    tensor.storage->strides = Strides::Unknown();
    return {};
  });
}

}  // namespace dragoman::torch
