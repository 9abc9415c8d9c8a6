// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/regex_parser.h"

#include <algorithm>
#include <optional>

#include "runtime/kernels/regex_set.h"
#include "runtime/kernels/unicode_category.h"
#include "runtime/kernels/utf8_text.h"

namespace dragoman::rt::internal {
namespace {

constexpr int kMaxNesting = 200;
constexpr int kMaxRepeats = 1000;  // as RE2
constexpr std::size_t kMaxSteps = 20000;
constexpr int kUnbounded = -1;

// A part of a pattern.
struct Part {
  enum class Kind { kEmpty, kSet, kAssert, kGroup, kSequence, kChoice, kRepeat };
  Kind kind = Kind::kEmpty;
  int number = 0;  // of the set, the assertion, the group
  int least = 0;   // repeats
  int most = kUnbounded;
  bool lazy = false;
  std::vector<Part> parts;
};

struct Flags {
  bool fold = false;        // (?i)
  bool dot_all = false;     // (?s)
  bool multi_line = false;  // (?m)
  bool swap_lazy = false;   // (?U)
};

class Parser {
 public:
  Parser(std::string_view pattern, RegexProgram* program) : rest_(pattern), program_(program) {}

  Part ParseAll() {
    Part all = ParseChoice(0);
    if (!rest_.empty()) Fail("an unexpected ) in a pattern");
    return all;
  }
  const Status& status() const { return status_; }

 private:
  Part Fail(const char* message) {
    if (status_.ok()) status_ = Status::Error(message);
    rest_ = {};
    return Part();
  }
  bool Take(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  Part ParseChoice(int depth) {
    if (depth > kMaxNesting) return Fail("a pattern whose groups nest too deep");
    Part choice;
    choice.kind = Part::Kind::kChoice;
    const Flags outer = flags_;
    do {
      choice.parts.push_back(ParseSequence(depth));
    } while (Take("|"));
    flags_ = outer;
    if (choice.parts.size() > 1) return choice;
    Part only = std::move(choice.parts.front());
    return only;
  }

  Part ParseSequence(int depth) {
    Part sequence;
    sequence.kind = Part::Kind::kSequence;
    while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
      if (Take("\\Q")) {
        ParseQuoted(sequence);
        continue;
      }
      Part part = ParseOne(depth);
      const bool is_flags = part.kind == Part::Kind::kEmpty && part.lazy;
      if (!is_flags) sequence.parts.push_back(ParseRepeat(std::move(part)));
    }
    return sequence;
  }

  // Up to \E all stands for itself; a repetition belongs to the last character.
  void ParseQuoted(Part& sequence) {
    while (!rest_.empty() && !Take("\\E")) sequence.parts.push_back(Literal(TakeCharacter()));
    if (!sequence.parts.empty()) {
      Part last = std::move(sequence.parts.back());
      sequence.parts.back() = ParseRepeat(std::move(last));
    }
  }

  std::int32_t TakeCharacter() {
    std::int32_t character = kNoCharacter;
    if (rest_.empty()) {
      Fail("a pattern that ends too early");
      return 0;
    }
    const std::size_t length = DecodeUtf8(rest_, &character);
    rest_.remove_prefix(length);
    if (character == kNoCharacter) Fail("a pattern that is not UTF-8");
    return character;
  }

  Part OfSet(CharacterSet set) {
    Part part;
    part.kind = Part::Kind::kSet;
    part.number = static_cast<int>(program_->sets.size());
    program_->sets.push_back(Normalized(std::move(set)));
    return part;
  }
  Part Literal(std::int32_t character) { return OfSet(AsFlagged({{character, character}}, false)); }
  // The letters of a set in both cases under (?i), before what it leaves out is meant.
  CharacterSet AsFlagged(CharacterSet set, bool negated) const {
    if (flags_.fold) set = Folded(std::move(set));
    return negated ? Complement(set) : set;
  }
  static Part Assertion(RegexAssertion assertion) {
    Part part;
    part.kind = Part::Kind::kAssert;
    part.number = static_cast<int>(assertion);
    return part;
  }

  Part ParseOne(int depth) {
    switch (rest_[0]) {
      case '(':
        rest_.remove_prefix(1);
        return ParseGroup(depth);
      case '[':
        rest_.remove_prefix(1);
        return ParseClass();
      case '.':
        rest_.remove_prefix(1);
        return OfSet(flags_.dot_all ? Complement({}) : Complement({{'\n', '\n'}}));
      case '^':
        rest_.remove_prefix(1);
        return Assertion(flags_.multi_line ? RegexAssertion::kLineStart
                                           : RegexAssertion::kTextStart);
      case '$':
        rest_.remove_prefix(1);
        return Assertion(flags_.multi_line ? RegexAssertion::kLineEnd : RegexAssertion::kTextEnd);
      case '*':
      case '+':
      case '?':
        return Fail("a repetition of nothing in a pattern");
      case '\\':
        rest_.remove_prefix(1);
        return ParseEscape();
      default:
        return Literal(TakeCharacter());
    }
  }

