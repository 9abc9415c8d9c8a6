// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/line.h"

#include <charconv>
#include <cstdio>
#include <new>
#include <string_view>

#include "runtime/params/guarded.h"
#include "runtime/program/printable.h"

namespace dragoman::rt {
namespace {

constexpr std::size_t kDigits = 32;

// The shortest decimal, with a point or an exponent.
template <class T>
std::string_view RealText(T value, char (&digits)[kDigits]) {
  if (value != value) return "nan";
  char* end = std::to_chars(digits, digits + kDigits - 2, value).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  if (text.find_first_of(".einf") != std::string_view::npos) return text;
  *end++ = '.';
  *end++ = '0';
  return {digits, static_cast<std::size_t>(end - digits)};
}

}  // namespace

void Line::Start() noexcept {
  text_.clear();
  complete_ = true;
}

void Line::Add(const char* text) noexcept {
  DRAGOMAN_RT_GUARDED { text_ += text; }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { complete_ = false; }
}

void Line::AddElement(const std::string& value) noexcept {
  Add("\"");
  Add(value.c_str());
  Add("\"");
}

void Line::AddType(const char* dtype, const Shape& shape) noexcept {
  Add(dtype);
  for (int i = 0; i < shape.size(); ++i) {
    Add(i == 0 ? "[" : ", ");
    AddInt(shape[i]);
  }
  Add("]");
}

void Line::AddInt(std::int64_t value) noexcept {
  char digits[kDigits] = {};
  std::to_chars(digits, digits + kDigits - 1, value);
  Add(digits);
}

void Line::AddUnsigned(std::uint64_t value) noexcept {
  char digits[kDigits] = {};
  std::to_chars(digits, digits + kDigits - 1, value);
  Add(digits);
}

void Line::AddFloat(float value) noexcept {
  char digits[kDigits] = {};
  Add(RealText(value, digits).data());
}

void Line::AddDouble(double value) noexcept {
  char digits[kDigits] = {};
  Add(RealText(value, digits).data());
}

Status Line::Print() const noexcept {
  if (!complete_) return Status::Error("out of memory");
  DRAGOMAN_RT_GUARDED {
    std::fprintf(stderr, "%s\n", Printable(text_).c_str());
    return Status();
  }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
}

Status Line::Fail() const noexcept {
  return Status::Error(complete_ ? text_.c_str() : "out of memory");
}

}  // namespace dragoman::rt
