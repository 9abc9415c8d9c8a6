// SPDX-License-Identifier: Apache-2.0
// Operators on strings.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/lowering/complex.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/ragged_form.h"

namespace dragoman::tf {

Value* TextConstant(Call& c, std::string text) {
  return c.builder().Constant(c.Take(dragoman::Tensor::MakeStrings({}, {std::move(text)})));
}

namespace {

std::int64_t IsUtf8(Call& c) {
  return c.Has("unit") && c.TextAttribute("unit") == "UTF8_CHAR" ? 1 : 0;
}

// The pattern that an attribute or an operand states, and how it is passed to RegexReplace.
struct Replacement {
  Value* pattern = nullptr;
  Value* rewrite = nullptr;
};

// Letters that become several in the other case, or one that hangs on those beside it (Unicode's
// SpecialCasing.txt, without locales).
constexpr std::string_view kNotLowered = "\\x{130}\\x{3a3}";
constexpr std::string_view kNotRaised =
    "\\x{df}\\x{149}\\x{1f0}\\x{390}\\x{3b0}\\x{587}\\x{1e96}-\\x{1e9a}\\x{1f50}\\x{1f52}"
    "\\x{1f54}\\x{1f56}\\x{1f80}-\\x{1faf}\\x{1fb2}-\\x{1fb4}\\x{1fb6}-\\x{1fb7}\\x{1fbc}"
    "\\x{1fc2}-\\x{1fc4}\\x{1fc6}-\\x{1fc7}\\x{1fcc}\\x{1fd2}-\\x{1fd3}"
    "\\x{1fd6}-\\x{1fd7}\\x{1fe2}-\\x{1fe4}\\x{1fe6}-\\x{1fe7}\\x{1ff2}-\\x{1ff4}"
    "\\x{1ff6}-\\x{1ff7}\\x{1ffc}\\x{fb00}-\\x{fb06}\\x{fb13}-\\x{fb17}";

// Target: AsciiLower or AsciiUpper, which is what TensorFlow does without an encoding.
Value* LowerCase(Call& c) {
  Value* x = c.Tensor(0);
  if (c.TextAttribute("encoding").empty()) return c.Op(c.target(), {x});
  const bool upper = c.target() == "dragoman.AsciiUpper";
  const std::string letters = "[^" + std::string(upper ? kNotRaised : kNotLowered) + "]*";
  Value* plain = c.Op("dragoman.RegexFullMatch", {x, TextConstant(c, letters)});
  c.Assert(c.ReduceAll("ReduceMin", plain),
           "'" + c.node().name() +
               "': a letter that becomes several in the other case, or a text that is not UTF-8");
  return c.Op("dragoman.LetterCase", {x}, {{"upper", std::int64_t{upper}}});
}

Value* LowerStringStrip(Call& c) { return c.Op("dragoman.AsciiStrip", {c.Tensor(0)}); }

// Static: the pattern is an attribute.
Value* LowerRegexReplace(Call& c, bool is_static) {
  Replacement by;
  by.pattern = is_static ? TextConstant(c, c.TextAttribute("pattern")) : c.Tensor(1);
  by.rewrite = is_static ? TextConstant(c, c.TextAttribute("rewrite")) : c.Tensor(2);
  const std::int64_t all = c.BoolAttribute("replace_global");
  return c.Op("dragoman.RegexReplace", {c.Tensor(0), by.pattern, by.rewrite}, {{"all", all}});
}

Value* LowerRegexFullMatch(Call& c, bool is_static) {
  Value* pattern = is_static ? TextConstant(c, c.TextAttribute("pattern")) : c.Tensor(1);
  return c.Op("dragoman.RegexFullMatch", {c.Tensor(0), pattern});
}

Value* LowerStringLength(Call& c) {
  return c.Cast(c.Op("dragoman.TextLength", {c.Tensor(0)}, {{"utf8", IsUtf8(c)}}), DType::kI32);
}

Value* LowerSubstr(Call& c) {
  return c.Op("dragoman.Substring", {c.Tensor(0), c.Index(1), c.Index(2)}, {{"utf8", IsUtf8(c)}});
}

Value* LowerStringJoin(Call& c) {
  const std::string separator = c.TextAttribute("separator");
  Value* joined = c.Tensor(0);
  for (std::size_t i = 1; i < c.num_operands() && !c.failed(); ++i) {
    if (!separator.empty()) joined = c.Op("StringConcat", {joined, TextConstant(c, separator)});
    joined = c.Op("StringConcat", {joined, c.Tensor(i)});
  }
  return joined;
}

// Axes in the order of reduction_indices, each as one text after the other.
Value* LowerReduceJoin(Call& c) {
  Value* joined = c.Tensor(0);
  const Ints stated = c.KnownInts(1, "reduction_indices");
  Value* separator = TextConstant(c, c.TextAttribute("separator"));
  const int rank = c.Rank(joined);
  Ints axes;
  for (const std::int64_t axis : stated) axes.push_back(c.Axis(axis, rank));
  for (const std::int64_t given : axes) {
    const int axis = static_cast<int>(given);
    Value* last = c.SwapAxes(joined, axis, rank - 1);
    Value* outer = c.SizeVector(last, 0, rank - 1);
    Value* rows = rank > 1 ? c.ReduceAll("ReduceProd", outer) : c.Int(1);
    Value* ends = c.Mul(c.Iota(c.Add(rows, 1)), c.Size(last, rank - 1));
    Value* texts = c.Op("dragoman.JoinText", {c.Flatten(last), ends, separator});
    Value* sizes = c.ConcatSizes({outer, c.Ints({1})});
    joined = c.SwapAxes(c.Reshape(texts, sizes), axis, rank - 1);
  }
  if (c.BoolAttribute("keep_dims") || axes.empty()) return joined;
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return c.Squeeze(joined, std::move(axes));
}

// The texts of each segment, one after the other; those of negative segments are left out.
Value* LowerUnsortedSegmentJoin(Call& c) {
  Value* texts = c.Tensor(0);
  Value* segments = c.Index(1);
  Value* count = c.IndexNumber(2);
  Value* separator = TextConstant(c, c.TextAttribute("separator"));
  const int rank = c.Rank(segments);
  if (c.failed()) return nullptr;
  if (c.MaybeRank(texts) != rank) return c.Fail("segments of rows of texts are not supported");
  const std::vector<NamedAttribute> first_axis = {{"axis", std::int64_t{0}}};
  segments = c.Flatten(segments);
  Value* counts = c.GreaterOrEqual(segments, 0);
  texts = c.Op("Compress", {c.Flatten(texts), counts}, first_axis);
  segments = c.Op("Compress", {segments, counts}, first_axis);
  Value* order = c.Ops("TopK", {segments, c.Vector(c.Size(segments, 0))},
                       {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}}, 2)[1];
  Value* ones = c.Full(c.Shape(segments), 1, DType::kI64);
  Value* lengths =
      c.Op("ScatterND", {c.Full(c.Vector(count), 0, DType::kI64), c.Unsqueeze(segments, {1}), ones},
           {{"reduction", "add"}});
  return c.Op("dragoman.JoinText", {c.Gather(texts, order, 0), SplitsOf(c, lengths), separator});
}

// Integers in a text. Other values, whose spelling is TensorFlow's, can only be printed: a tuple of
// the template and the values.
std::vector<Abstract> LowerStringFormat(Call& c) {
  const std::string form = c.TextAttribute("template");
  const std::string placeholder = c.TextAttribute("placeholder");
  if (c.failed()) return {};
  std::vector<Abstract> parts = {c.NewTensor(TextConstant(c, form))};
  bool only_integers = !placeholder.empty();
  for (std::size_t i = 0; i < c.num_operands(); ++i) {
    Value* value = c.Tensor(i);
    if (c.failed()) return {};
    only_integers = only_integers && IsInteger(c.dtype(value)) && c.MaybeRank(value) == 0;
    parts.push_back(c.NewTensor(value));
  }
  if (!only_integers)
    return {Tuple{std::make_shared<const std::vector<Abstract>>(std::move(parts))}};
  Value* text = nullptr;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= c.num_operands(); ++i) {
    std::size_t end = i < c.num_operands() ? form.find(placeholder, begin) : form.size();
    if (end == std::string::npos) {
      c.Fail(InvalidInput("the template has fewer placeholders than there are values"));
      return {};
    }
    Value* piece = TextConstant(c, form.substr(begin, end - begin));
    text = text == nullptr ? piece : c.Op("StringConcat", {text, piece});
    if (i < c.num_operands())
      text = c.Op("StringConcat", {text, c.Cast(c.Tensor(i), DType::kString)});
    begin = end + placeholder.size();
  }
  if (c.failed()) return {};
  return {c.NewTensor(text)};
}

