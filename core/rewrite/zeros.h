// Whether a state starts at zero.
#ifndef DRAGOMAN_CORE_REWRITE_ZEROS_H_
#define DRAGOMAN_CORE_REWRITE_ZEROS_H_

#include "core/ir/graph.h"

namespace dragoman {

bool IsZeroTensor(const Tensor& tensor);
// Whether all elements are zero for sure.
bool IsZero(const Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_ZEROS_H_
