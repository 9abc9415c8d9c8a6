// SPDX-License-Identifier: Apache-2.0
#include "core/ir/element_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/ir/half.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// A float of at most 8 bits. Codes above `largest` (without sign) are infinity or NaN.
struct SmallFloat {
  int bits;
  int mantissa_bits;
  int bias;
  std::uint32_t largest;   // code of the largest finite magnitude
  std::uint32_t infinity;  // its code, 0: there is none
  std::uint32_t nan;       // the code that is written "nan", 0: there is none
};

const SmallFloat* FindSmallFloat(DType dtype) {
  static constexpr SmallFloat kE4M3Fn = {8, 3, 7, 0x7e, 0, 0x7f};
  static constexpr SmallFloat kE4M3Fnuz = {8, 3, 8, 0x7f, 0, 0x80};
  static constexpr SmallFloat kE5M2 = {8, 2, 15, 0x7b, 0x7c, 0x7e};
  static constexpr SmallFloat kE5M2Fnuz = {8, 2, 16, 0x7f, 0, 0x80};
  static constexpr SmallFloat kE2M1 = {4, 1, 1, 0x7, 0, 0};
  switch (dtype) {
    case DType::kF8E4M3FN:
      return &kE4M3Fn;
    case DType::kF8E4M3FNUZ:
      return &kE4M3Fnuz;
    case DType::kF8E5M2:
      return &kE5M2;
    case DType::kF8E5M2FNUZ:
      return &kE5M2Fnuz;
    case DType::kF4E2M1:
      return &kE2M1;
    default:
      return nullptr;
  }
}

float DecodeSmallFloat(const SmallFloat& f, std::uint32_t code) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const std::uint32_t sign_bit = 1u << (f.bits - 1);
  const bool negative = (code & sign_bit) != 0;
  const std::uint32_t rest = code & (sign_bit - 1);
  if (f.nan == sign_bit && code == sign_bit) return kNaN;
  float magnitude = std::numeric_limits<float>::infinity();
  if (rest > f.largest) {
    if (rest != f.infinity) return kNaN;
  } else {
    const int exponent = static_cast<int>(rest >> f.mantissa_bits);
    const std::uint32_t one = 1u << f.mantissa_bits;
    const std::uint32_t mantissa = (rest & (one - 1)) + (exponent > 0 ? one : 0);
    const int power = std::max(exponent, 1) - f.bias - f.mantissa_bits;
    magnitude = std::ldexp(static_cast<float>(mantissa), power);
  }
  return negative ? -magnitude : magnitude;
}

float DecodeE8M0(std::uint32_t code) {
  return code == 0xff ? std::numeric_limits<float>::quiet_NaN()
                      : std::ldexp(1.0f, static_cast<int>(code) - 127);
}

// A 16-bit or smaller float of any layout.
float Decode(DType dtype, std::uint32_t code) {
  if (dtype == DType::kF16) return HalfBitsToFloat(static_cast<std::uint16_t>(code));
  if (dtype == DType::kBF16) return BFloat16BitsToFloat(static_cast<std::uint16_t>(code));
  if (dtype == DType::kF8E8M0) return DecodeE8M0(code);
  return DecodeSmallFloat(*FindSmallFloat(dtype), code);
}

// The code that is written "nan".
std::optional<std::uint32_t> PlainNaN(DType dtype) {
  if (dtype == DType::kF16) return 0x7e00;
  if (dtype == DType::kBF16) return 0x7fc0;
  if (dtype == DType::kF8E8M0) return 0xff;
  const std::uint32_t code = FindSmallFloat(dtype)->nan;
  return code != 0 ? std::optional(code) : std::nullopt;
}

