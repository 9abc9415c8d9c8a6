// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of Eigen.
#ifndef DRAGOMAN_RUNTIME_PARAMS_EIGEN_H_
#define DRAGOMAN_RUNTIME_PARAMS_EIGEN_H_

namespace dragoman::rt {

// complex: elements of the matrices are pairs, of a real and an imaginary part, along a last axis.
struct EigenParams {
  bool complex = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("complex", self.complex);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_EIGEN_H_
