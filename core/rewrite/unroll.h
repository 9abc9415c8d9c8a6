// SPDX-License-Identifier: Apache-2.0
// Lowers LSTM (dragoman.LSTM as well), GRU and RNN to cells made of products, sums and activations,
// for targets without sequence operators.
#ifndef DRAGOMAN_CORE_REWRITE_UNROLL_H_
#define DRAGOMAN_CORE_REWRITE_UNROLL_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/ir/model.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// The nodes that this makes are many: longer sequences are refused.
inline constexpr std::int64_t kMaxUnrolledSteps = 20'000;

// Replaces every LSTM, GRU and RNN of the common `model`, in bodies too. Each step has one product
// with the state, for all gates; the products of all steps' inputs are one node before the first.
// All attributes are respected. With sequence_lens, a step beyond a row's length keeps the state
// and gives 0. The order of steps is that of the direction.
// Errors: unsupported, listing every node whose number of steps or hidden size is not known, or is
// 0 or beyond kMaxUnrolledSteps.
Status UnrollSequences(Model& model, const std::function<void(std::string_view)>& explain);

// The same of one node.
Status UnrollSequence(Node& node, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_UNROLL_H_
