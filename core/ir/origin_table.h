// SPDX-License-Identifier: Apache-2.0
// All Origins of a model, numbered, for writers.
#ifndef DRAGOMAN_CORE_IR_ORIGIN_TABLE_H_
#define DRAGOMAN_CORE_IR_ORIGIN_TABLE_H_

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"
#include "core/ir/origin.h"

namespace dragoman {

// Leaves come first, in the order of their sequence(), so that a reader who makes them in this
// order restores it; then the others, each after its parts, in the order in which the model refers
// to them.
class OriginTable {
 public:
  explicit OriginTable(const Model& model);

  std::span<const Origin* const> origins() const { return origins_; }
  // The number of an Origin of the model.
  std::size_t IndexOf(const Origin& origin) const { return indices_.at(&origin); }

 private:
  void Add(const OriginPtr& origin);

  std::vector<const Origin*> origins_;
  std::unordered_map<const Origin*, std::size_t> indices_;
};

// The Origin that `value` itself has, nullptr if it has none or shows that of its node.
const Origin* OwnOrigin(const Value& value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_ORIGIN_TABLE_H_
