// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/relay_text.h"

#include <cmath>

#include <fmt/format.h>

#include "codegen/relay/nd_array.h"
#include "core/support/text.h"

namespace dragoman::relay::emit {
namespace {

// Digits, a point or an exponent, and the suffix that makes it a float. TVM reads a double and
// refuses one beyond the greatest float: of a great number the shortest digits may be beyond.
std::string FloatText(double value, std::string_view suffix) {
  if (std::isinf(value)) return value < 0 ? "-inff" : "inff";
  constexpr double kNearGreatest = 3.4e38;
  const bool exact = suffix == "f64" || std::abs(value) > kNearGreatest;
  std::string text = exact ? FormatDouble(value) : FormatFloat(static_cast<float>(value));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + std::string(suffix);
}

// Attributes are doubles, whatever their suffix says.
std::string RealText(double value) {
  if (std::isinf(value)) return value < 0 ? "-inff" : "inff";
  std::string text = FormatDouble(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + "f";
}

template <class Items, class Print>
std::optional<std::string> ListText(const Items& items, const Print& print) {
  std::string text;
  for (const auto& item : items) {
    const std::optional<std::string> one = print(item);
    if (!one) return std::nullopt;
    text += (text.empty() ? "" : ", ") + *one;
  }
  return "[" + text + "]";
}

std::string IntText(std::int64_t value) {
  const bool small = value >= INT32_MIN && value <= INT32_MAX;
  return std::to_string(value) + (small ? "" : "i64");
}

// TVM's parser knows no scalars of bfloat16 by its name alone.
std::string TensorText(const Type& type, const SizeText& size) {
  if (type.shape()->empty() && type.dtype() != DType::kBF16)
    return std::string(RelayDType(type.dtype()));
  std::string sizes;
  for (const Dim& dim : *type.shape()) {
    const std::string* symbol = dim.symbol();
    sizes += (sizes.empty() ? "" : ", ") + (dim.known()         ? std::to_string(dim.value())
                                            : symbol != nullptr ? size(*symbol)
                                                                : "?");
  }
  return fmt::format("Tensor[({}), {}]", sizes, RelayDType(type.dtype()));
}

}  // namespace

std::optional<std::string> TypeText(const Type& type, const SizeText& size) {
  if (type.kind() == Type::Kind::kOpaque) return type.opaque_name();
  if (type.is_tensor()) {
    if (type.shape() == nullptr) return std::nullopt;
    if (RelayDType(type.dtype()).empty() && type.dtype() != DType::kUnknown) return std::nullopt;
    if (type.shape()->empty() && type.dtype() == DType::kUnknown) return std::nullopt;
    return TensorText(type, size);
  }
  if (type.kind() != Type::Kind::kTuple) return std::nullopt;
  std::string elements;
  for (const Type& element : type.elements()) {
    const std::optional<std::string> text = TypeText(element, size);
    if (!text) return std::nullopt;
    elements += (elements.empty() ? "" : ", ") + *text;
  }
  return "(" + elements + (type.elements().size() == 1 ? ",)" : ")");
}

std::optional<std::string> ScalarText(const Tensor& tensor) {
  if (tensor.rank() != 0) return std::nullopt;
  switch (tensor.dtype()) {
    case DType::kBool:
      return tensor.IntAt(0) != 0 ? "True" : "False";
    case DType::kI32:
      return std::to_string(tensor.IntAt(0));
    case DType::kI64:  // TVM reads the sign after the digits, which must be an int64
      if (tensor.IntAt(0) == INT64_MIN) return std::nullopt;
      return std::to_string(tensor.IntAt(0)) + "i64";
    case DType::kI16:
      return std::to_string(tensor.IntAt(0)) + "i16";
    case DType::kF16:
    case DType::kF64: {
      const double value = tensor.FloatAt(0);
      if (!std::isfinite(value)) return std::nullopt;
      return FloatText(value, tensor.dtype() == DType::kF16 ? "f16" : "f64");
    }
    case DType::kF32: {
      const double value = tensor.FloatAt(0);
      if (std::isnan(value)) return std::nullopt;
      return FloatText(value, "f");
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::string> AttributeText(const Attribute& value) {
  if (value.kind() == Attribute::Kind::kNone) return "None";
  if (const auto* number = value.As<std::int64_t>()) return IntText(*number);
  if (const auto* real = value.As<double>()) return RealText(*real);
  if (const auto* real = value.As<float>()) return FloatText(*real, "f");
  if (const auto* flag = value.As<bool>()) return *flag ? "True" : "False";
  if (const auto* text = value.As<std::string>()) return Quote(*text);
  if (const auto* ints = value.As<Attribute::Ints>())
    return ListText(*ints, [](std::int64_t n) { return std::optional(IntText(n)); });
  if (const auto* reals = value.As<Attribute::Doubles>())
    return ListText(*reals, [](double n) { return std::optional(RealText(n)); });
  if (const auto* texts = value.As<Attribute::Strings>())
    return ListText(*texts, [](const std::string& text) { return std::optional(Quote(text)); });
  if (const auto* list = value.As<Attribute::List>()) return ListText(*list, AttributeText);
  return std::nullopt;
}

std::string LocalName(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    text += plain || c == '_' ? c : '_';
  }
  const bool begins = !text.empty() && (text.front() < '0' || text.front() > '9');
  return begins ? text : "v" + text;
}

std::string SpanText(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool breaks = c == '*' || c == '\n' || c == '\r' || static_cast<unsigned char>(c) < 0x20;
    text += breaks ? '_' : c;
  }
  return text;
}

}  // namespace dragoman::relay::emit
