// SPDX-License-Identifier: Apache-2.0
// The name that a user probably meant.
#ifndef DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_
#define DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>

namespace dragoman {

// " (did you mean 'Softmax'?)" for "Softmaxx": the first of the candidates with the fewest
// insertions, deletions, substitutions and exchanges of neighbours (optimal string alignment,
// letters of either case equal), if at most a third of the letters are affected. Else empty.
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);

// What to say of `name` where none of the candidates is called so: DidYouMean, and what there is,
// of many the first ones: "; its inputs are 'x', 'y'", where `they_are` is "its inputs are".
std::string WhatThereIs(std::string_view name, std::string_view they_are,
                        std::span<const std::string> candidates);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_
