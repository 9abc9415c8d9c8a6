// SPDX-License-Identifier: Apache-2.0
// The values that the pickles of an archive hold: what `data.pkl`, `constants.pkl` and
// `traced_inputs.pkl` say, before any class or type is known.
//
// A Stored is a small handle; what it points at lives in a StoredHeap and as long as that. Identity
// is the address: a list, dict, object or tensor that the file shares is one and the same here, and
// values may form cycles. Nothing that owns another value does so recursively.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_VALUE_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_VALUE_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"
#include "importers/torch/container/torch_dtype.h"

namespace dragoman::torch {

struct StoredDevice;
struct StoredTensor;
struct StoredList;
struct StoredTuple;
struct StoredDict;
struct StoredObject;
struct StoredEnum;
struct StoredStorage;
struct StoredGlobal;

using StoredString = const std::string*;
using StoredComplex = const std::complex<double>*;

// std::monostate is None. Pointers are never null. The last two stand for arguments of torch's own
// rebuilding functions and are not values of TorchScript.
using Stored = std::variant<std::monostate, bool, std::int64_t, double, StoredComplex, StoredString,
                            const StoredDevice*, const StoredTensor*, const StoredList*,
                            const StoredTuple*, const StoredDict*, const StoredObject*,
                            const StoredEnum*, const StoredStorage*, const StoredGlobal*>;

inline bool IsNone(const Stored& value) { return std::holds_alternative<std::monostate>(value); }
// "list", "object of __torch__.Net": for messages.
std::string Describe(const Stored& value);

struct StoredDevice {
  std::string name;  // "cpu", "cuda:0"
};

// Elements in file order. `type_tag` is the text after restore_type_tag, "List[int]", or what
// build_intlist and its like imply; empty if the file says nothing.
struct StoredList {
  std::vector<Stored> items;
  std::string type_tag;
};

struct StoredTuple {
  std::vector<Stored> items;
};

// Insertion order; a key that was set twice has its last value at its first place.
struct StoredDict {
  std::vector<std::pair<Stored, Stored>> items;
  std::string type_tag;  // "Dict[str, int]" or empty
  // The value of a string key, or nullptr.
  const Stored* Find(std::string_view key) const;
};

// An instance of a class of the archive, or of torch's own classes (`__torch__.torch.classes.…`).
struct StoredObject {
  std::string class_name;  // "__torch__.a.___torch_mangle_3.Net"
  // The operand of BUILD: a dict from attribute to value in slot order or, where the class defines
  // __getstate__ and __setstate__, the argument of __setstate__. nullopt: the file never gives one.
  std::optional<Stored> state;
  // The number of this object, from 0 in the order of the file.
  int number = 0;

  // The attributes if the state is a dict; else nullptr.
  const StoredDict* attributes() const;
};

struct StoredEnum {
  std::string class_name;
  Stored value;  // int, double or string
};

// The bytes that one or more tensors share.
struct StoredStorage {
  std::string key;  // record name after the folder of the pickle: "0"
  // From 0, in the order of the heap. Storages of equal number are the same memory, seen as
  // elements of different types.
  int number = 0;
  TorchDType dtype = TorchDType::kF32;
  std::string device;      // where it was when saved; read to main memory all the same
  std::int64_t count = 0;  // elements
  // A window on the file where the record is stored, else inflated. Empty though count > 0: traced
  // inputs, whose data are not kept.
  Buffer bytes;
  bool has_data = true;
};

// A class or function that a pickle names.
struct StoredGlobal {
  std::string module;
  std::string name;
};

// Of a quantised tensor: real = scale · (stored − zero_point).
struct Quantization {
  bool per_channel = false;
  double scale = 1;  // per tensor
  std::int64_t zero_point = 0;
  const StoredTensor* scales = nullptr;  // per channel, along `axis`
  const StoredTensor* zero_points = nullptr;
  std::int64_t axis = 0;
  std::string scheme;  // "per_tensor_affine", …
};

enum class TensorLayout : std::uint8_t { kStrided, kCoo, kCsr };

// Every reachable element lies in its storage: the reader has checked offset, sizes and strides.
// A sparse tensor has no storage but parts: indices and values (COO), or row starts, columns and
// values (CSR).
struct StoredTensor {
  const StoredStorage* storage = nullptr;
  TorchDType dtype = TorchDType::kF32;
  TensorLayout layout = TensorLayout::kStrided;
  bool requires_grad = false;
  bool conjugated = false;  // the elements are the conjugates of those stored
  bool negated = false;     // the elements are the negatives of those stored
  std::int64_t offset = 0;  // elements
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  // elements; empty for sparse ones
  std::optional<Quantization> quantization;
  std::vector<const StoredTensor*> parts;
};

// Errors: an element that offset, sizes and strides reach, none of them negative, lies beyond the
// storage.
Status CheckReach(const StoredTensor& tensor);

// Whether the elements of a strided tensor lie in order, without gaps.
bool IsRowMajor(const StoredTensor& tensor);

// A dense tensor may have so many times the bytes of its storage, which strides of zero or overlap
// make possible, or kMaxExpandedBytes.
inline constexpr std::size_t kMaxExpansion = 64;
inline constexpr std::size_t kMaxExpandedBytes = std::size_t{256} << 20;

// The elements, dense and row-major; of a quantised tensor the stored integers. A window on the
// file where they lie there like that. Errors: sparse; complex32; no data (traced inputs); beyond
// kMaxExpansion.
Result<Tensor> DenseTensor(const StoredTensor& tensor);

// Owns values. Movable; addresses stay.
class StoredHeap {
 public:
  StoredHeap();
  StoredHeap(StoredHeap&&) noexcept;
  StoredHeap& operator=(StoredHeap&&) noexcept;
  ~StoredHeap();

  // Takes `value` over; the reader may still change it through the pointer.
  template <class T>
  T* Add(T value);
  // For the reader, which fills containers after others already refer to them. `value` must be of
  // this heap.
  template <class T>
  T* Mutable(const T* value) {
    return const_cast<T*>(value);
  }

  // In the order of the file.
  template <class Visit>
  void ForEachTensor(Visit visit) const {
    for (const auto& tensor : std::get<Owned<StoredTensor>>(owned_)) visit(*tensor);
  }

 private:
  template <class T>
  using Owned = std::vector<std::unique_ptr<T>>;

  std::tuple<Owned<std::string>, Owned<std::complex<double>>, Owned<StoredDevice>,
             Owned<StoredTensor>, Owned<StoredStorage>, Owned<StoredList>, Owned<StoredTuple>,
             Owned<StoredDict>, Owned<StoredObject>, Owned<StoredEnum>, Owned<StoredGlobal>>
      owned_;
  int objects_ = 0;
};

template <class T>
T* StoredHeap::Add(T value) {
  auto& values = std::get<Owned<T>>(owned_);
  if constexpr (std::is_same_v<T, StoredObject>) value.number = objects_++;
  if constexpr (std::is_same_v<T, StoredStorage>) value.number = static_cast<int>(values.size());
  values.push_back(std::make_unique<T>(std::move(value)));
  return values.back().get();
}

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_VALUE_H_
