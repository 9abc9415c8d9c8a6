// SPDX-License-Identifier: Apache-2.0
// Strings of which only run time knows one: operators on texts of the common dialect. What these
// cannot say is of use to messages alone: a String without a value.
#include <string>
#include <utility>

#include "core/lowering/number_value.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

Results Nameless() { return {String{static_cast<Value*>(nullptr)}}; }

Value* Constant(Composer& c, std::string text) {
  Result<dragoman::Tensor> tensor = dragoman::Tensor::MakeStrings({}, {std::move(text)});
  return c.failed() ? nullptr : c.builder().Constant(c.Take(std::move(tensor)));
}

bool IsNameless(const Abstract& value) {
  const auto* string = value.As<String>();
  return string != nullptr && !string->known() && std::get<Value*>(string->value) == nullptr;
}

// str(value) as a node; nullptr where no operator writes it, as the digits of floats.
Value* TextValue(Composer& c, Call& call, const Abstract& value) {
  if (const Result<std::string> text = TextOf(value); text.ok()) return Constant(c, *text);
  if (const auto* string = value.As<String>()) return std::get<Value*>(string->value);
  const auto* number = value.As<Number>();
  if (number == nullptr) return nullptr;
  if (number->kind == Number::Kind::kBool) {
    Value* holds = c.Take(call.NumberValue(*number, DType::kBool));
    return c.Where(holds, Constant(c, "True"), Constant(c, "False"));
  }
  if (number->kind != Number::Kind::kInt) return nullptr;
  return c.Cast(c.Take(call.NumberValue(*number, DType::kI64)), DType::kString);
}

Value* Argument(Composer& c, Call& call, std::size_t i) {
  const Abstract& value = torch::Argument(call, i);
  if (!value.Is<String>() || IsNameless(value))
    return c.Fail(call.Unsupported("of " + Describe(value)));
  return TextValue(c, call, value);
}

Result<std::string> KnownText(const Call& call, std::size_t i) {
  const auto* string = torch::Argument(call, i).As<String>();
  if (string == nullptr || !string->known())
    return call.Unsupported("of a string known only at run time, other than the first");
  return string->text();
}

Result<Results> Done(Composer& c, Value* text) {
  DRAGOMAN_ASSIGN(Value * value, c.Done(text));
  return Results{String{value}};
}

Result<Results> DoneNumber(Composer& c, Number::Kind kind, Value* number) {
  DRAGOMAN_ASSIGN(Value * value, c.Done(number));
  return Results{NumberFrom(c.builder(), kind, value)};
}

// A pattern that matches `text` alone, and a rewrite that gives it.
std::string Literal(const std::string& text) {
  std::string pattern;
  for (const char byte : text) {
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= 'A' && byte <= 'Z') || (byte & 0x80) != 0 || byte == '_';
    pattern += plain ? std::string(1, byte) : std::string("\\") + byte;
  }
  return pattern;
}

std::string LiteralRewrite(const std::string& text) {
  std::string rewrite;
  for (const char byte : text) rewrite += byte == '\\' ? std::string("\\\\") : std::string(1, byte);
  return rewrite;
}

Result<Results> Matches(Call& call, const std::string& pattern) {
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  Value* match = c.Op("dragoman.RegexFullMatch", {x, Constant(c, "(?s)" + pattern)});
  return DoneNumber(c, Number::Kind::kBool, match);
}

// The texts one after the other, `separator` between them.
Result<Results> Joined(Call& call, const std::vector<Abstract>& parts, Value* separator) {
  Composer c(call.builder());
  Value* joined = nullptr;
  for (const Abstract& part : parts) {
    Value* text = TextValue(c, call, part);
    if (text == nullptr && !c.failed()) return Nameless();
    if (joined != nullptr && separator != nullptr)
      joined = c.Op("StringConcat", {joined, separator});
    joined = joined == nullptr ? text : c.Op("StringConcat", {joined, text});
  }
  return Done(c, joined != nullptr ? joined : Constant(c, ""));
}

