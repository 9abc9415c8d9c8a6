// SPDX-License-Identifier: Apache-2.0
// Writes source graphs of dialect relay (importers/relay/README.md) as text of version 0.0.5.
#ifndef DRAGOMAN_CODEGEN_RELAY_WRITE_SOURCE_H_
#define DRAGOMAN_CODEGEN_RELAY_WRITE_SOURCE_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// All functions, calls, attributes, types and spans, in one layout: each call is a graph variable,
// but what a `let` binds and what a block gives. Graph variables are numbered through the whole
// module, as TVM's parser wants it. Constants that have no literal, and attributes of operators
// that declare no class, stand in the metadata section. Errors: unsupported, listing every node
// without a text.
Result<std::string> PrintRelaySource(const Model& model);

// The same as a file. Contents of inputs go into the `.params` file of its stem.
Status WriteRelaySource(const Model& model, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_RELAY_WRITE_SOURCE_H_