// The nearest code to a number; of two, the even one.
std::optional<std::uint32_t> EncodeBySearch(DType dtype, float value) {
  std::optional<std::uint32_t> best;
  double least = std::numeric_limits<double>::infinity();
  const std::uint32_t codes = 1u << Info(dtype).bits;
  for (std::uint32_t code = 0; code < codes; ++code) {
    const float candidate = Decode(dtype, code);
    if (std::signbit(candidate) != std::signbit(value)) continue;
    if (candidate == value) return code;
    const double distance = std::abs(static_cast<double>(candidate) - value);
    if (distance < least || (distance == least && code % 2 == 0)) {
      if (!std::isfinite(distance)) continue;
      least = distance;
      best = code;
    }
  }
  return best;
}

std::optional<std::uint32_t> Encode(DType dtype, float value) {
  if (std::isnan(value)) return PlainNaN(dtype);
  if (dtype == DType::kF16) return FloatToHalfBits(value);
  if (dtype == DType::kBF16) return FloatToBFloat16Bits(value);
  return EncodeBySearch(dtype, value);
}

// The fewest digits that round to the same code; exact if that takes no more.
std::string FormatSmall(DType dtype, std::uint32_t code) {
  const float value = Decode(dtype, code);
  if (std::isnan(value)) {
    if (code == PlainNaN(dtype)) return "nan";
    char digits[8];
    const auto end = std::to_chars(digits, digits + sizeof digits, code, 16).ptr;
    return "nan:0x" + std::string(digits, end);
  }
  std::string exact = FormatFloat(value);
  for (int precision = 1; precision < 9 && std::isfinite(value); ++precision) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                   std::chars_format::scientific, precision - 1)
                         .ptr;
    const std::optional<float> rounded = ParseFloat({digits, end});
    if (!rounded || Encode(dtype, *rounded) != code) continue;
    std::string shortest = FormatFloat(*rounded);
    return exact.size() <= shortest.size() ? exact : shortest;
  }
  return exact;
}

std::optional<std::uint32_t> ParseSmall(DType dtype, std::string_view text) {
  constexpr std::string_view kBits = "nan:0x";
  if (text.starts_with(kBits)) {
    std::uint32_t code = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + kBits.size(), end, code, 16);
    const bool fits =
        parsed.ec == std::errc() && parsed.ptr == end && code >> Info(dtype).bits == 0;
    return fits && std::isnan(Decode(dtype, code)) ? std::optional(code) : std::nullopt;
  }
  const std::optional<float> value = ParseFloat(text);
  return value ? Encode(dtype, *value) : std::nullopt;
}

// Element `i` of a type of at most 16 bits, in the low bits.
std::uint32_t CodeAt(const Tensor& tensor, std::int64_t i) {
  const int bits = Info(tensor.dtype()).bits;
  const auto n = static_cast<std::size_t>(i);
  if (bits == 16) return tensor.data<std::uint16_t>()[n];
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  const auto byte = std::to_integer<std::uint32_t>(tensor.bytes()[n / per_byte]);
  return byte >> (n % per_byte * static_cast<std::size_t>(bits)) & ((1u << bits) - 1);
}

template <class T>
T ReadAt(std::span<const std::byte> bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
  return value;
}

}  // namespace

std::string FormatElement(const Tensor& tensor, std::int64_t i) {
  const std::span<const std::byte> bytes = tensor.bytes();
  switch (tensor.dtype()) {
    case DType::kString:
      return Quote(tensor.strings()[static_cast<std::size_t>(i)]);
    case DType::kBool:
      return CodeAt(tensor, i) != 0 ? "true" : "false";
    case DType::kF32:
      return FormatFloat(ReadAt<float>(bytes, i));
    case DType::kF64:
      return FormatDouble(ReadAt<double>(bytes, i));
    case DType::kU64:
      return std::to_string(ReadAt<std::uint64_t>(bytes, i));
    case DType::kC64:
      return "(" + FormatFloat(ReadAt<float>(bytes, 2 * i)) + ", " +
             FormatFloat(ReadAt<float>(bytes, 2 * i + 1)) + ")";
    case DType::kC128:
      return "(" + FormatDouble(ReadAt<double>(bytes, 2 * i)) + ", " +
             FormatDouble(ReadAt<double>(bytes, 2 * i + 1)) + ")";
    default:
      break;
  }
  if (IsFloating(tensor.dtype())) return FormatSmall(tensor.dtype(), CodeAt(tensor, i));
  return std::to_string(tensor.IntAt(i));
}

