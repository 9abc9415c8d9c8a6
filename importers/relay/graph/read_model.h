// SPDX-License-Identifier: Apache-2.0
// Reads Relay text, with the `.params` file beside it, as a source Model (README.md of the folder
// above).
#ifndef DRAGOMAN_IMPORTERS_RELAY_GRAPH_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_RELAY_GRAPH_READ_MODEL_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// What a file of TVM's Relay is.
enum class RelayFile { kNone, kText, kParams, kGraphJson };
RelayFile RelayFileKind(std::span<const std::byte> bytes);

// `m.params` beside `m.relay` (or `m.txt`) gives inputs of its entries their contents. Errors:
// text, metadata or arrays that are damaged, with their place; unsupported: other versions of the
// text, and the graph of TVM's graph executor, which names compiled kernels.
Result<Model> ReadRelay(const std::string& path);
// Of a text alone.
Result<Model> ReadRelayText(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAY_GRAPH_READ_MODEL_H_
