// SPDX-License-Identifier: Apache-2.0
// The metadata section of a module: metadata = tvm.ir.load_json("""…"""), in front of it.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_METADATA_OF_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_METADATA_OF_H_

#include <string_view>

#include "core/support/result.h"
#include "importers/tvm/metadata.h"

namespace dragoman::tvmscript {

// Without a section it has no nodes.
Result<tvm::Metadata> MetadataOf(std::string_view preamble);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_METADATA_OF_H_
