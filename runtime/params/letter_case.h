// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of LetterCase.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LETTER_CASE_H_
#define DRAGOMAN_RUNTIME_PARAMS_LETTER_CASE_H_

namespace dragoman::rt {

struct LetterCaseParams {
  bool upper = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("upper", self.upper);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LETTER_CASE_H_
