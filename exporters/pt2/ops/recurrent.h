// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_RECURRENT_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_RECURRENT_H_

#include "core/ir/graph.h"

namespace dragoman::pt2 {

bool IsRecurrence(const Node& node);
// Whether torch has the recurrence as an operator: the usual functions, no peepholes, lengths or
// bounds, and of a GRU the form that resets after the product.
bool HasTorchRecurrence(const Node& node);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_RECURRENT_H_
