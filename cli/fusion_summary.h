// SPDX-License-Identifier: Apache-2.0
// What became of the recurrences of a model, in one line.
#ifndef DRAGOMAN_CLI_FUSION_SUMMARY_H_
#define DRAGOMAN_CLI_FUSION_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/ir/model.h"

namespace dragoman::cli {

// How many nodes a model has, bodies included, and its recurrent operators by name and number of
// steps, which is -1 where it is not known.
struct NodeCount {
  std::size_t nodes = 0;
  std::map<std::pair<std::string, std::int64_t>, std::size_t> recurrent;
};
NodeCount CountNodes(const Model& model);

// "10,412 nodes to 9: 2 LSTM of 400 steps; 3.1 MB to 84 kB"; empty if no recurrent operator was
// made. The sizes are those of the files, in bytes; both are left out where one is 0, as of a
// folder or a pipe.
std::string FusionSummary(const NodeCount& before, const NodeCount& after,
                          std::uint64_t bytes_before, std::uint64_t bytes_after);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_FUSION_SUMMARY_H_
