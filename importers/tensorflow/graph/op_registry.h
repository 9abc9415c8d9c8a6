// SPDX-License-Identifier: Apache-2.0
// The text of op_registry.txt.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_REGISTRY_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_REGISTRY_H_

#include <string_view>

namespace dragoman::tf {

std::string_view OpRegistryText();

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_REGISTRY_H_
