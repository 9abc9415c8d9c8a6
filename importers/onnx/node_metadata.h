// SPDX-License-Identifier: Apache-2.0
// The metadata_props of nodes.
#ifndef DRAGOMAN_IMPORTERS_ONNX_NODE_METADATA_H_
#define DRAGOMAN_IMPORTERS_ONNX_NODE_METADATA_H_

#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// Keys and values, as they stand in the file.
std::vector<std::pair<std::string, std::string>> NodeMetadata(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_NODE_METADATA_H_
