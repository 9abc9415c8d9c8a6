// SPDX-License-Identifier: Apache-2.0
// Values that are a Concat of few parts, as the states of all layers in one tensor are.
#ifndef DRAGOMAN_CORE_REWRITE_JOINED_PARTS_H_
#define DRAGOMAN_CORE_REWRITE_JOINED_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

struct JoinedParts {
  const Node* concat = nullptr;
  int axis = 0;
  std::vector<std::int64_t> begins;  // of the parts along `axis`, and the end

  std::size_t size() const { return begins.size() - 1; }
  std::int64_t size(std::size_t part) const { return begins[part + 1] - begins[part]; }
};

// nullopt: `value` is not a Concat, of more parts than a value that is still looked at in parts, or
// of parts of unknown sizes.
std::optional<JoinedParts> ReadJoined(const Value& value);

// Elements `begin` to `end` of `value` along `axis`, by a Slice ahead of `node`.
Result<Value*> InsertSlice(Value* value, std::int64_t begin, std::int64_t end, int axis, Node& node,
                           PassContext& context);

// `axis` of `value`, from the front; as it is if the rank is not known.
int FromFront(std::int64_t axis, const Value& value);
// Attribute `axis` (by default 0) of `node`, from the front of `value`.
int AxisIn(const Node& node, const Value& value);

// Whether the sizes in front of the matrices of a product are those of one operand.
bool HasLeadingSizesOf(const Value& operand, const Value& product);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_JOINED_PARTS_H_