Result<Results> LowerConcat(Call& call) {
  return Joined(call, {call.arguments().begin(), call.arguments().end()}, nullptr);
}

// The texts of a list whose length is known only at run time.
Result<Results> JoinedItems(Composer& c, Value* sequence, Value* separator) {
  Value* texts = StackTexts(c, sequence);
  Value* ends = c.Concat({c.Ints({0}), c.Shape(texts)}, 0);
  Value* joined = c.Op("dragoman.JoinText", {texts, ends, separator});
  return Done(c, c.Select(joined, 0, 0));
}

Result<Results> LowerJoin(Call& call) {
  Composer c(call.builder());
  Value* separator = Argument(c, call, 0);
  const std::vector<Abstract>* items = ItemsOf(torch::Argument(call, 1));
  const auto* list = torch::Argument(call, 1).As<ListRef>();
  if (items == nullptr && list != nullptr)
    return JoinedItems(c, std::get<ListContents>(list->cell->contents).sequence, separator);
  if (items == nullptr) return call.Unsupported("of " + Describe(torch::Argument(call, 1)));
  DRAGOMAN_TRY(c.status());
  return Joined(call, *items, separator);
}

// "{}".format(...) and "%s" % ...: the constant pieces and the arguments between them.
Result<Results> LowerFormat(Call& call) {
  const Result<std::string> format = KnownText(call, 0);
  if (!format.ok()) return Nameless();
  const bool braces = call.op().type == "format";
  const std::vector<Abstract> values = FormattedValues(call);
  std::vector<Abstract> parts;
  std::string piece;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format->size(); ++i) {
    const std::string two = format->substr(i, 2);
    if (!braces && two == "%%") {
      piece += '%';
      ++i;
    } else if (two == "{}" ? braces : !braces && (two == "%s" || two == "%d")) {
      if (next >= values.size()) return call.Invalid("has too few arguments");
      parts.emplace_back(String{std::exchange(piece, "")});
      parts.push_back(values[next++]);
      ++i;
    } else if (!braces && two[0] == '%') {
      return Nameless();
    } else {
      piece += two[0];
    }
  }
  parts.emplace_back(String{piece});
  return Joined(call, parts, nullptr);
}

Result<Results> LowerEnd(Call& call) {
  DRAGOMAN_ASSIGN(const std::string part, KnownText(call, 1));
  if (call.op().type == "startswith") return Matches(call, Literal(part) + ".*");
  return Matches(call, ".*" + Literal(part));
}

Value* Replaced(Composer& c, Value* x, const std::string& pattern, const std::string& rewrite) {
  return c.Op("dragoman.RegexReplace", {x, Constant(c, pattern), Constant(c, rewrite)});
}

// A bound of a slice, counted from the front, within the text.
Value* Bound(Composer& c, Call& call, std::size_t i, Value* length, Value* otherwise) {
  const Abstract& given = torch::Argument(call, i);
  if (given.Is<None>()) return otherwise;
  const auto* number = given.As<Number>();
  if (number == nullptr) return c.Fail(call.Unsupported("of " + Describe(given)));
  Value* place = c.Take(call.NumberValue(*number, DType::kI64));
  place = c.Where(c.Less(place, 0), c.Add(place, length), place);
  return c.Min(c.Max(place, 0), length);
}

// find and rfind, within arguments 2 and 3: the length of what stands before the first, or the
// last.
Result<Results> LowerPlace(Call& call) {
  DRAGOMAN_ASSIGN(const std::string part, KnownText(call, 1));
  const auto* begin = torch::Argument(call, 2).As<Number>();
  const bool whole = begin == nullptr || (begin->known() && begin->AsInt() == 0);
  if (!whole) return call.Unsupported("from a place on in a string known only at run time");
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  const auto* end = torch::Argument(call, 3).As<Number>();
  if (end != nullptr && (!end->known() || end->AsInt() != -1)) {
    Value* length = c.Op("dragoman.TextLength", {x});
    x = c.Op("dragoman.Substring", {x, c.Int(0), Bound(c, call, 3, length, length)});
  }
  const std::string text = Literal(part);
  Value* found = c.Op("dragoman.RegexFullMatch", {x, Constant(c, "(?s).*" + text + ".*")});
  const bool last = call.op().type == "rfind";
  Value* before = last ? Replaced(c, x, "(?s)\\A(.*)" + text + ".*\\z", "\\1")
                       : Replaced(c, x, "(?s)" + text + ".*", "");
  Value* place = c.Op("dragoman.TextLength", {before});
  return DoneNumber(c, Number::Kind::kInt, c.Where(found, place, -1));
}