bool ElementsDetermineBytes(const Tensor& tensor) {
  const int bits = Info(tensor.dtype()).bits;
  if (bits == 0 || bits >= 8 || tensor.bytes().empty()) return true;
  const auto last = static_cast<int>(tensor.size() % (8 / bits)) * bits;
  return last == 0 || std::to_integer<int>(tensor.bytes().back()) >> last == 0;
}

bool ElementBuffer::Append(std::string_view text) {
  switch (dtype_) {
    case DType::kUnknown:
      return false;
    case DType::kString: {
      Result<std::string> string = Unquote(text);
      if (!string.ok()) return false;
      strings_.push_back(std::move(*string));
      return true;
    }
    case DType::kBool:
      if (text != "true" && text != "false") return false;
      AppendBits(text == "true" ? 1 : 0);
      return true;
    case DType::kF32: {
      const std::optional<float> value = ParseFloat(text);
      if (value) AppendBits(std::bit_cast<std::uint32_t>(*value));
      return value.has_value();
    }
    case DType::kF64: {
      const std::optional<double> value = ParseDouble(text);
      if (value) AppendBits(std::bit_cast<std::uint64_t>(*value));
      return value.has_value();
    }
    case DType::kC64:
    case DType::kC128:
      return AppendComplex(text);
    default:
      break;
  }
  if (!IsFloating(dtype_)) return AppendInt(text);
  const std::optional<std::uint32_t> code = ParseSmall(dtype_, text);
  if (code) AppendBits(*code);
  return code.has_value();
}

bool ElementBuffer::AppendInt(std::string_view text) {
  const DTypeInfo& info = Info(dtype_);
  if (!info.is_signed) {
    const std::optional<std::uint64_t> value = ParseUint64(text);
    if (!value || (info.bits < 64 && *value >> info.bits != 0)) return false;
    AppendBits(*value);
    return true;
  }
  const std::optional<std::int64_t> value = ParseInt64(text);
  if (!value) return false;
  const std::int64_t half = info.bits < 64 ? std::int64_t{1} << (info.bits - 1) : 0;
  if (half != 0 && (*value < -half || *value >= half)) return false;
  AppendBits(static_cast<std::uint64_t>(*value));
  return true;
}

bool ElementBuffer::AppendComplex(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (text.size() < 2 || text.front() != '(' || text.back() != ')' || comma == text.npos)
    return false;
  auto trim = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  ElementBuffer parts(dtype_ == DType::kC64 ? DType::kF32 : DType::kF64);
  const bool parsed = parts.Append(trim(text.substr(1, comma - 1))) &&
                      parts.Append(trim(text.substr(comma + 1, text.size() - comma - 2)));
  bytes_ += parts.bytes_;
  return parsed;
}

void ElementBuffer::AppendBits(std::uint64_t bits) {
  const auto width = static_cast<std::size_t>(Info(dtype_).bits);
  if (width >= 8) {
    bytes_.append(reinterpret_cast<const char*>(&bits), width / 8);
    return;
  }
  const std::size_t per_byte = 8 / width;
  const std::size_t slot = count_++ % per_byte;
  if (slot == 0) bytes_ += '\0';
  const std::uint64_t code = bits & ((1u << width) - 1);
  bytes_.back() =
      static_cast<char>(static_cast<unsigned char>(bytes_.back()) | code << (slot * width));
}

Result<Tensor> ElementBuffer::Finish(std::vector<std::int64_t> sizes) {
  if (dtype_ == DType::kString) return Tensor::MakeStrings(std::move(sizes), std::move(strings_));
  return Tensor::Make(dtype_, std::move(sizes), Buffer::Own(std::move(bytes_)));
}

}  // namespace dragoman
