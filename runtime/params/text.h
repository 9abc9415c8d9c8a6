// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of operators on strings.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TEXT_H_
#define DRAGOMAN_RUNTIME_PARAMS_TEXT_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// What places and lengths in a string count.
struct TextUnitParams {
  bool utf8 = false;  // characters of UTF-8; else bytes

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("utf8", self.utf8);
  }
};

struct RegexReplaceParams {
  bool all = true;  // every match, or the first

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("all", self.all);
  }
};

struct SplitTextParams {
  // Each byte of the separator separates, and without one all bytes are pieces; else the separator
  // as a whole, and without one white space of ASCII, of which a run counts once and at the ends
  // counts for nothing.
  bool any_byte = false;
  bool skip_empty = false;       // pieces without a byte
  std::int64_t max_splits = -1;  // after so many, the rest is one piece; negative: no limit

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("any_byte", self.any_byte);
    f("skip_empty", self.skip_empty);
    f("max_splits", self.max_splits);
  }
};

// The sizes of the pieces; `most` is SplitTextMost's. Those of the counts are those of x.
constexpr Status SplitTextShape(const Shape& x, std::int64_t most, Shape* pieces) {
  if (x.size() == kMaxRank) return Status::Error("a tensor with too many axes to be split");
  *pieces = x;
  pieces->push_back(most);
  return CheckSizes(*pieces);
}

// `size` has one element.
constexpr Status TextBytesShape(const Shape& x, IntSpan size, Shape* bytes) {
  if (x.size() == kMaxRank) return Status::Error("a tensor with too many axes for its bytes");
  if (size.size != 1 || size[0] < 0) return Status::Error("the number of bytes is negative");
  *bytes = x;
  bytes->push_back(size[0]);
  return CheckSizes(*bytes);
}

// FarmHash's Fingerprint64, MurmurHash64A, SipHash-2-4.
enum class TextHash { kFarm, kMurmur, kSip };

constexpr const char* Name(TextHash hash) {
  switch (hash) {
    case TextHash::kFarm:
      return "kFarm";
    case TextHash::kMurmur:
      return "kMurmur";
    case TextHash::kSip:
      return "kSip";
  }
  return "";
}

struct HashBucketParams {
  TextHash hash = TextHash::kFarm;
  std::int64_t buckets = 1;  // 0: the hash itself, all 64 bits
  // The bits of the two halves of SipHash's key.
  std::int64_t key0 = 0;
  std::int64_t key1 = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("hash", self.hash);
    f("buckets", self.buckets);
    f("key0", self.key0);
    f("key1", self.key1);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TEXT_H_
