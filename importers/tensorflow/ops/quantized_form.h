// SPDX-License-Identifier: Apache-2.0
// Integers that stand for numbers between two ends.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_FORM_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_FORM_H_

#include <cstdint>
#include <string_view>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

struct Quantized {
  Value* stored = nullptr;
  Value* min = nullptr;  // float32, rank 0
  Value* max = nullptr;
};

// The integers of a type.
struct Integers {
  double least = 0;
  double most = 255;

  double steps() const { return most - least; }
  bool is_signed() const { return least < 0; }
};

// Fails for types that stand for no numbers.
Integers TakeIntegers(Call& c, DType type);

// The integers that attribute `name`, an element type, says are stored.
DType StoredTypeAttribute(Call& c, std::string_view name);

// How many steps 1 is, float32, if `integer` is to stand for the end of a range: the most that
// there are if both differ in sign or one is 0.
Value* StepsPerUnit(Call& c, double integer, Value* end);

// run_time_ranges.cc: what quantization.cc does where the ends are known.
// Between operands 1 and 2, or the least and the most element; of each slice of `axis` (-1: all).
Value* QuantizeAndDequantizeAtRunTime(Call& c, const Integers& integers, std::int64_t axis,
                                      bool half_up);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_FORM_H_
