// SPDX-License-Identifier: Apache-2.0
// Strings, which are known: only what messages and keys need is followed through a program.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/support/find_by_key.h"
#include "core/support/size_budget.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\f\v";

Result<std::string> Text(const Call& call, std::size_t i) {
  const auto* string = i < call.arguments().size() ? call.arguments()[i].As<String>() : nullptr;
  if (string == nullptr || !string->known())
    return call.Unsupported("of a string known only at run time");
  return string->text();
}

// A text that is put together of others. Where one of them is known at run time only, it is of use
// to messages alone: a String without a value.
struct Composed {
  std::string text;
  bool known = true;

  void Add(const Result<std::string>& part) {
    if (part.ok()) text += *part;
    known = known && part.ok();
  }
  Result<Results> Done() {
    if (!known) return Results{String{static_cast<Value*>(nullptr)}};
    DRAGOMAN_TRY(TakeExpanded(0, text.size()));
    return Results{String{std::move(text)}};
  }
};

Result<std::int64_t> IntAt(const Call& call, std::size_t i, std::int64_t otherwise) {
  if (i >= call.arguments().size() || call.arguments()[i].Is<None>()) return otherwise;
  const auto* number = call.arguments()[i].As<Number>();
  if (number == nullptr || !number->known())
    return call.Unsupported("of a number known only at run time");
  return number->AsInt();
}

// Texts that are put together can double again and again.
Result<Results> One(std::string text) {
  DRAGOMAN_TRY(TakeExpanded(0, text.size()));
  return Results{String{std::move(text)}};
}

// repr(float) and str(float): the shortest digits that read back the same.
std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

Result<std::string> JoinTexts(const std::vector<Abstract>& items, const char* open,
                              const char* close) {
  std::string text = open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    DRAGOMAN_ASSIGN(std::string item, TextOf(items[i]));
    const bool quoted = items[i].Is<String>();
    text += std::string(i > 0 ? ", " : "") + (quoted ? "'" : "") + item + (quoted ? "'" : "");
  }
  return text + close;
}

std::vector<Abstract> ToStrings(const std::vector<std::string>& parts) {
  std::vector<Abstract> items;
  for (const std::string& part : parts) items.emplace_back(String{part});
  return items;
}

Result<Results> LowerConcat(Call& call) {
  Composed composed;
  for (const Abstract& argument : call.arguments()) {
    const auto* string = argument.As<String>();
    if (string == nullptr) return call.Unsupported("of " + Describe(argument));
    composed.Add(TextOf(argument));
  }
  return composed.Done();
}

Result<Results> LowerRepeat(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  DRAGOMAN_ASSIGN(const std::int64_t times, IntAt(call, 1, 0));
  std::uint64_t size = 0;
  if (times > 0 && __builtin_mul_overflow(text.size(), times, &size)) size = UINT64_MAX;
  DRAGOMAN_TRY(TakeExpanded(0, size));
  std::string repeated;
  for (std::int64_t i = 0; i < times && !text.empty(); ++i) repeated += text;
  return Results{String{std::move(repeated)}};
}

Result<Results> LowerLength(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  return Results{Number::Int(static_cast<std::int64_t>(text.size()))};
}

Result<Results> LowerCharacter(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  DRAGOMAN_ASSIGN(std::int64_t i, IntAt(call, 1, 0));
  const auto size = static_cast<std::int64_t>(text.size());
  if (i < 0) i += size;
  if (i < 0 || i >= size) return call.Invalid("index beyond the string");
  return One(std::string(1, text[static_cast<std::size_t>(i)]));
}

Result<Results> LowerSubstring(Call& call) {
  DRAGOMAN_ASSIGN(const std::string text, Text(call, 0));
  DRAGOMAN_ASSIGN(const std::vector<std::size_t> places, SlicePlaces(call, text.size()));
  std::string part;
  for (const std::size_t i : places) part += text[i];
  return One(std::move(part));
}

Result<Results> LowerComparison(Call& call) {
  DRAGOMAN_ASSIGN(std::string a, Text(call, 0));
  DRAGOMAN_ASSIGN(std::string b, Text(call, 1));
  const int order = a.compare(b);
  const std::string& type = call.op().type;
  const bool holds = type == "lt"   ? order < 0
                     : type == "le" ? order <= 0
                     : type == "gt" ? order > 0
                                    : order >= 0;
  return Results{Number::Bool(holds)};
}

Result<Results> LowerCase(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  const std::string& type = call.op().type;
  bool start = true;
  for (char& c : text) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool raise = type == "upper" || type == "swapcase" || (type != "lower" && start);
    if (lower && raise) c = static_cast<char>(c - 'a' + 'A');
    if (upper && type != "upper" && (type == "swapcase" || !raise))
      c = static_cast<char>(c - 'A' + 'a');
    start = type == "title" && !lower && !upper;
  }
  return One(std::move(text));
}

