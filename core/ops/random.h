// Nodes that draw random numbers: known to inference, rewrites and exporters, not run.
#ifndef DRAGOMAN_CORE_OPS_RANDOM_H_
#define DRAGOMAN_CORE_OPS_RANDOM_H_

#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// Why `node` itself (not its subgraphs) cannot be run, for a finding; "" if it draws no random
// numbers, or if only the run tells: Dropout whose training_mode or ratio is computed.
std::string_view WhyRandom(const Node& node);

// Whether a run of `node` may find that random numbers are wanted.
bool MayDrawRandomNumbers(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_RANDOM_H_
