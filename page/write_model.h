// SPDX-License-Identifier: Apache-2.0
// A model as the scripts of a page read it.
#ifndef DRAGOMAN_PAGE_WRITE_MODEL_H_
#define DRAGOMAN_PAGE_WRITE_MODEL_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "page/json_text.h"
#include "page/write_page.h"

namespace dragoman::page {

// Numbers of the nodes and values of a model, in order of ForEachGraph.
class ModelNumbers {
 public:
  explicit ModelNumbers(const Model& model);
  std::int64_t Of(const Node* node) const;  // -1: of nullptr, or of another model
  std::int64_t Of(const Value* value) const;
  std::span<const Node* const> nodes() const { return nodes_; }
  std::span<const Value* const> values() const { return values_; }

 private:
  std::vector<const Node*> nodes_;
  std::vector<const Value*> values_;
  std::unordered_map<const void*, std::int64_t> numbers_;
};

// An object:
//   name, level, dialect, opsets, states
//   roots    [name, is function, group]…
//   groups   [title, nodes, width, height, items, links]…, in which
//     items  kind, title, note, x, y, width, height, inner, node, value, …
//     links  from, to, value, values, number of points, x, y, …, …
//   values   name, type, node, weight, …
//   nodes    [operator, name, operands, results, attributes, origins, multiply-adds]…
//   weights  [type, bytes, text] or [type, bytes, "", looked at, zeros, not finite, least, most,
//            mean, deviation, bins…]…
//   heats    [title, unit, node, number, node, number, …]…
// Texts are numbers of `texts`, -1 stands for nothing.
void WriteModel(const Shown& shown, const ModelNumbers& numbers, const PageOptions& options,
                TextTable& texts, JsonText& json);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WRITE_MODEL_H_