Result<Results> LowerIsKind(Call& call) {
  const std::string& type = call.op().type;
  if (type == "isalpha") return Matches(call, "[a-zA-Z]+");
  if (type == "isalnum") return Matches(call, "[a-zA-Z0-9]+");
  return Matches(call, type == "isspace" ? "[ \\t\\n\\r\\f\\v]+" : "[0-9]+");
}

Result<Results> LowerCase(Call& call) {
  Composer c(call.builder());
  const bool upper = call.op().type == "upper";
  return Done(c,
              c.Op(upper ? "dragoman.AsciiUpper" : "dragoman.AsciiLower", {Argument(c, call, 0)}));
}

Result<Results> LowerReplace(Call& call) {
  DRAGOMAN_ASSIGN(const std::string from, KnownText(call, 1));
  DRAGOMAN_ASSIGN(const std::string to, KnownText(call, 2));
  const auto* most = torch::Argument(call, 3).As<Number>();
  if (from.empty() || (most != nullptr && (!most->known() || most->AsInt() >= 0)))
    return call.Unsupported("of an empty text, or of so many texts");
  Composer c(call.builder());
  return Done(c, Replaced(c, Argument(c, call, 0), Literal(from), LiteralRewrite(to)));
}

Result<Results> LowerStrip(Call& call) {
  std::string letters = " \t\n\r\f\v";
  if (!torch::Argument(call, 1).Is<None>()) {
    DRAGOMAN_ASSIGN(letters, KnownText(call, 1));
  }
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  if (letters.empty()) return Done(c, x);
  const std::string run = "[" + Literal(letters) + "]+";
  const std::string& type = call.op().type;
  if (type != "rstrip") x = Replaced(c, x, "\\A" + run, "");
  if (type != "lstrip") x = Replaced(c, x, run + "\\z", "");
  return Done(c, x);
}

// A list whose length is known only at run time. Without a separator, runs of white space part the
// pieces, however many there may be.
Result<Results> LowerSplit(Call& call) {
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  const bool has_separator = !torch::Argument(call, 1).Is<None>();
  Value* separator = has_separator ? Argument(c, call, 1) : Constant(c, "");
  const auto* limit = torch::Argument(call, 2).As<Number>();
  if (limit != nullptr && !limit->known())
    return call.Unsupported("into a number of pieces known only at run time");
  if (has_separator) c.Assert(c.Not(c.Equal(separator, Constant(c, ""))), "an empty separator");
  const std::int64_t most = limit != nullptr && has_separator ? limit->AsInt() : -1;
  const std::vector<Value*> split =
      c.Ops("dragoman.SplitText", {x, separator}, {{"max_splits", most}}, 2);
  Value* pieces = c.Op("SplitToSequence", {split.front()}, {{"axis", 0}, {"keepdims", 0}});
  DRAGOMAN_TRY(c.status());
  return Results{ListRef{call.heap().NewCell(ListContents{{}, pieces, std::nullopt})}};
}

// Of one character of ASCII, as torch has it.
Result<Results> LowerOrd(Call& call) {
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  Value* code = c.Cast(c.Op("dragoman.CodePoint", {x}), DType::kI64);
  Value* is_ascii = c.And(c.GreaterOrEqual(code, 0), c.LessOrEqual(code, 127));
  Value* is_one = c.Equal(c.Op("dragoman.TextLength", {x}), 1);
  c.Assert(c.And(is_one, is_ascii), "ord of a string that is not one character of ASCII");
  return DoneNumber(c, Number::Kind::kInt, code);
}

