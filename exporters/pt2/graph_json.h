// SPDX-License-Identifier: Apache-2.0
// Source graphs of torch.export as JSON of the schema: the inverse of
// importers/torch/export_archive/graph_reader.h.
#ifndef DRAGOMAN_EXPORTERS_PT2_GRAPH_JSON_H_
#define DRAGOMAN_EXPORTERS_PT2_GRAPH_JSON_H_

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

struct ProgramGraph {
  Json graph;
  Json input_specs;
  Json output_specs;
};

// The graph of an entry, with its signature. Errors: two values of one name; references to operands
// or outputs that are not there; attributes without a form.
Result<ProgramGraph> ProgramGraphJson(const Graph& graph);

// The description of a tensor, `meta`, with the sizes of `type` where these are other numbers than
// it states.
void UpdateSizes(const Type& type, Json& meta);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_GRAPH_JSON_H_
