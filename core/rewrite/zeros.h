// SPDX-License-Identifier: Apache-2.0
// What is known to hold one number only, above all zeros.
#ifndef DRAGOMAN_CORE_REWRITE_ZEROS_H_
#define DRAGOMAN_CORE_REWRITE_ZEROS_H_

#include "core/ir/graph.h"

namespace dragoman {

// Whether all elements are `number`; so it is if there are none.
bool HasOnly(const Tensor& tensor, double number);
inline bool IsZeroTensor(const Tensor& tensor) { return HasOnly(tensor, 0); }
// Whether all elements are zero for sure.
bool IsZero(const Value* value);
// Whether -0 in the place of 0, or 0 of -0, may change more after `value` than the sign of zeros:
// 1 / x does.
bool MayReadSignOfZero(const Value& value);
// The number that a ConstantOfShape states; nullptr: something else, or none is stated, which is 0.
const Tensor* StatedFill(const Value* value);
// Whether it is one element for sure, which is not zero.
bool IsTrue(const Value* value);
// The value of one element, an integer, that all elements of `value` are; nullptr: there is none.
const Value* RepeatedIn(const Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_ZEROS_H_