// Target: the hash function.
Value* LowerHashBucket(Call& c) {
  const std::int64_t buckets = c.IntAttribute("num_buckets");
  std::vector<NamedAttribute> attributes = {{"hash", std::string(c.target())},
                                            {"buckets", buckets}};
  if (c.target() == "sip") {
    const Ints key = c.IntsAttribute("key");
    if (c.failed()) return nullptr;
    if (key.size() != 2) return c.Fail(InvalidInput("the key has not two parts"));
    attributes.emplace_back("key0", key[0]);
    attributes.emplace_back("key1", key[1]);
  }
  return c.Op("dragoman.HashBucket", {c.Tensor(0)}, std::move(attributes));
}

Value* LowerStringToNumber(Call& c) { return c.Cast(c.Tensor(0), c.TypeAttribute("out_type")); }

// How attributes of AsString say that numbers are written. Integers have no precision.
std::vector<NamedAttribute> NumberFormOf(Call& c, bool of_integers) {
  const bool scientific = c.BoolAttribute("scientific");
  const bool shortest = c.BoolAttribute("shortest");
  const std::int64_t precision = c.IntAttribute("precision");
  const std::int64_t width = c.IntAttribute("width");
  const std::string fill = c.TextAttribute("fill");
  if (c.failed()) return {};
  if (of_integers ? scientific || shortest || precision >= 0 : scientific && shortest) {
    c.Fail(InvalidInput("precision, scientific and shortest do not fit the elements"));
    return {};
  }
  constexpr std::string_view kFills = " +-0";
  const char* const flags[] = {"space", "plus", "left", "zero"};
  if (fill.size() > 1 || (!fill.empty() && kFills.find(fill) == kFills.npos)) {
    c.Fail(InvalidInput("fill is none of ' ', '+', '-' and '0'"));
    return {};
  }
  std::vector<NamedAttribute> form = {{"form", scientific ? "scientific"
                                               : shortest ? "general"
                                                          : "fixed"}};
  if (!fill.empty()) form.emplace_back("flag", flags[kFills.find(fill)]);
  if (precision >= 0) form.emplace_back("precision", precision);
  if (width >= 0) form.emplace_back("width", width);
  return form;
}

