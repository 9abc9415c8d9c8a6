// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of TriangularSolve.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TRIANGULAR_SOLVE_H_
#define DRAGOMAN_RUNTIME_PARAMS_TRIANGULAR_SOLVE_H_

namespace dragoman::rt {

// upper: the half from the diagonal up counts. unit: the diagonal does not count, and is one.
struct TriangularSolveParams {
  bool upper = false;
  bool unit = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("upper", self.upper);
    f("unit", self.unit);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TRIANGULAR_SOLVE_H_