Result<Results> LowerStrip(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  std::string blanks(kBlanks);
  if (call.arguments().size() > 1 && !call.arguments()[1].Is<None>()) {
    DRAGOMAN_ASSIGN(blanks, Text(call, 1));
  }
  const std::string& type = call.op().type;
  if (type != "rstrip") text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  if (type != "lstrip") text.erase(text.find_last_not_of(blanks) + 1);
  return One(std::move(text));
}

Result<Results> LowerSplit(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  std::vector<std::string> parts;
  if (call.arguments().size() < 2 || call.arguments()[1].Is<None>()) {
    std::size_t begin = text.find_first_not_of(kBlanks);
    while (begin != std::string::npos) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
      parts.push_back(text.substr(begin, end - begin));
      begin = text.find_first_not_of(kBlanks, end);
    }
    return Results{call.NewList(ToStrings(parts))};
  }
  DRAGOMAN_ASSIGN(std::string separator, Text(call, 1));
  DRAGOMAN_ASSIGN(const std::int64_t most, IntAt(call, 2, -1));
  if (separator.empty()) return call.Invalid("an empty separator");
  std::size_t begin = 0;
  std::size_t found = text.find(separator);
  while (found != std::string::npos &&
         (most < 0 || static_cast<std::int64_t>(parts.size()) < most)) {
    parts.push_back(text.substr(begin, found - begin));
    begin = found + separator.size();
    found = text.find(separator, begin);
  }
  parts.push_back(text.substr(begin));
  return Results{call.NewList(ToStrings(parts))};
}

Result<Results> LowerJoin(Call& call) {
  DRAGOMAN_ASSIGN(std::string separator, Text(call, 0));
  const std::vector<Abstract>* items =
      call.arguments().size() > 1 ? ItemsOf(call.arguments()[1]) : nullptr;
  if (items == nullptr) return call.Unsupported("of a list whose length is known only at run time");
  std::string joined;
  for (std::size_t i = 0; i < items->size(); ++i) {
    DRAGOMAN_ASSIGN(std::string text, TextOf((*items)[i]));
    joined += (i > 0 ? separator : "") + text;
  }
  return One(std::move(joined));
}

Result<Results> LowerReplace(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  DRAGOMAN_ASSIGN(std::string from, Text(call, 1));
  DRAGOMAN_ASSIGN(std::string to, Text(call, 2));
  DRAGOMAN_ASSIGN(std::int64_t most, IntAt(call, 3, -1));
  std::size_t at = from.empty() ? std::string::npos : text.find(from);
  while (at != std::string::npos && most-- != 0) {
    text.replace(at, from.size(), to);
    at = text.find(from, at + to.size());
  }
  return One(std::move(text));
}

Result<Results> LowerFind(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  DRAGOMAN_ASSIGN(std::string part, Text(call, 1));
  const std::string& type = call.op().type;
  if (type == "startswith") return Results{Number::Bool(text.starts_with(part))};
  if (type == "endswith") return Results{Number::Bool(text.ends_with(part))};
  if (type == "__contains__") return Results{Number::Bool(text.find(part) != std::string::npos)};
  if (type == "count") {
    std::int64_t count = 0;
    std::size_t at = part.empty() ? std::string::npos : text.find(part);
    for (; at != std::string::npos; at = text.find(part, at + part.size())) ++count;
    return Results{Number::Int(count)};
  }
  const std::size_t at = type == "rfind" ? text.rfind(part) : text.find(part);
  return Results{Number::Int(at == std::string::npos ? -1 : static_cast<std::int64_t>(at))};
}

Result<Results> LowerIsKind(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  const std::string& type = call.op().type;
  const bool all = std::all_of(text.begin(), text.end(), [&](char c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (type == "isdigit" || type == "isdecimal" || type == "isnumeric") return digit;
    if (type == "isalpha") return letter;
    if (type == "isspace") return kBlanks.find(c) != std::string_view::npos;
    return digit || letter;
  });
  return Results{Number::Bool(all && !text.empty())};
}

Result<Results> LowerParse(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  text.erase(0, std::min(text.find_first_not_of(kBlanks), text.size()));
  text.erase(text.find_last_not_of(kBlanks) + 1);
  const char* end = text.data() + text.size();
  if (call.op().type == "Int") {
    std::int64_t value = 0;
    if (std::from_chars(text.data(), end, value).ptr != end || text.empty())
      return call.Invalid("'" + text + "' is not an int");
    return Results{Number::Int(value)};
  }
  double value = 0;
  if (std::from_chars(text.data(), end, value).ptr != end || text.empty())
    return call.Invalid("'" + text + "' is not a float");
  return Results{Number::Float(value)};
}

Result<Results> LowerOrd(Call& call) {
  DRAGOMAN_ASSIGN(std::string text, Text(call, 0));
  if (text.size() != 1) return call.Invalid("needs one character");
  return Results{Number::Int(static_cast<unsigned char>(text.front()))};
}

