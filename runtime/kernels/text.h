// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on strings, which are bytes; what a byte means, only UTF-8 and ASCII define.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TEXT_H_
#define DRAGOMAN_RUNTIME_KERNELS_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/regex.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/kernels/text_hash.h"
#include "runtime/kernels/utf8_text.h"
#include "runtime/params/status.h"
#include "runtime/params/text.h"

namespace dragoman::rt {

namespace internal {

template <class F>
void MapText(TensorView<const std::string> x, TensorView<std::string> y, F f) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

// Each byte by `f`.
template <class F>
void MapBytes(TensorView<const std::string> x, TensorView<std::string> y, F f) {
  MapText(x, y, [&](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), f);
    return text;
  });
}

constexpr bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// How many bytes the first `count` characters of `text` have; all of them if it has fewer.
inline std::size_t BytesOf(std::string_view text, std::int64_t count) {
  std::size_t bytes = 0;
  std::int32_t character = 0;
  for (std::int64_t i = 0; i < count && bytes < text.size(); ++i)
    bytes += DecodeUtf8(text.substr(bytes), &character);
  return bytes;
}

}  // namespace internal

// The letters of ASCII in the other case; all other bytes stay.
template <class T>
void AsciiLower(TensorView<const T> x, TensorView<T> y) {
  internal::MapBytes(x, y,
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}
template <class T>
void AsciiUpper(TensorView<const T> x, TensorView<T> y) {
  internal::MapBytes(x, y,
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
}

// Without white space of ASCII at both ends.
template <class T>
void AsciiStrip(TensorView<const T> x, TensorView<T> y) {
  internal::MapText(x, y, [](std::string_view text) {
    while (!text.empty() && internal::IsAsciiSpace(text.front())) text.remove_prefix(1);
    while (!text.empty() && internal::IsAsciiSpace(text.back())) text.remove_suffix(1);
    return std::string(text);
  });
}

template <class T>
void TextLength(const TextUnitParams& p, TensorView<const T> x, TensorView<std::int64_t> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = p.utf8 ? CountUtf8(x[i]) : static_cast<std::int64_t>(x[i].size());
}

// The first bytes of each text, as many as the last axis of y has; zeros after a shorter one.
template <class T>
void TextBytes(TensorView<const T> x, TensorView<const std::int64_t> /*size*/,
               TensorView<std::uint8_t> y) {
  const std::int64_t n = x.size();
  const std::int64_t size = y.shape.back();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string_view text = std::string_view(x[i]).substr(0, static_cast<std::size_t>(size));
    std::uint8_t* bytes = y.data + i * size;
    std::fill(std::copy(text.begin(), text.end(), bytes), bytes + size, std::uint8_t{0});
  }
}

// The number of the character that a text of one character is; kNoCharacter for other texts.
template <class T>
void CodePoint(TensorView<const T> x, TensorView<std::int32_t> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string_view text = x[i];
    y[i] = kNoCharacter;
    if (!text.empty() && DecodeUtf8(text, &y[i]) != text.size()) y[i] = kNoCharacter;
  }
}

// The text of one character; U+FFFD for what is none.
template <class T>
void CodePointText(TensorView<const T> x, TensorView<std::string> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) y[i] = EncodeUtf8(x[i]);
}

// Text i is those of x from ends[i] up to ends[i + 1], with the separator (of one element) between
// them. Errors: ends that do not ascend from 0 to the size of x.
template <class T>
Status JoinText(TensorView<const T> x, TensorView<const std::int64_t> ends,
                TensorView<const T> separator, TensorView<T> y) {
  const std::int64_t n = y.size();
  if (ends[0] != 0 || ends[n] != x.size())
    return Status::Error("the ends of joined texts do not cover them all");
  for (std::int64_t i = 0; i < n; ++i) {
    if (ends[i + 1] < ends[i] || ends[i + 1] > x.size())
      return Status::Error("the ends of joined texts do not ascend");
    T& text = y[i];
    text.clear();
    for (std::int64_t k = ends[i]; k < ends[i + 1]; ++k) {
      if (k > ends[i]) text += separator[0];
      text += x[k];
    }
  }
  return Status();
}

