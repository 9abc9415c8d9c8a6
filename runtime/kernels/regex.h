// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regular expressions in RE2's syntax, which ai.onnx and TensorFlow use, on UTF-8 text. A search
// takes time linear in the text: all ways to match are followed side by side (Thompson's simulation
// with captures, as R. Cox describes it).
//
// Classes and cases of letters are those of Unicode 14. Not supported: \C.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REGEX_H_
#define DRAGOMAN_RUNTIME_KERNELS_REGEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/params/status.h"

namespace dragoman::rt::internal {

// Ranges of characters, both ends included; sorted, and apart from each other.
using CharacterSet = std::vector<std::pair<std::int32_t, std::int32_t>>;

struct RegexStep {
  enum class Kind {
    kSet,     // a character of set `a`
    kSplit,   // goes on at `a`, or, with less right, at `b`
    kJump,    // goes on at `a`
    kSave,    // notes the place as capture `a`
    kAssert,  // RegexAssertion `a`
    kMatch
  };
  Kind kind = Kind::kMatch;
  int a = 0;
  int b = 0;
};

enum class RegexAssertion { kTextStart, kTextEnd, kLineStart, kLineEnd, kWordEdge, kNoWordEdge };

struct RegexProgram {
  std::vector<RegexStep> steps;
  std::vector<CharacterSet> sets;
};

}  // namespace dragoman::rt::internal

namespace dragoman::rt {

class Regex {
 public:
  // Groups 0 (all of it) to 9 are captured, as rewrites can name no others.
  static constexpr int kGroups = 10;
  // The place of each group: its start and end; -1, -1 for one that took no part.
  struct Match {
    std::ptrdiff_t places[2 * kGroups];
  };

  // Errors: no pattern of this syntax, or one that is not supported or too large.
  Status Compile(std::string_view pattern);

  bool MatchesAll(std::string_view text) const;
  // The leftmost match at or after `start`; of several there the one that the pattern prefers.
  bool Search(std::string_view text, std::size_t start, Match* match) const;
  // Puts `rewrite` in place of the first match, or of all; \0 … \9 in it are groups, \\ is a
  // backslash. Errors: another escape.
  Status Replace(std::string_view text, std::string_view rewrite, bool all,
                 std::string* result) const;

 private:
  enum class Extent { kAnywhere, kWhole };
  bool Run(std::string_view text, std::size_t start, Extent extent, Match* match) const;

  internal::RegexProgram program_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_REGEX_H_