  // (?:…), (?P<name>…), (?flags), (?flags:…), (…)
  Part ParseGroup(int depth) {
    Part group;
    group.kind = Part::Kind::kGroup;
    const Flags outer = flags_;
    if (Take("?P<") || Take("?<")) {
      const std::size_t end = rest_.find('>');
      if (end == std::string_view::npos || end == 0) return Fail("a group without a name");
      rest_.remove_prefix(end + 1);
      group.number = ++groups_;
    } else if (Take("?")) {
      if (!ParseFlags()) return Fail("a kind of group that is not supported");
      group.number = -1;
      if (Take(")")) {
        Part none;
        none.lazy = true;  // only flags stood here
        return none;
      }
      if (!Take(":")) return Fail("a kind of group that is not supported");
    } else {
      group.number = ++groups_;
    }
    group.parts.push_back(ParseChoice(depth + 1));
    if (!Take(")")) return Fail("a group that is not closed");
    flags_ = outer;
    return group;
  }

  bool ParseFlags() {
    bool on = true;
    for (; !rest_.empty() && rest_[0] != ')' && rest_[0] != ':'; rest_.remove_prefix(1)) {
      switch (rest_[0]) {
        case '-':
          on = false;
          break;
        case 'i':
          flags_.fold = on;
          break;
        case 's':
          flags_.dot_all = on;
          break;
        case 'm':
          flags_.multi_line = on;
          break;
        case 'U':
          flags_.swap_lazy = on;
          break;
        default:
          return false;
      }
    }
    return true;
  }

  // A class or an assertion that a backslash stands for, or a character.
  Part ParseEscape() {
    if (rest_.empty()) return Fail("a pattern that ends with a backslash");
    const char letter = rest_[0];
    const CharacterSet perl = PerlSet(static_cast<char>(letter | 0x20));
    const bool is_letter = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
    if (is_letter && !perl.empty()) {
      rest_.remove_prefix(1);
      return OfSet(AsFlagged(perl, letter < 'a'));
    }
    if (letter == 'p' || letter == 'P') return OfSet(TakeUnicodeClass());
    if (Take("A")) return Assertion(RegexAssertion::kTextStart);
    if (Take("z")) return Assertion(RegexAssertion::kTextEnd);
    if (Take("b")) return Assertion(RegexAssertion::kWordEdge);
    if (Take("B")) return Assertion(RegexAssertion::kNoWordEdge);
    return Literal(TakeEscaped());
  }

  // \pN, \p{Lu}, \p{^Lu} or with a large P; the backslash is taken already.
  CharacterSet TakeUnicodeClass() {
    bool negated = TakeCharacter() == 'P';
    std::string_view name = rest_.substr(0, 1);
    if (Take("{")) {
      name = rest_.substr(0, rest_.find('}'));
      if (name.size() == rest_.size()) Fail("a class of Unicode that is not closed in a pattern");
      rest_.remove_prefix(std::min(name.size() + 1, rest_.size()));
    } else {
      rest_.remove_prefix(name.size());
    }
    if (!name.empty() && name[0] == '^') {
      negated = !negated;
      name.remove_prefix(1);
    }
    CharacterSet set = Normalized(UnicodeSet(name));
    if (set.empty()) Fail("an unknown class of Unicode in a pattern");
    return AsFlagged(std::move(set), negated);
  }

