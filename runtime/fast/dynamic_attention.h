// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and rotary embeddings for sizes known only at run time: what attention.h and rotary.h
// are for known ones. Nothing is prepared; what is empty is left to none of the loops.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_ATTENTION_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_ATTENTION_H_

#include <algorithm>

#include "runtime/fast/attention.h"
#include "runtime/fast/context.h"
#include "runtime/fast/rotary.h"
#include "runtime/params/status.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicAttention {
 public:
  Status Init(const FastContext&) noexcept { return Status(); }

  // Like PreparedAttention; y is what a tensor holds, wherever its matrices lie in it. The scratch
  // memory grows where a run is larger than those before.
  Status Run(const AttentionSizes& sizes, const float* q, const float* k, const float* v,
             const void* mask, const void* mask_2, float* y, Memory& scratch) noexcept {
    const std::int64_t elements = NumElements(sizes.batch) * sizes.queries * sizes.features;
    if (elements == 0) return Status();
    if (sizes.keys == 0) {
      std::fill_n(y, elements, 0.0f);
      return Status();
    }
    if (!PreparedAttention::Supports(sizes)) return Status::Error("attention over bad sizes");
    attention_.Resize(sizes);
    DRAGOMAN_RT_TRY(scratch.Reserve(attention_.ScratchBytes()));
    return attention_.Run(q, k, v, mask, mask_2, y, scratch.data());
  }
  const char* Implementation() const noexcept { return attention_.Implementation(); }

 private:
  PreparedAttention attention_;
};

class DynamicRotary {
 public:
  Status Init(const FastContext&) noexcept { return Status(); }

  Status Run(const RotarySizes& sizes, const float* x, const float* cos, const float* sin, float* y,
             Memory&) noexcept {
    if (NumElements(sizes.batch) == 0) return Status();
    if (!PreparedRotary::Supports(sizes)) return Status::Error("a rotary embedding of bad sizes");
    rotary_.Resize(sizes);
    return rotary_.Run(x, cos, sin, y, nullptr);
  }
  const char* Implementation() const noexcept { return rotary_.Implementation(); }

 private:
  PreparedRotary rotary_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_ATTENTION_H_