// "{}".format(...): each {} stands for the next argument.
Result<Results> LowerFormat(Call& call) {
  DRAGOMAN_ASSIGN(std::string format, Text(call, 0));
  Composed composed;
  std::size_t next = 1;
  std::size_t from = 0;
  for (std::size_t at = format.find("{}"); at != std::string::npos; at = format.find("{}", from)) {
    composed.text += format.substr(from, at - from);
    from = at + 2;
    if (next >= call.arguments().size()) return call.Invalid("has too few arguments");
    composed.Add(TextOf(call.arguments()[next++]));
  }
  composed.text += format.substr(from);
  return composed.Done();
}

// "%d" % x and "%d %s" % (x, y), of known values.
Result<Results> LowerPercentFormat(Call& call) {
  DRAGOMAN_ASSIGN(std::string format, Text(call, 0));
  const std::vector<Abstract> values = FormattedValues(call);
  Composed composed;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      composed.text += format[i];
      continue;
    }
    const char kind = format[++i];
    if (kind == '%') {
      composed.text += kind;
      continue;
    }
    if (next >= values.size()) return call.Invalid("has too few arguments");
    const Abstract& argument = values[next++];
    const auto* number = argument.As<Number>();
    if (kind == 'd' && number != nullptr && number->known()) {
      composed.text += std::to_string(number->AsInt());
    } else if (kind == 's') {
      composed.Add(TextOf(argument));
    } else {
      return call.Unsupported(std::string("of %") + kind);
    }
  }
  return composed.Done();
}

constexpr ScriptRow kRows[] = {
    {"aten.Float", LowerParse},       {"aten.Int", LowerParse},
    {"aten.__contains__", LowerFind}, {"aten.__getitem__", LowerCharacter},
    {"aten.add", LowerConcat},        {"aten.capitalize", LowerCase},
    {"aten.count", LowerFind},        {"aten.endswith", LowerFind},
    {"aten.find", LowerFind},         {"aten.format", LowerFormat},
    {"aten.ge", LowerComparison},     {"aten.gt", LowerComparison},
    {"aten.index", LowerFind},        {"aten.isalnum", LowerIsKind},
    {"aten.isalpha", LowerIsKind},    {"aten.isdecimal", LowerIsKind},
    {"aten.isdigit", LowerIsKind},    {"aten.isnumeric", LowerIsKind},
    {"aten.isspace", LowerIsKind},    {"aten.join", LowerJoin},
    {"aten.le", LowerComparison},     {"aten.len", LowerLength},
    {"aten.lower", LowerCase},        {"aten.lstrip", LowerStrip},
    {"aten.lt", LowerComparison},     {"aten.mul", LowerRepeat},
    {"aten.ord", LowerOrd},           {"aten.percentFormat", LowerPercentFormat},
    {"aten.replace", LowerReplace},   {"aten.rfind", LowerFind},
    {"aten.rstrip", LowerStrip},      {"aten.slice", LowerSubstring},
    {"aten.split", LowerSplit},       {"aten.startswith", LowerFind},
    {"aten.strip", LowerStrip},       {"aten.swapcase", LowerCase},
    {"aten.title", LowerCase},        {"aten.upper", LowerCase},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

Result<std::string> TextOf(const Abstract& value) {
  if (value.Is<None>()) return std::string("None");
  if (const auto* string = value.As<String>(); string != nullptr && string->known())
    return string->text();
  if (const auto* device = value.As<Device>()) return device->name;
  if (const auto* enumerator = value.As<Enumerator>()) return enumerator->name;
  if (const auto* tuple = value.As<Tuple>())
    return JoinTexts(*tuple->items, "(", tuple->items->size() == 1 ? ",)" : ")");
  if (const std::vector<Abstract>* items = ItemsOf(value)) return JoinTexts(*items, "[", "]");
  const auto* number = value.As<Number>();
  if (number == nullptr || !number->known())
    return Unsupported("the text of " + Describe(value) + " is only known at run time");
  switch (number->kind) {
    case Number::Kind::kBool:
      return std::string(number->AsInt() != 0 ? "True" : "False");
    case Number::Kind::kInt:
      return std::to_string(number->AsInt());
    case Number::Kind::kFloat:
      return FloatText(number->AsDouble());
    default:
      return fmt::format("({}{:+}j)", number->AsComplex().real(), number->AsComplex().imag());
  }
}

std::vector<Abstract> FormattedValues(const Call& call) {
  const auto given = call.arguments().subspan(std::min<std::size_t>(1, call.arguments().size()));
  const auto* tuple = given.size() == 1 ? given.front().As<Tuple>() : nullptr;
  if (tuple != nullptr && call.op().type == "percentFormat") return *tuple->items;
  return {given.begin(), given.end()};
}

std::span<const ScriptRow> StringRows() { return kRows; }

}  // namespace dragoman::torch