  // The character that a backslash and what follows stand for.
  std::int32_t TakeEscaped() {
    const std::int32_t c = TakeCharacter();
    constexpr std::string_view kLetters = "aftnrv";
    constexpr std::string_view kMeanings = "\a\f\t\n\r\v";
    const std::size_t known = c < 0x80 ? kLetters.find(static_cast<char>(c)) : kLetters.npos;
    if (known != kLetters.npos) return kMeanings[known];
    if (c == 'x') return TakeHex();
    if (c >= '0' && c <= '7') return TakeOctal(c - '0');
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '8' || c == '9';
    if (is_letter || c > 0x7f) Fail("an escape that is not supported in a pattern");
    return c;
  }
  std::int32_t TakeOctal(std::int32_t value) {
    const bool more = !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7';
    if (value != 0 && !more) Fail("a back reference in a pattern");
    for (int i = 0; i < 2 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
      value = value * 8 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  static int HexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') return (c | 0x20) - 'a' + 10;
    return -1;
  }
  std::int32_t TakeHex() {
    const bool braces = Take("{");
    std::int32_t value = 0;
    int digits = 0;
    while (!rest_.empty() && HexDigit(rest_[0]) >= 0 && digits < (braces ? 6 : 2)) {
      value = value * 16 + HexDigit(rest_[0]);
      rest_.remove_prefix(1);
      ++digits;
    }
    const bool closed = braces ? digits > 0 && Take("}") : digits == 2;
    if (!closed || value > kLastCharacter) Fail("a bad \\x in a pattern");
    return value;
  }

  // After "[".
  Part ParseClass() {
    const bool negated = Take("^");
    CharacterSet set;
    for (bool first = true; first || !Take("]"); first = false) {
      if (rest_.empty()) return Fail("a class that is not closed in a pattern");
      ParseClassItem(set);
      if (!status_.ok()) return Part();
    }
    return OfSet(negated ? Complement(set) : set);
  }

  void ParseClassItem(CharacterSet& set) {
    if (rest_.substr(0, 2) == "[:") return ParsePosix(set);
    if (rest_.size() > 1 && rest_[0] == '\\') {
      const char letter = rest_[1];
      const CharacterSet perl = PerlSet(static_cast<char>(letter | 0x20));
      const bool is_letter = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
      if (is_letter && !perl.empty()) {
        rest_.remove_prefix(2);
        return Append(set, AsFlagged(perl, letter < 'a'));
      }
      if (letter == 'p' || letter == 'P') {
        rest_.remove_prefix(1);
        return Append(set, TakeUnicodeClass());
      }
    }
    const std::int32_t low = TakeClassCharacter();
    std::int32_t high = low;
    if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      high = TakeClassCharacter();
    }
    if (high < low) {
      Fail("a range of characters from high to low in a pattern");
    } else {
      Append(set, AsFlagged({{low, high}}, false));
    }
  }
  std::int32_t TakeClassCharacter() { return Take("\\") ? TakeEscaped() : TakeCharacter(); }

  void ParsePosix(CharacterSet& set) {
    const std::size_t end = rest_.find(":]");
    if (end == std::string_view::npos) {
      Fail("a class that is not closed in a pattern");
      return;
    }
    std::string_view name = rest_.substr(2, end - 2);
    rest_.remove_prefix(end + 2);
    const bool negated = !name.empty() && name[0] == '^';
    if (negated) name.remove_prefix(1);
    const CharacterSet named = PosixSet(name);
    if (named.empty()) Fail("a class of an unknown name in a pattern");
    Append(set, AsFlagged(named, negated));
  }

  // {n}, {n,} or {n,m}; anything else is text.
  bool TakeCounts(int* least, int* most) {
    const std::string_view before = rest_;
    if (!Take("{")) return false;
    const std::optional<int> low = TakeNumber();
    std::optional<int> high = low;
    if (low && Take(",")) {
      high = TakeNumber();
      if (!high) high = kUnbounded;
    }
    if (!low || !Take("}")) {
      rest_ = before;
      return false;
    }
    *least = *low;
    *most = *high;
    if (*least > kMaxRepeats || *most > kMaxRepeats || (*most >= 0 && *most < *least))
      Fail("a bad number of repetitions in a pattern");
    return true;
  }
  std::optional<int> TakeNumber() {
    std::optional<int> number;
    while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      number = std::min(number.value_or(0) * 10 + (rest_[0] - '0'), kMaxRepeats + 1);
      rest_.remove_prefix(1);
    }
    return number;
  }

  Part ParseRepeat(Part part) {
    int least = 0;
    int most = kUnbounded;
    if (Take("*")) {
    } else if (Take("+")) {
      least = 1;
    } else if (Take("?")) {
      most = 1;
    } else if (!TakeCounts(&least, &most)) {
      return part;
    }
    Part repeat;
    repeat.kind = Part::Kind::kRepeat;
    repeat.least = least;
    repeat.most = most;
    repeat.lazy = Take("?") != flags_.swap_lazy;
    repeat.parts.push_back(std::move(part));
    const bool twice = !rest_.empty() && (rest_[0] == '*' || rest_[0] == '+' || rest_[0] == '?');
    if (twice) return Fail("a repetition of a repetition in a pattern");
    return repeat;
  }

  std::string_view rest_;
  RegexProgram* program_;
  Flags flags_;
  int groups_ = 0;
  Status status_;
};

// Parts nest no deeper than groups, and a repetition between them.
class Emitter {
 public:
  explicit Emitter(RegexProgram* program) : steps_(program->steps) {}

  bool too_large() const { return steps_.size() > kMaxSteps; }

