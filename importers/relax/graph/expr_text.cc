// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/expr_text.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/ir/element_text.h"
#include "core/support/text.h"

namespace dragoman::tvmscript {
namespace {

using python::Expr;
using Kind = Expr::Kind;

constexpr int kAtom = 20;
constexpr int kUnary = 11;

int Precedence(const Expr& expr) {
  if (expr.kind == Kind::kConditional) return 0;
  if (expr.kind == Kind::kUnary) return expr.text == "not" ? 3 : kUnary;
  if (expr.kind != Kind::kBinary) return kAtom;
  const std::string& op = expr.text;
  if (op == "or") return 1;
  if (op == "and") return 2;
  if (op == "|") return 5;
  if (op == "^") return 6;
  if (op == "&") return 7;
  if (op == "<<" || op == ">>") return 8;
  if (op == "+" || op == "-") return 9;
  if (op == "*" || op == "/" || op == "//" || op == "%" || op == "@") return 10;
  return op == "**" ? 12 : 4;
}

std::string Wrapped(const Expr& expr, int least) {
  const std::string text = ExprText(expr);
  return Precedence(expr) < least ? "(" + text + ")" : text;
}

std::string FloatText(double value) {
  if (std::isnan(value)) return "float(\"nan\")";
  if (std::isinf(value)) return value < 0 ? "-float(\"inf\")" : "float(\"inf\")";
  return FormatDouble(value);
}

std::string Joined(const std::vector<Expr>& parts, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < parts.size(); ++i)
    text += (i > first ? ", " : "") + ExprText(parts[i]);
  return text;
}

std::string CallText(const Expr& expr) {
  std::string text = Wrapped(expr.parts.front(), kAtom) + "(";
  const std::size_t positional = expr.parts.size() - expr.keywords.size();
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    if (i > 1) text += ", ";
    if (i >= positional) text += expr.keywords[i - positional] + "=";
    text += ExprText(expr.parts[i]);
  }
  return text + ")";
}

std::string DictText(const Expr& expr) {
  std::string text = "{";
  for (std::size_t i = 0; i + 1 < expr.parts.size(); i += 2)
    text += fmt::format("{}{}: {}", i > 0 ? ", " : "", ExprText(expr.parts[i]),
                        ExprText(expr.parts[i + 1]));
  return text + "}";
}

std::string SliceText(const Expr& expr) {
  std::string text = ExprText(expr.parts[0]) + ":" + ExprText(expr.parts[1]);
  return expr.parts[2].kind == Kind::kMissing ? text : text + ":" + ExprText(expr.parts[2]);
}

}  // namespace

std::string ExprText(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kName:
      return expr.text;
    case Kind::kInt:
      return std::to_string(static_cast<std::uint64_t>(expr.int_value));
    case Kind::kFloat:
      return FloatText(expr.float_value);
    case Kind::kImaginary:
      return FormatDouble(expr.float_value) + "j";
    case Kind::kString:
      return Quote(expr.text);
    case Kind::kNone:
      return "None";
    case Kind::kTrue:
      return "True";
    case Kind::kFalse:
      return "False";
    case Kind::kAttribute:
      return Wrapped(expr.parts[0], kAtom) + "." + expr.text;
    case Kind::kCall:
      return CallText(expr);
    case Kind::kSubscript:
      return Wrapped(expr.parts[0], kAtom) + "[" + ExprText(expr.parts[1]) + "]";
    case Kind::kSlice:
      return SliceText(expr);
    case Kind::kTuple:
      return "(" + Joined(expr.parts) + (expr.parts.size() == 1 ? ",)" : ")");
    case Kind::kList:
      return "[" + Joined(expr.parts) + "]";
    case Kind::kDict:
      return DictText(expr);
    case Kind::kUnary:
      return expr.text + (expr.text == "not" ? " " : "") + Wrapped(expr.parts[0], Precedence(expr));
    case Kind::kBinary: {
      const bool is_power = expr.text == "**";  // groups from the right
      const int level = Precedence(expr);
      return fmt::format("{} {} {}", Wrapped(expr.parts[0], is_power ? level + 1 : level),
                         expr.text, Wrapped(expr.parts[1], is_power ? kUnary : level + 1));
    }
    case Kind::kConditional:
      return fmt::format("{} if {} else {}", Wrapped(expr.parts[1], 1), Wrapped(expr.parts[0], 1),
                         ExprText(expr.parts[2]));
    case Kind::kMissing:
      return "";
  }
  return "";
}

std::string DottedName(const Expr& expr) {
  std::vector<const Expr*> names;
  const Expr* base = &expr;
  for (; base->kind == Kind::kAttribute; base = &base->parts.front()) names.push_back(base);
  if (base->kind != Kind::kName) return "";
  std::string text = base->text;
  for (auto name = names.rbegin(); name != names.rend(); ++name) text += "." + (*name)->text;
  return text;
}

