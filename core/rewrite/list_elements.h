// SPDX-License-Identifier: Apache-2.0
// Lists whose elements are at hand: single values that were put into them, or taken out, one by
// one.
#ifndef DRAGOMAN_CORE_REWRITE_LIST_ELEMENTS_H_
#define DRAGOMAN_CORE_REWRITE_LIST_ELEMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

struct KnownList {
  const Value* list = nullptr;
  std::vector<Value*> elements;
};

// The elements of `list` in order; nullopt if a place where one is put in or taken out is not
// known, or the list begins as anything but SequenceEmpty, SequenceConstruct or `begin`.
std::optional<std::vector<Value*>> ElementsOf(const Value& list, const PassContext& context,
                                              const KnownList& begin = {});

// Element `at` of a list, counted from its end if negative; nullptr if it is not known, or many
// nodes lie between.
Value* ElementAt(const Value& list, std::int64_t at, const PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LIST_ELEMENTS_H_