  int Emit(RegexStep::Kind kind, int a = 0, int b = 0) {
    steps_.push_back({kind, a, b});
    return static_cast<int>(steps_.size()) - 1;
  }

  void Emit(const Part& part) {
    if (too_large()) return;
    switch (part.kind) {
      case Part::Kind::kEmpty:
        return;
      case Part::Kind::kSet:
        Emit(RegexStep::Kind::kSet, part.number);
        return;
      case Part::Kind::kAssert:
        Emit(RegexStep::Kind::kAssert, part.number);
        return;
      case Part::Kind::kGroup:
        return EmitGroup(part);
      case Part::Kind::kSequence:
        for (const Part& inner : part.parts) Emit(inner);
        return;
      case Part::Kind::kChoice:
        return EmitChoice(part);
      case Part::Kind::kRepeat:
        return EmitRepeat(part);
    }
  }

 private:
  int Next() const { return static_cast<int>(steps_.size()); }
  RegexStep& At(int step) { return steps_[static_cast<std::size_t>(step)]; }

  void EmitGroup(const Part& part) {
    const bool captured = part.number >= 0 && part.number < Regex::kGroups;
    if (captured) Emit(RegexStep::Kind::kSave, 2 * part.number);
    Emit(part.parts.front());
    if (captured) Emit(RegexStep::Kind::kSave, 2 * part.number + 1);
  }

  void EmitChoice(const Part& part) {
    std::vector<int> ends;
    for (std::size_t i = 0; i + 1 < part.parts.size(); ++i) {
      const int split = Emit(RegexStep::Kind::kSplit);
      At(split).a = Next();
      Emit(part.parts[i]);
      ends.push_back(Emit(RegexStep::Kind::kJump));
      At(split).b = Next();
    }
    Emit(part.parts.back());
    for (int end : ends) At(end).a = Next();
  }

  // Whether to go on or to leave; which has more right, `lazy` says.
  void SetSplit(int split, int on, int out, bool lazy) {
    At(split).a = lazy ? out : on;
    At(split).b = lazy ? on : out;
  }

  // Whether it may match no character at all.
  static bool IsNullable(const Part& part) {
    const auto nullable = [](const Part& inner) { return IsNullable(inner); };
    switch (part.kind) {
      case Part::Kind::kSet:
        return false;
      case Part::Kind::kChoice:
        return std::any_of(part.parts.begin(), part.parts.end(), nullable);
      case Part::Kind::kRepeat:
        return part.least == 0 || IsNullable(part.parts.front());
      default:
        return std::all_of(part.parts.begin(), part.parts.end(), nullable);
    }
  }

  // Once or more often.
  void EmitLoop(const Part& inner, bool lazy) {
    const int start = Next();
    Emit(inner);
    const int split = Emit(RegexStep::Kind::kSplit);
    SetSplit(split, start, Next(), lazy);
  }

  void EmitUnbounded(const Part& part) {
    const Part& inner = part.parts.front();
    for (int i = 0; i + 1 < part.least && !too_large(); ++i) Emit(inner);
    if (part.least > 0) return EmitLoop(inner, part.lazy);
    const int split = Emit(RegexStep::Kind::kSplit);
    if (IsNullable(inner)) {
      EmitLoop(inner, part.lazy);
    } else {
      Emit(inner);
      Emit(RegexStep::Kind::kJump, split);
    }
    SetSplit(split, split + 1, Next(), part.lazy);
  }

  void EmitRepeat(const Part& part) {
    if (part.most == kUnbounded) return EmitUnbounded(part);
    const Part& inner = part.parts.front();
    for (int i = 0; i < part.least && !too_large(); ++i) Emit(inner);
    std::vector<int> splits;
    for (int i = part.least; i < part.most && !too_large(); ++i) {
      splits.push_back(Emit(RegexStep::Kind::kSplit));
      Emit(inner);
    }
    for (int split : splits) SetSplit(split, split + 1, Next(), part.lazy);
  }

  std::vector<RegexStep>& steps_;
};

}  // namespace

Status ParseRegex(std::string_view pattern, RegexProgram* program) {
  *program = {};
  Parser parser(pattern, program);
  const Part all = parser.ParseAll();
  DRAGOMAN_RT_TRY(parser.status());
  Emitter emitter(program);
  emitter.Emit(RegexStep::Kind::kSave, 0);
  emitter.Emit(all);
  emitter.Emit(RegexStep::Kind::kSave, 1);
  emitter.Emit(RegexStep::Kind::kMatch);
  return emitter.too_large() ? Status::Error("a pattern that is too large") : Status();
}

}  // namespace dragoman::rt::internal
