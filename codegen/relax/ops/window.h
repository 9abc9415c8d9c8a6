// SPDX-License-Identifier: Apache-2.0
// Sliding windows as Relax writes them: layouts and padding.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_WINDOW_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_WINDOW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/relax/relax_op.h"
#include "codegen/tvm/window_pads.h"

namespace dragoman::relax {

using tvm::OrFill;

// "NCHW" and "OIHW" ("IOHW" for a transposed convolution) of one to three spatial axes.
struct Layout {
  std::int64_t spatial;
  std::string data;
  std::string kernel;
};

// Errors: another number of spatial axes.
Result<Layout> LayoutOf(const RelaxOp& op, bool transposed = false);

// The pads, begin… then end… as ONNX and Relax both order them, automatic padding resolved. Errors:
// automatic padding of a size that only run time knows.
Result<std::vector<std::int64_t>> PadsOf(const RelaxOp& op, const Layout& layout,
                                         const std::vector<std::int64_t>& kernel);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_WINDOW_H_