// `length` units from `start`, which counts from the end if it is negative; fewer where the text
// ends. All operands broadcast. Errors: a start beyond the text.
template <class T>
Status Substring(const TextUnitParams& p, TensorView<const T> x,
                 TensorView<const std::int64_t> start, TensorView<const std::int64_t> length,
                 TensorView<T> y) {
  const Shape* const shapes[] = {&x.shape, &start.shape, &length.shape};
  const BroadcastPlan<3> plan(y.shape, shapes);
  Status status;
  std::int64_t at = 0;
  if (y.size() == 0) return status;
  plan.ForEachRow([&](const std::int64_t* offsets) {
    for (std::int64_t i = 0; i < plan.sizes.back(); ++i, ++at) {
      const auto of = [&](int k) { return offsets[k] + i * plan.strides[k].back(); };
      const std::string_view text = x[of(0)];
      const std::int64_t units = p.utf8 ? CountUtf8(text) : static_cast<std::int64_t>(text.size());
      const std::int64_t from = start[of(1)] + (start[of(1)] < 0 ? units : 0);
      if (from < 0 || from > units) {
        status = Status::Error("the start of a substring lies beyond the text");
        continue;
      }
      const std::int64_t count = std::clamp<std::int64_t>(length[of(2)], 0, units - from);
      const std::size_t first =
          p.utf8 ? internal::BytesOf(text, from) : static_cast<std::size_t>(from);
      const std::string_view rest = text.substr(first);
      y[at] =
          rest.substr(0, p.utf8 ? internal::BytesOf(rest, count) : static_cast<std::size_t>(count));
    }
  });
  return status;
}

// Puts `rewrite` in place of what `pattern` (both of one element) matches; runtime/kernels/regex.h
// says how. Errors: its errors.
template <class T>
Status RegexReplace(const RegexReplaceParams& p, TensorView<const T> x, TensorView<const T> pattern,
                    TensorView<const T> rewrite, TensorView<T> y) {
  Regex regex;
  DRAGOMAN_RT_TRY(regex.Compile(pattern[0]));
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i)
    DRAGOMAN_RT_TRY(regex.Replace(x[i], rewrite[0], p.all, &y[i]));
  return Status();
}

template <class T>
Status RegexFullMatch(TensorView<const T> x, TensorView<const T> pattern, TensorView<bool> y) {
  Regex regex;
  DRAGOMAN_RT_TRY(regex.Compile(pattern[0]));
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) y[i] = regex.MatchesAll(x[i]);
  return Status();
}

// Both operands broadcast.
template <class T>
void StringConcat(TensorView<const T> x, TensorView<const T> y, TensorView<T> z) {
  const Shape* const shapes[] = {&x.shape, &y.shape};
  const BroadcastPlan<2> plan(z.shape, shapes);
  T* out = z.data;
  if (z.size() == 0) return;
  plan.ForEachRow([&](const std::int64_t* offsets) {
    for (std::int64_t i = 0; i < plan.sizes.back(); ++i) {
      *out++ =
          x[offsets[0] + i * plan.strides[0].back()] + y[offsets[1] + i * plan.strides[1].back()];
    }
  });
}

// A number from 0 to buckets - 1 for each text, or its hash.
template <class T>
void HashBucket(const HashBucketParams& p, TensorView<const T> x, TensorView<std::int64_t> y) {
  // What TensorFlow begins with.
  constexpr std::uint64_t kMurmurSeed = 0xdecafcaffe;
  const auto hash = [&](std::string_view text) {
    if (p.hash == TextHash::kFarm) return FarmFingerprint64(text);
    if (p.hash == TextHash::kMurmur) return MurmurHash64(text, kMurmurSeed);
    return SipHash24(text, static_cast<std::uint64_t>(p.key0), static_cast<std::uint64_t>(p.key1));
  };
  const std::int64_t n = y.size();
  const auto buckets = static_cast<std::uint64_t>(p.buckets);
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = static_cast<std::int64_t>(buckets == 0 ? hash(x[i]) : hash(x[i]) % buckets);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TEXT_H_
