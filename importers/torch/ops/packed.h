// SPDX-License-Identifier: Apache-2.0
// Packed sequences: the steps of a batch of sequences one after the other, each step with those
// sequences that are still running, longest first (torch.nn.utils.rnn.PackedSequence).
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_H_

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// The same, padded.
struct Padded {
  Value* steps = nullptr;    // (T, B, …); what lies beyond a sequence's end is any element
  Value* mask = nullptr;     // (T, B) bool: the step belongs to the sequence
  Value* lengths = nullptr;  // (B) int64
};

// `data` (sum of lengths, …), `batch_sizes` (T) int64: how many sequences run at each step.
Padded Unpack(Composer& c, Value* data, Value* batch_sizes);
// The steps (T, B, …) that the mask (T, B) marks.
Value* Pack(Composer& c, Value* steps, Value* mask);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_PACKED_H_
