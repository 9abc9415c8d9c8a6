// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scaled dot-product attention in f32: y = softmax(mask(scale · q kᵀ)) v for each entry of a batch
// (of heads), by loops of our own, some queries at a time, so that their scores stay in the cache.
// Operands and result lie where their strides say: heads need no transposition.
#ifndef DRAGOMAN_RUNTIME_FAST_ATTENTION_H_
#define DRAGOMAN_RUNTIME_FAST_ATTENTION_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/strided.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// A batch of matrices, with the strides of rows and of columns.
using AttentionMatrix = Strided;

// What is done to the scores before softmax; masks are (queries, keys).
struct AttentionMask {
  enum class Kind {
    kNone,
    kAdd,   // f32, added
    kKeep,  // bool; where it is false the score becomes `fill`
    kHide,  // bool; where it is true
  };

  Kind kind = Kind::kNone;
  float fill = 0.0f;
  AttentionMatrix matrix;
};

constexpr const char* Name(AttentionMask::Kind kind) {
  constexpr const char* kNames[] = {"kNone", "kAdd", "kKeep", "kHide"};
  return kNames[static_cast<int>(kind)];
}

// Which weights softmax gave become 0.
enum class AttentionZeros {
  kNone,
  kNan,           // those that are NaN
  kHiddenScores,  // those of queries whose scores all are -inf
  kHiddenMasks,   // those of queries for which the first mask, which is added, is -inf everywhere
  kMasked,        // those that the first mask, of kind kKeep, hides
};

constexpr const char* Name(AttentionZeros zeros) {
  constexpr const char* kNames[] = {"kNone", "kNan", "kHiddenScores", "kHiddenMasks", "kMasked"};
  return kNames[static_cast<int>(zeros)];
}

struct AttentionSizes {
  static constexpr int kMasks = 2;

  Shape batch;
  std::int64_t queries = 0, keys = 0;
  std::int64_t depth = 0;     // columns of q and k
  std::int64_t features = 0;  // columns of v and y
  float scale = 1.0f;
  AttentionMatrix q, k, v, y;
  AttentionMask masks[kMasks];  // applied in this order
  AttentionZeros zeros = AttentionZeros::kNone;
};

class PreparedAttention {
 public:
  // Nothing empty; columns of y and of masks follow each other, or a mask has one for all keys.
  static bool Supports(const AttentionSizes& sizes);

  Status Init(const FastContext& context, const AttentionSizes& sizes) noexcept;
  // Takes other sizes, which Supports.
  void Resize(const AttentionSizes& sizes) noexcept;

  // The masks hold floats or bools; they may be null where there is none. `scratch` has
  // ScratchBytes() and is aligned to 64.
  Status Run(const float* q, const float* k, const float* v, const void* mask, const void* mask_2,
             float* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept { return "own loops"; }

 private:
  AttentionSizes sizes_;
  std::int64_t batch_ = 0;  // all entries
  std::int64_t parts_ = 1;  // for as many threads
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ATTENTION_H_
