// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps from integers or strings to numbers or strings, as classifiers of ai.onnx.ml give them.
//
// A model has a map as two tensors, NAME.map_keys and NAME.map_values. Keys are distinct and
// ascend. Values are as many as keys: one map; or a row of as many for each: a list of maps that
// have the same keys.
//
//     rt::Tensor<std::int64_t> keys;  // of the output 'probabilities'
//     rt::Tensor<float> values;
//     model.run(x, label, keys, values);
//     const rt::MapList<std::int64_t, float> maps(keys.view(), values.view());
//     const float* score = maps[0].Find(2);  // of class 2, for the first example
#ifndef DRAGOMAN_RUNTIME_PROGRAM_MAP_H_
#define DRAGOMAN_RUNTIME_PROGRAM_MAP_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// A map that lies in memory of others.
template <class K, class V>
class Map {
 public:
  // `count` keys and values each.
  Map(const K* keys, const V* values, std::int64_t count)
      : keys_(keys), values_(values), count_(count) {}
  Map(TensorView<const K> keys, TensorView<const V> values)
      : Map(keys.data, values.data, keys.size()) {}

  std::int64_t size() const { return count_; }
  // Of entry `i`, by ascending keys.
  const K& key(std::int64_t i) const { return keys_[i]; }
  const V& value(std::int64_t i) const { return values_[i]; }
  // nullptr: the map has no such key.
  const V* Find(const K& key) const {
    const K* const end = keys_ + count_;
    const K* const at = std::lower_bound(keys_, end, key);
    return at != end && *at == key ? values_ + (at - keys_) : nullptr;
  }

 private:
  const K* keys_;
  const V* values_;
  std::int64_t count_;
};

// Maps with the same keys.
template <class K, class V>
class MapList {
 public:
  // `keys` (entries), `values` (maps, entries).
  MapList(TensorView<const K> keys, TensorView<const V> values) : keys_(keys), values_(values) {}

  std::int64_t size() const { return values_.shape[0]; }
  Map<K, V> operator[](std::int64_t i) const {
    return {keys_.data, values_.data + i * keys_.size(), keys_.size()};
  }

 private:
  TensorView<const K> keys_;
  TensorView<const V> values_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_MAP_H_
