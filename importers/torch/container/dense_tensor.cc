// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/support/size_budget.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {
namespace {

// Copies `bytes` at a time, walking the sizes with an odometer.
void CopyStrided(const StoredTensor& tensor, std::size_t bytes, std::string* out) {
  const std::byte* source = tensor.storage->bytes.bytes().data();
  std::vector<std::int64_t> index(tensor.sizes.size());
  std::int64_t at = tensor.offset;
  for (std::size_t done = 0; done < out->size(); done += bytes) {
    std::memcpy(out->data() + done, source + static_cast<std::size_t>(at) * bytes, bytes);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      at += tensor.strides[axis];
      if (++index[axis] < tensor.sizes[axis]) break;
      at -= tensor.strides[axis] * tensor.sizes[axis];
      index[axis] = 0;
    }
  }
}

void FlipSigns(std::size_t word, std::size_t first, std::size_t step, std::string* bytes) {
  for (std::size_t i = first * word; i < bytes->size(); i += step * word) {
    (*bytes)[i + word - 1] = static_cast<char>((*bytes)[i + word - 1] ^ 0x80);
  }
}

Result<Buffer> Elements(const StoredTensor& tensor, std::size_t bytes, std::size_t total) {
  const Buffer& stored = tensor.storage->bytes;
  const bool plain = !tensor.conjugated && !tensor.negated;
  if (plain && IsRowMajor(tensor)) {
    const std::size_t start = static_cast<std::size_t>(tensor.offset) * bytes;
    return Buffer::Window(stored.bytes().subspan(total == 0 ? 0 : start, total),
                          std::make_shared<Buffer>(stored));
  }
  if (total > std::max(kMaxExpandedBytes, kMaxExpansion * stored.size())) {
    return Unsupported(
        fmt::format("a tensor of {} bytes on a storage of {} bytes", total, stored.size()));
  }
  DRAGOMAN_TRY(TakeExpanded(stored.size(), total));
  std::string copy(total, '\0');
  if (total != 0) CopyStrided(tensor, bytes, &copy);
  const bool complex = tensor.dtype == TorchDType::kC64 || tensor.dtype == TorchDType::kC128;
  const std::size_t word = complex ? bytes / 2 : bytes;
  if (tensor.negated) FlipSigns(word, 0, 1, &copy);
  if (tensor.conjugated && complex) FlipSigns(word, 1, 2, &copy);
  return Buffer::Own(std::move(copy));
}

}  // namespace

bool IsRowMajor(const StoredTensor& tensor) {
  std::int64_t expected = 1;
  for (std::size_t i = tensor.sizes.size(); i-- > 0;) {
    if (tensor.sizes[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    expected *= tensor.sizes[i];
  }
  return true;
}

Status CheckReach(const StoredTensor& tensor) {
  if (std::count(tensor.sizes.begin(), tensor.sizes.end(), 0) > 0) return {};
  std::int64_t last = tensor.offset;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.sizes[i] - 1, tensor.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return InvalidInput("the strides of a tensor overflow");
    }
  }
  if (last < tensor.storage->count) return {};
  return InvalidInput(fmt::format("a tensor reaches element {} of storage {}, which has {}", last,
                                  tensor.storage->key, tensor.storage->count));
}

Result<Tensor> DenseTensor(const StoredTensor& tensor) {
  const TorchDTypeInfo& info = Info(tensor.dtype);
  if (tensor.layout != TensorLayout::kStrided) return Unsupported("a sparse tensor");
  if (info.element == DType::kUnknown || info.bits % 8 != 0) {
    return Unsupported(fmt::format("a tensor of element type {}", info.name));
  }
  if (!tensor.storage->has_data) return Unsupported("a tensor without its data");
  std::size_t total = static_cast<std::size_t>(info.bits / 8);
  for (std::int64_t size : tensor.sizes) {
    if (__builtin_mul_overflow(total, static_cast<std::size_t>(size), &total)) {
      return Unsupported("a tensor whose size overflows");
    }
  }
  DRAGOMAN_ASSIGN(Buffer elements,
                  Elements(tensor, static_cast<std::size_t>(info.bits / 8), total));
  return Tensor::Make(info.element, tensor.sizes, std::move(elements));
}

}  // namespace dragoman::torch