namespace {

// Of whole numbers nullopt where the result is none, or too large.
std::optional<std::int64_t> Calculated(const std::string& op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "+" && !__builtin_add_overflow(a, b, &result)) return result;
  if (op == "-" && !__builtin_sub_overflow(a, b, &result)) return result;
  if (op == "*" && !__builtin_mul_overflow(a, b, &result)) return result;
  if (op == "<<" && a >= 0 && b >= 0 && b < 62 && a <= (std::int64_t{1} << (62 - b))) return a << b;
  if (op == "**" && b >= 0 && b < 64) {
    result = 1;
    for (std::int64_t i = 0; i < b; ++i) {
      if (__builtin_mul_overflow(result, a, &result)) return std::nullopt;
    }
    return result;
  }
  if ((op != "//" && op != "%") || b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
  const std::int64_t rest = a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b;
  return op == "%" ? rest : (a - rest) / b;
}

std::optional<double> Calculated(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" && b != 0) return a / b;
  if (op == "**") return std::pow(a, b);
  return std::nullopt;
}

// A literal, or its negation. 2^63 stands in `int_value` by its bits (lexer.h): it has no value
// without the sign.
std::optional<std::int64_t> SignedInt(const Expr& literal, bool negated) {
  const auto number = static_cast<std::uint64_t>(literal.int_value);
  if (number > std::uint64_t{INT64_MAX} + (negated ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negated ? -number : number);
}

// A whole number that the expression calculates.
std::optional<std::int64_t> WholeNumberOf(const Expr& expr) {
  if (expr.kind == Kind::kInt) return SignedInt(expr, false);
  if (expr.kind == Kind::kUnary && expr.text == "-") {
    if (expr.parts.front().kind == Kind::kInt) return SignedInt(expr.parts.front(), true);
    const std::optional<std::int64_t> number = WholeNumberOf(expr.parts.front());
    return number ? Calculated("-", 0, *number) : std::nullopt;
  }
  if (expr.kind != Kind::kBinary || expr.parts.size() != 2) return std::nullopt;
  const std::optional<std::int64_t> a = WholeNumberOf(expr.parts[0]);
  const std::optional<std::int64_t> b = a ? WholeNumberOf(expr.parts[1]) : std::nullopt;
  return b ? Calculated(expr.text, *a, *b) : std::nullopt;
}

}  // namespace

std::optional<double> NumberOf(const Expr& expr) {
  if (expr.kind == Kind::kBinary && expr.parts.size() == 2) {
    if (const auto whole = WholeNumberOf(expr)) return static_cast<double>(*whole);
    const std::optional<double> a = NumberOf(expr.parts[0]);
    const std::optional<double> b = a ? NumberOf(expr.parts[1]) : std::nullopt;
    return b ? Calculated(expr.text, *a, *b) : std::nullopt;
  }
  if (expr.kind == Kind::kInt)
    return static_cast<double>(static_cast<std::uint64_t>(expr.int_value));
  if (expr.kind == Kind::kFloat) return expr.float_value;
  if (expr.kind == Kind::kTrue) return 1;
  if (expr.kind == Kind::kFalse) return 0;
  if (expr.kind == Kind::kUnary && expr.text == "-") {
    const std::optional<double> number = NumberOf(expr.parts.front());
    return number ? std::optional(-*number) : std::nullopt;
  }
  const Expr* text = expr.kind == Kind::kString ? &expr : nullptr;
  if (expr.kind == Kind::kCall && expr.parts.size() == 2 && expr.parts[0].IsName("float"))
    text = &expr.parts[1];
  if (text == nullptr || text->kind != Kind::kString) return std::nullopt;
  if (text->text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text->text == "inf") return std::numeric_limits<double>::infinity();
  if (text->text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

namespace {

Attribute ListOf(std::vector<AttributeValue>& items, bool& plain) {
  Attribute::List list;
  Attribute::Ints ints;
  Attribute::Strings strings;
  for (AttributeValue& item : items) {
    plain = plain && item.plain;
    if (const auto* number = item.value.As<std::int64_t>()) ints.push_back(*number);
    if (const auto* text = item.value.As<std::string>()) strings.push_back(*text);
    list.push_back(std::move(item.value));
  }
  if (!list.empty() && ints.size() == list.size()) return ints;
  if (!list.empty() && strings.size() == list.size()) return strings;
  return list;
}

AttributeValue DictOf(const Expr& expr) {
  Attribute::Dict dict;
  bool plain = true;
  for (std::size_t i = 0; i + 1 < expr.parts.size(); i += 2) {
    if (expr.parts[i].kind != Kind::kString) return {Symbol{ExprText(expr)}, true};
    AttributeValue item = AttributeOf(expr.parts[i + 1]);
    plain = plain && item.plain;
    dict.emplace_back(expr.parts[i].text, std::move(item.value));
  }
  return {std::move(dict), plain};
}

}  // namespace

AttributeValue AttributeOf(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kInt:
      if (const auto number = SignedInt(expr, false)) return {*number};
      break;
    case Kind::kFloat:
      return {expr.float_value};
    case Kind::kTrue:
      return {true};
    case Kind::kFalse:
      return {false};
    case Kind::kString:
      return {expr.text};
    case Kind::kNone:
      return {};
    case Kind::kDict:
      return DictOf(expr);
    case Kind::kList:
    case Kind::kTuple: {
      std::vector<AttributeValue> items;
      for (const Expr& part : expr.parts) items.push_back(AttributeOf(part));
      bool plain = expr.kind == Kind::kList;
      Attribute list = ListOf(items, plain);
      return {std::move(list), plain};
    }
    default:
      break;
  }
  if (expr.kind == Kind::kUnary && expr.text == "-") {
    const bool is_int = expr.parts[0].kind == Kind::kInt;
    const auto whole = is_int ? SignedInt(expr.parts[0], true) : std::nullopt;
    if (whole) return {*whole};
    const std::optional<double> number = is_int ? std::nullopt : NumberOf(expr);
    if (number) return {*number};
  }
  if (expr.kind == Kind::kCall) {
    if (const std::optional<double> number = NumberOf(expr)) return {*number};
  }
  if (IsAnnotation(expr)) {
    Annotation annotation = AnnotationOf(expr);
    return {std::move(annotation.type), annotation.plain};
  }
  return {Symbol{ExprText(expr)}, true};
}

namespace {

// Elements of nested lists, row by row.
class ConstantReader {
 public:
  bool Read(const Expr& expr, std::size_t axis) {
    if (expr.kind != Kind::kList && expr.kind != Kind::kTuple) {
      if (closed_ && axis != sizes_.size()) return false;
      closed_ = true;
      elements_.push_back(&expr);
      return true;
    }
    const auto size = static_cast<std::int64_t>(expr.parts.size());
    if (axis == sizes_.size()) {
      if (closed_) return false;
      sizes_.push_back(size);
    } else if (sizes_[axis] != size) {
      return false;
    }
    for (const Expr& part : expr.parts) {
      if (!Read(part, axis + 1)) return false;
    }
    if (expr.parts.empty()) closed_ = true;
    return true;
  }

  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  const std::vector<const Expr*>& elements() const { return elements_; }

 private:
  std::vector<std::int64_t> sizes_;
  std::vector<const Expr*> elements_;
  bool closed_ = false;  // all axes are known
};

DType DefaultType(const std::vector<const Expr*>& elements) {
  bool all_bools = !elements.empty();
  bool all_ints = !elements.empty();
  for (const Expr* element : elements) {
    const bool is_bool = element->kind == Kind::kTrue || element->kind == Kind::kFalse;
    all_bools = all_bools && is_bool;
    all_ints = all_ints && (element->kind == Kind::kInt || WholeNumberOf(*element));
  }
  if (all_bools) return DType::kBool;
  return all_ints ? DType::kI32 : DType::kF32;
}

std::optional<std::string> ElementText(const Expr& element, DType dtype) {
  const std::optional<double> number = NumberOf(element);
  if (!number) return std::nullopt;
  if (dtype == DType::kBool) return *number != 0 ? "true" : "false";
  if (!IsInteger(dtype)) return std::isnan(*number) ? "nan" : FormatDouble(*number);
  if (element.kind == Kind::kInt)
    return std::to_string(static_cast<std::uint64_t>(element.int_value));
  if (const auto whole = WholeNumberOf(element)) return std::to_string(*whole);
  const Attribute value = AttributeOf(element).value;
  if (const auto* integer = value.As<std::int64_t>()) return std::to_string(*integer);
  if (std::trunc(*number) != *number || std::abs(*number) > 1e15) return std::nullopt;
  return std::to_string(static_cast<std::int64_t>(*number));
}

}  // namespace

std::optional<Tensor> ConstantOf(const Expr& value, std::optional<DType> dtype) {
  ConstantReader reader;
  if (!reader.Read(value, 0)) return std::nullopt;
  const DType type = dtype.value_or(DefaultType(reader.elements()));
  ElementBuffer elements(type);
  for (const Expr* element : reader.elements()) {
    const std::optional<std::string> text = ElementText(*element, type);
    if (!text || !elements.Append(*text)) return std::nullopt;
  }
  Result<Tensor> tensor = elements.Finish(reader.sizes());
  return tensor.ok() ? std::optional(*tensor) : std::nullopt;
}

}  // namespace dragoman::tvmscript