Result<Results> LowerLength(Call& call) {
  Composer c(call.builder());
  return DoneNumber(c, Number::Kind::kInt, c.Op("dragoman.TextLength", {Argument(c, call, 0)}));
}

Result<Results> LowerCharacter(Call& call) {
  const auto* place = torch::Argument(call, 1).As<Number>();
  if (place == nullptr) return call.Unsupported("of " + Describe(torch::Argument(call, 1)));
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  Value* length = c.Op("dragoman.TextLength", {x});
  Value* at = c.Take(call.NumberValue(*place, DType::kI64));
  at = c.Where(c.Less(at, 0), c.Add(at, length), at);
  c.Assert(c.And(c.GreaterOrEqual(at, 0), c.Less(at, length)), "an index beyond the string");
  return Done(c, c.Op("dragoman.Substring", {x, at, c.Int(1)}));
}

Result<Results> LowerSlice(Call& call) {
  const auto* step = torch::Argument(call, 3).As<Number>();
  if (step != nullptr && (!step->known() || step->AsInt() != 1))
    return call.Unsupported("in steps of a string known only at run time");
  Composer c(call.builder());
  Value* x = Argument(c, call, 0);
  Value* length = c.Op("dragoman.TextLength", {x});
  Value* begin = Bound(c, call, 1, length, c.Int(0));
  Value* end = Bound(c, call, 2, length, length);
  return Done(c, c.Op("dragoman.Substring", {x, begin, c.Max(c.Sub(end, begin), 0)}));
}

Result<Results> LowerParse(Call& call) {
  Composer c(call.builder());
  const bool whole = call.op().type == "Int";
  Value* number = c.Cast(Argument(c, call, 0), whole ? DType::kI64 : DType::kF64);
  return DoneNumber(c, whole ? Number::Kind::kInt : Number::Kind::kFloat, number);
}

constexpr ScriptRow kRows[] = {
    {"aten.Float", LowerParse},
    {"aten.Int", LowerParse},
    {"aten.__getitem__", LowerCharacter},
    {"aten.add", LowerConcat},
    {"aten.endswith", LowerEnd},
    {"aten.find", LowerPlace},
    {"aten.format", LowerFormat},
    {"aten.isalnum", LowerIsKind},
    {"aten.isalpha", LowerIsKind},
    {"aten.isdecimal", LowerIsKind},
    {"aten.isdigit", LowerIsKind},
    {"aten.isnumeric", LowerIsKind},
    {"aten.isspace", LowerIsKind},
    {"aten.join", LowerJoin},
    {"aten.len", LowerLength},
    {"aten.lower", LowerCase},
    {"aten.lstrip", LowerStrip},
    {"aten.ord", LowerOrd},
    {"aten.percentFormat", LowerFormat},
    {"aten.replace", LowerReplace},
    {"aten.rfind", LowerPlace},
    {"aten.rstrip", LowerStrip},
    {"aten.slice", LowerSlice},
    {"aten.split", LowerSplit},
    {"aten.startswith", LowerEnd},
    {"aten.strip", LowerStrip},
    {"aten.upper", LowerCase},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

Result<Number> TextsEqual(Call& call, const Abstract& a, const Abstract& b) {
  if (IsNameless(a) || IsNameless(b)) return call.Unsupported("of a string known only at run time");
  Composer c(call.builder());
  Value* equal = c.Equal(TextValue(c, call, a), TextValue(c, call, b));
  DRAGOMAN_ASSIGN(equal, c.Done(equal));
  return NumberFrom(c.builder(), Number::Kind::kBool, equal);
}

Value* StackTexts(Composer& c, Value* sequence) {
  Value* longer = c.Op("SequenceInsert", {sequence, Constant(c, ""), c.Int(0)});
  Value* stacked = c.Op("ConcatFromSequence", {longer}, {{"axis", 0}, {"new_axis", 1}});
  return c.Slice(stacked, 0, 1, kEnd);
}

std::span<const ScriptRow> RunTimeStringRows() { return kRows; }

}  // namespace dragoman::torch
