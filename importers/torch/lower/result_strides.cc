// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/result_strides.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

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

// What the source states of `result`, a tensor of `sizes`.
std::optional<std::vector<Dim>> StatedSteps(const Value* result, const Shape& sizes) {
  const Extra* extra = result != nullptr ? result->extra_if_any() : nullptr;
  const Attribute* stated = extra != nullptr ? Find(*extra, kStatedSteps) : nullptr;
  const auto* steps = stated != nullptr ? stated->As<std::vector<std::int64_t>>() : nullptr;
  if (steps == nullptr || steps->size() != sizes.size()) return std::nullopt;
  return std::vector<Dim>(steps->begin(), steps->end());
}

// Whether the elements of a new tensor lie in a row, whatever its operands' order is.
bool IsLine(const Shape& sizes) {
  return std::ranges::count_if(sizes, [](const Dim& size) { return size != Dim(1); }) <= 1;
}

// Where the elements of a new tensor of `type` lie that an operator gives as `result`.
Strides StridesOfNew(const Type& type, const Value* result, ResultOrder order) {
  const Shape* sizes = type.shape();
  if (sizes == nullptr) return Strides::Unknown();
  if (order == ResultOrder::kByOperands && IsLine(*sizes)) return {};
  std::optional<std::vector<Dim>> steps = StatedSteps(result, *sizes);
  return steps ? MakeStrides(*std::move(steps), *sizes) : Strides::Unknown();
}

}  // namespace

Status SetResultStrides(Call& call, ResultOrder order, std::uint64_t last_cell,
                        const Results& results) {
  if (order == ResultOrder::kStated) return {};
  if (order == ResultOrder::kByOperands) {
    DRAGOMAN_ASSIGN(const bool row_major, StartsRowMajor(call));
    if (row_major) return {};
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value* result =
        results.size() == call.node().num_results() ? call.node().result(i) : nullptr;
    DRAGOMAN_TRY(ForTensors(std::span(&results[i], 1), [&](const TensorRef& tensor) -> Status {
      if (tensor.storage->number <= last_cell || tensor.path != nullptr) return {};
      const auto* contents = std::get_if<StorageContents>(&tensor.storage->contents);
      const Type type = contents->value != nullptr ? contents->value->type() : Type();
      tensor.storage->strides = StridesOfNew(type, result, order);
      return {};
    }));
  }
  return {};
}

}  // namespace dragoman::torch
