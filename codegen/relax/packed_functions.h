// SPDX-License-Identifier: Apache-2.0
// Operators as functions on NumPy, for what operators of Relax cannot say: packed_functions.py.
#ifndef DRAGOMAN_CODEGEN_RELAX_PACKED_FUNCTIONS_H_
#define DRAGOMAN_CODEGEN_RELAX_PACKED_FUNCTIONS_H_

#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman::relax {

// The Python module.
std::string_view PackedFunctionText();
// Whether it has the operator of that name, of whatever domain: "TopK", "Svd".
bool HasPackedFunction(std::string_view type);
// It into STEM_packed.py.
Status WritePackedFunctions(const std::string& stem);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_PACKED_FUNCTIONS_H_
