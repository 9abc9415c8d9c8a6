// SPDX-License-Identifier: Apache-2.0
// Sizes as C++ text over the program's names of symbols.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_TEXT_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_TEXT_H_

#include <string>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// As int64 arithmetic.
std::string SizeText(const Plan& plan, const Dim& dim);
// "{n, 64}".
std::string ShapeText(const Plan& plan, const Shape& shape);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_TEXT_H_
