// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/regex.h"

#include <algorithm>

#include "runtime/kernels/regex_parser.h"
#include "runtime/kernels/regex_set.h"
#include "runtime/kernels/utf8_text.h"

namespace dragoman::rt {
namespace {

using internal::RegexAssertion;
using internal::RegexProgram;
using internal::RegexStep;

bool IsWordByte(std::string_view text, std::ptrdiff_t at) {
  if (at < 0 || at >= static_cast<std::ptrdiff_t>(text.size())) return false;
  const char c = text[static_cast<std::size_t>(at)];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool Holds(RegexAssertion assertion, std::string_view text, std::size_t place) {
  const auto at = static_cast<std::ptrdiff_t>(place);
  const bool edge = IsWordByte(text, at - 1) != IsWordByte(text, at);
  switch (assertion) {
    case RegexAssertion::kTextStart:
      return place == 0;
    case RegexAssertion::kTextEnd:
      return place == text.size();
    case RegexAssertion::kLineStart:
      return place == 0 || text[place - 1] == '\n';
    case RegexAssertion::kLineEnd:
      return place == text.size() || text[place] == '\n';
    case RegexAssertion::kWordEdge:
      return edge;
    case RegexAssertion::kNoWordEdge:
      return !edge;
  }
  return false;
}

// The ways to match that are open at one place, those with more right first.
class Threads {
 public:
  Threads(const RegexProgram& program, std::string_view text)
      : program_(program), text_(text), seen_(program.steps.size(), 0) {}

  struct Thread {
    int step;
    Regex::Match match;
  };

  const std::vector<Thread>& all() const { return threads_; }
  void Clear() {
    threads_.clear();
    ++round_;
  }

  // Adds `step` at `place`, and all that it leads to without a character.
  void Add(int step, std::size_t place, const Regex::Match& match) {
    pending_.assign(1, {step, match});
    while (!pending_.empty()) {
      Thread next = pending_.back();
      pending_.pop_back();
      if (seen_[static_cast<std::size_t>(next.step)] == round_) continue;
      seen_[static_cast<std::size_t>(next.step)] = round_;
      Follow(next, place);
    }
  }

 private:
  void Follow(Thread& thread, std::size_t place) {
    const RegexStep& step = program_.steps[static_cast<std::size_t>(thread.step)];
    switch (step.kind) {
      case RegexStep::Kind::kJump:
        pending_.push_back({step.a, thread.match});
        return;
      case RegexStep::Kind::kSplit:
        pending_.push_back({step.b, thread.match});
        pending_.push_back({step.a, thread.match});
        return;
      case RegexStep::Kind::kSave:
        thread.match.places[step.a] = static_cast<std::ptrdiff_t>(place);
        pending_.push_back({thread.step + 1, thread.match});
        return;
      case RegexStep::Kind::kAssert:
        if (Holds(static_cast<RegexAssertion>(step.a), text_, place))
          pending_.push_back({thread.step + 1, thread.match});
        return;
      case RegexStep::Kind::kSet:
      case RegexStep::Kind::kMatch:
        threads_.push_back(thread);
    }
  }

  const RegexProgram& program_;
  std::string_view text_;
  std::vector<Thread> threads_;
  std::vector<Thread> pending_;
  std::vector<std::uint64_t> seen_;  // the round in which a step was added last
  std::uint64_t round_ = 1;
};

Regex::Match NoMatch() {
  Regex::Match match;
  std::fill(std::begin(match.places), std::end(match.places), -1);
  return match;
}

// `rewrite` with its groups. Errors: an escape that is none.
Status Rewrite(std::string_view text, std::string_view rewrite, const Regex::Match& match,
               std::string* result) {
  for (std::size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      *result += rewrite[i];
      continue;
    }
    const char next = ++i < rewrite.size() ? rewrite[i] : '\0';
    if (next == '\\') {
      *result += next;
    } else if (next >= '0' && next <= '9') {
      const std::ptrdiff_t* places = match.places + 2 * (next - '0');
      if (places[0] >= 0)
        result->append(text.substr(static_cast<std::size_t>(places[0]),
                                   static_cast<std::size_t>(places[1] - places[0])));
    } else {
      return Status::Error("a rewrite has a backslash before neither a digit nor a backslash");
    }
  }
  return Status();
}

}  // namespace

Status Regex::Compile(std::string_view pattern) { return internal::ParseRegex(pattern, &program_); }

bool Regex::Run(std::string_view text, std::size_t start, Extent extent, Match* match) const {
  Threads rounds[2] = {Threads(program_, text), Threads(program_, text)};
  Threads* now = &rounds[0];
  Threads* then = &rounds[1];
  bool found = false;
  for (std::size_t place = start; place <= text.size();) {
    // A new start has less right than what is under way.
    if (!found && (extent == Extent::kAnywhere || place == start)) now->Add(0, place, NoMatch());
    if (now->all().empty() && (found || extent == Extent::kWhole)) break;
    std::int32_t character = kNoCharacter;
    const std::size_t length =
        place < text.size() ? DecodeUtf8(text.substr(place), &character) : std::size_t{1};
    then->Clear();
    for (const Threads::Thread& thread : now->all()) {
      const RegexStep& step = program_.steps[static_cast<std::size_t>(thread.step)];
      if (step.kind == RegexStep::Kind::kSet) {
        if (place < text.size() &&
            internal::Contains(program_.sets[static_cast<std::size_t>(step.a)], character))
          then->Add(thread.step + 1, place + length, thread.match);
        continue;
      }
      if (extent == Extent::kWhole && place != text.size()) continue;
      *match = thread.match;
      found = true;
      break;  // the rest has less right
    }
    std::swap(now, then);
    place += length;
  }
  return found;
}

bool Regex::MatchesAll(std::string_view text) const {
  Match match;
  return Run(text, 0, Extent::kWhole, &match);
}

bool Regex::Search(std::string_view text, std::size_t start, Match* match) const {
  return Run(text, start, Extent::kAnywhere, match);
}

Status Regex::Replace(std::string_view text, std::string_view rewrite, bool all,
                      std::string* result) const {
  result->clear();
  std::size_t place = 0;
  std::ptrdiff_t last_end = -1;
  Match match;
  while (place <= text.size() && Search(text, place, &match)) {
    const auto start = static_cast<std::size_t>(match.places[0]);
    const auto end = static_cast<std::size_t>(match.places[1]);
    result->append(text.substr(place, start - place));
    place = start;
    if (start == end && match.places[0] == last_end) {
      // An empty match right after the last one is none: a character further.
      std::int32_t character = 0;
      const std::size_t length =
          place < text.size() ? DecodeUtf8(text.substr(place), &character) : std::size_t{1};
      if (place < text.size()) result->append(text.substr(place, length));
      place += length;
      continue;
    }
    DRAGOMAN_RT_TRY(Rewrite(text, rewrite, match, result));
    place = end;
    last_end = match.places[1];
    if (!all) break;
  }
  if (place < text.size()) result->append(text.substr(place));
  return Status();
}

}  // namespace dragoman::rt
