// SPDX-License-Identifier: Apache-2.0
// What `dragoman inspect` says about a model as it is in the file.
#ifndef DRAGOMAN_CLI_INSPECT_CENSUS_H_
#define DRAGOMAN_CLI_INSPECT_CENSUS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "driver/data.h"
#include "driver/formats.h"
#include "driver/model_costs.h"

namespace dragoman::cli {

// What the graphs of a model hold together.
struct Census {
  std::vector<std::pair<std::string, std::size_t>> ops;  // most frequent first
  std::size_t nodes = 0;
  WeightCensus weights;
};

Census CensusOf(const Model& model);

// The outputs of an entry as it is in the file, under the names that commands take, which are those
// of the lowered model.
std::vector<Slot> ShownOutputs(const Entry& entry, const Result<Model>& lowered);

// "pytorch 2.1.0, IR version 8"; empty: the file does not say.
std::string WriterText(const Model& model);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_INSPECT_CENSUS_H_
