// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a tensor is what a recorded run says.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_EXPECT_H_
#define DRAGOMAN_RUNTIME_PROGRAM_EXPECT_H_

#include <string>

#include "runtime/program/any_tensor.h"

namespace dragoman::rt {

struct Verdict {
  bool equal = false;
  double largest = 0;   // the largest difference of two elements, as closeness.h measures it
  std::string message;  // "largest difference 1.2e-06 at element 3"
};

// Equal element types and sizes, and elements that are close by the limits that closeness.h calls
// usual. With `rms` floats are equal if the root mean square of their differences is at most `rms`
// times that of what is expected.
Verdict Compare(const AnyTensor& found, const AnyTensor& expected, double rms = 0);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_EXPECT_H_
