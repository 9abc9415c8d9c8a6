// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of NumberText.
#ifndef DRAGOMAN_RUNTIME_PARAMS_NUMBER_TEXT_H_
#define DRAGOMAN_RUNTIME_PARAMS_NUMBER_TEXT_H_

#include <cstdint>

namespace dragoman::rt {

// The conversions f, e and g of C's printf.
enum class NumberForm { kFixed, kScientific, kGeneral };

constexpr const char* Name(NumberForm form) {
  switch (form) {
    case NumberForm::kFixed:
      return "kFixed";
    case NumberForm::kScientific:
      return "kScientific";
    case NumberForm::kGeneral:
      return "kGeneral";
  }
  return "";
}

// The flags of printf; at most one of them.
enum class NumberFlag { kNone, kSpace, kPlus, kLeft, kZero };

constexpr const char* Name(NumberFlag flag) {
  switch (flag) {
    case NumberFlag::kNone:
      return "kNone";
    case NumberFlag::kSpace:
      return "kSpace";
    case NumberFlag::kPlus:
      return "kPlus";
    case NumberFlag::kLeft:
      return "kLeft";
    case NumberFlag::kZero:
      return "kZero";
  }
  return "";
}

// No double has more digits after the point.
inline constexpr std::int64_t kMostNumberPrecision = 1074;
inline constexpr std::int64_t kMostNumberWidth = 4096;

struct NumberTextParams {
  NumberForm form = NumberForm::kFixed;  // of floats
  NumberFlag flag = NumberFlag::kNone;
  std::int64_t precision = 6;  // of floats; 0 to kMostNumberPrecision
  std::int64_t width = 0;      // in characters, at least; 0 to kMostNumberWidth

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("form", self.form);
    f("flag", self.flag);
    f("precision", self.precision);
    f("width", self.width);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_NUMBER_TEXT_H_
