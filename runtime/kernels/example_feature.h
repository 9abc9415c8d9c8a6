// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ExampleFeature: one feature of records of type tensorflow.Example, which are messages of Protocol
// Buffers:
//
//     Example   { Features features = 1; }
//     Features  { map<string, Feature> feature = 1; }        an entry: key = 1, value = 2
//     Feature   { BytesList = 1; FloatList = 2; Int64List = 3; }
//     …List     { repeated … value = 1; }                    of numbers: packed or not
#ifndef DRAGOMAN_RUNTIME_KERNELS_EXAMPLE_FEATURE_H_
#define DRAGOMAN_RUNTIME_KERNELS_EXAMPLE_FEATURE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// One field of a message at a time.
class MessageFields {
 public:
  enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  explicit MessageFields(std::string_view message) : rest_(message) {}

  // False at the end, and at what is not a field: then failed().
  bool Next() {
    std::uint64_t tag = 0;
    if (rest_.empty() || !TakeVarint(&tag)) return false;
    number = tag >> 3;
    type = static_cast<WireType>(tag & 7);
    bytes = {};
    std::uint64_t size = 0;
    if (type == kVarint) return TakeVarint(&varint);
    if (type == kBytes) return TakeVarint(&size) && TakeBytes(size);
    if (type == kFixed32) return TakeBytes(4);
    if (type == kFixed64) return TakeBytes(8);
    failed_ = true;
    return false;
  }
  bool failed() const { return failed_; }
  bool TakeVarint(std::uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      *value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    failed_ = true;
    return false;
  }
  bool done() const { return rest_.empty(); }

  std::uint64_t number = 0;
  WireType type = kVarint;
  std::uint64_t varint = 0;
  std::string_view bytes;  // of all other types

 private:
  bool TakeBytes(std::uint64_t size) {
    failed_ = size > rest_.size();
    if (failed_) return false;
    bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Calls f with each field `number` that is a message or text. False: the message is damaged.
template <class F>
bool ForEachPart(std::string_view message, std::uint64_t number, F f) {
  MessageFields fields(message);
  while (fields.Next()) {
    if (fields.number == number && fields.type == MessageFields::kBytes && !f(fields.bytes))
      return false;
  }
  return !fields.failed();
}

// The last feature `key` of a record, which is the one that counts. False: the record is damaged.
inline bool FindFeature(std::string_view record, std::string_view key, std::string_view* feature,
                        bool* found) {
  *found = false;
  return ForEachPart(record, 1, [&](std::string_view features) {
    return ForEachPart(features, 1, [&](std::string_view entry) {
      std::string_view name;
      std::string_view value;
      MessageFields fields(entry);
      while (fields.Next()) {
        if (fields.type != MessageFields::kBytes) continue;
        if (fields.number == 1) name = fields.bytes;
        if (fields.number == 2) value = fields.bytes;
      }
      if (name == key) {
        *feature = value;
        *found = true;
      }
      return !fields.failed();
    });
  });
}

inline float FloatOfBytes(std::string_view bytes) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i)
    bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])) << (8 * i);
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Calls f with each element of a list. False: it is damaged.
template <class T, class F>
bool ForEachOfList(std::string_view list, F f) {
  using Field = MessageFields;
  Field fields(list);
  while (fields.Next()) {
    if (fields.number != 1) continue;
    if constexpr (std::is_same_v<T, std::string>) {
      if (fields.type != Field::kBytes) return false;
      f(T(fields.bytes));
    } else if constexpr (std::is_same_v<T, float>) {
      const bool packed = fields.type == Field::kBytes;
      if (fields.bytes.size() % 4 != 0 || (!packed && fields.type != Field::kFixed32)) return false;
      for (std::size_t i = 0; i < fields.bytes.size(); i += 4)
        f(FloatOfBytes(fields.bytes.substr(i)));
    } else if (fields.type == Field::kVarint) {
      f(static_cast<T>(fields.varint));
    } else {
      if (fields.type != Field::kBytes) return false;
      Field packed(fields.bytes);
      std::uint64_t value = 0;
      while (!packed.done()) {
        if (!packed.TakeVarint(&value)) return false;
        f(static_cast<T>(value));
      }
    }
  }
  return !fields.failed();
}

// How many elements a feature has; the record lacks it, or it has elements of no kind: kNoFeature.
inline constexpr std::int64_t kNoFeature = -1;

// Calls f with each element of feature `key` of a record, and gives their number.
template <class T, class F>
Status ReadFeature(const std::string& record, const std::string& key, std::int64_t* count, F f) {
  constexpr std::uint64_t kKind = std::is_same_v<T, std::string> ? 1
                                  : std::is_same_v<T, float>     ? 2
                                                                 : 3;
  *count = kNoFeature;
  std::string_view feature;
  bool found = false;
  if (!FindFeature(record, key, &feature, &found))
    return Status::Error("a text is not a tensorflow.Example");
  if (!found) return Status();
  MessageFields fields(feature);
  std::uint64_t kind = 0;
  std::string_view list;
  while (fields.Next()) {
    if (fields.number < 1 || fields.number > 3 || fields.type != MessageFields::kBytes) continue;
    kind = fields.number;
    list = fields.bytes;
  }
  if (fields.failed()) return Status::Error("a text is not a tensorflow.Example");
  if (kind == 0) return Status();
  if (kind != kKind) return Status::Error("a feature has elements of another type");
  *count = 0;
  const bool whole = ForEachOfList<T>(list, [&](T element) {
    f(std::move(element));
    ++*count;
  });
  return whole ? Status() : Status::Error("a text is not a tensorflow.Example");
}

}  // namespace internal

// How many elements the record with the most has. Errors: a record that is damaged, or whose
// feature is of another type.
template <class T>
Status ExampleFeatureMost(TensorView<const std::string> records, TensorView<const std::string> key,
                          std::int64_t* most) {
  *most = 0;
  const std::int64_t n = records.size();
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t count = 0;
    DRAGOMAN_RT_TRY(internal::ReadFeature<T>(records[i], key[0], &count, [](const T&) {}));
    *most = std::max(*most, count);
  }
  return Status();
}

// `values` has one axis more than `records`, along which the elements of each feature stand, and
// `filler` (of one element) after them; `counts` says how many there are, -1 where the record
// lacks the feature.
template <class T>
Status ExampleFeature(TensorView<const std::string> records, TensorView<const std::string> key,
                      TensorView<const T> filler, TensorView<T> values,
                      TensorView<std::int64_t> counts) {
  const std::int64_t n = records.size();
  const std::int64_t most = values.shape.back();
  for (std::int64_t i = 0; i < n; ++i) {
    T* const row = values.data + i * most;
    T* next = row;
    std::int64_t count = 0;
    DRAGOMAN_RT_TRY(internal::ReadFeature<T>(records[i], key[0], &count, [&](T element) {
      if (next < row + most) *next++ = std::move(element);
    }));
    if (counts.present()) counts[i] = count;
    std::fill(next, row + most, filler[0]);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_EXAMPLE_FEATURE_H_