Value* LowerAsString(Call& c) {
  Value* x = c.Tensor(0);
  const DType type = c.dtype(x);
  if (c.failed() || type == DType::kString) return x;
  if (type == DType::kBool) return c.Where(x, TextConstant(c, "true"), TextConstant(c, "false"));
  const std::vector<NamedAttribute> form = NumberFormOf(c, IsInteger(type));
  const auto text = [&](Value* number) { return c.Op("dragoman.NumberText", {number}, form); };
  if (IsComplex(type)) {
    const Parts parts = PartsOf(c, x);
    Value* both = c.Op("StringConcat", {text(parts.re), TextConstant(c, ",")});
    both = c.Op("StringConcat", {both, text(parts.im)});
    return c.Op("StringConcat",
                {c.Op("StringConcat", {TextConstant(c, "("), both}), TextConstant(c, ")")});
  }
  return IsInteger(type) && form.size() == 1 ? c.Cast(x, DType::kString) : text(x);
}

Value* LowerEncodeBase64(Call& c) {
  return c.Op("dragoman.Base64Encode", {c.Tensor(0)},
              {{"pad", std::int64_t{c.BoolAttribute("pad")}}});
}

// The pieces of each text of a vector as a sparse matrix: indices, values, sizes.
std::vector<Value*> SplitSparsely(Call& c, std::vector<NamedAttribute> how) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return {};
  if (rank != 1) {
    c.Fail(InvalidInput("splits texts of rank " + std::to_string(rank) + ", expected 1"));
    return {};
  }
  const std::vector<Value*> split =
      c.Ops("dragoman.SplitText", {x, c.Tensor(1)}, std::move(how), 2);
  Value* pieces = split[0];
  Value* is_piece = c.Less(c.Iota(c.Size(pieces, 1)), c.Unsqueeze(split[1], {1}));
  Value* indices = c.Transpose(c.Op("NonZero", {is_piece}), {1, 0});
  Value* values =
      c.Op("Compress", {c.Flatten(pieces), c.Flatten(is_piece)}, {{"axis", std::int64_t{0}}});
  return {indices, values, c.Shape(pieces)};
}

std::vector<Value*> LowerStringSplit(Call& c) {
  return SplitSparsely(c, {{"any_byte", std::int64_t{1}},
                           {"skip_empty", std::int64_t{c.BoolAttribute("skip_empty")}}});
}

std::vector<Value*> LowerStringSplitV2(Call& c) {
  const std::int64_t most = c.IntAttribute("maxsplit");
  const dragoman::Tensor* separator = c.Constant(1);
  if (c.failed()) return {};
  const bool by_space =
      separator == nullptr || separator->size() != 1 || separator->strings().front().empty();
  if (most > 0 && by_space) {
    c.Fail("at most so many splits where white space separates");
    return {};
  }
  return SplitSparsely(c, {{"max_splits", most}});
}

}  // namespace

std::span<const OpRow> StringsRows() {
  static constexpr OpRow kRows[] = {
      {"AsString", LowerAsString},
      {"EncodeBase64", LowerEncodeBase64},
      {"ReduceJoin", LowerReduceJoin},
      {"RegexFullMatch", With<LowerRegexFullMatch, false>},
      {"RegexReplace", With<LowerRegexReplace, false>},
      {"StaticRegexFullMatch", With<LowerRegexFullMatch, true>},
      {"StaticRegexReplace", With<LowerRegexReplace, true>},
      {"StringFormat", LowerStringFormat},
      {"StringJoin", LowerStringJoin},
      {"StringLength", LowerStringLength},
      {"StringLower", LowerCase, "dragoman.AsciiLower"},
      {"StringSplit", LowerStringSplit},
      {"StringSplitV2", LowerStringSplitV2},
      {"StringStrip", LowerStringStrip},
      {"StringToHashBucket", LowerHashBucket, "murmur"},
      {"StringToHashBucketFast", LowerHashBucket, "farm"},
      {"StringToHashBucketStrong", LowerHashBucket, "sip"},
      {"StringToNumber", LowerStringToNumber},
      {"StringUpper", LowerCase, "dragoman.AsciiUpper"},
      {"Substr", LowerSubstr},
      {"UnsortedSegmentJoin", LowerUnsortedSegmentJoin},
  };
  return kRows;
}

}  // namespace dragoman::tf
