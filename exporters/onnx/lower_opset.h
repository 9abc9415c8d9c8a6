// SPDX-License-Identifier: Apache-2.0
// Writes common operators in the form of an older operator set.
//
// Between two opsets most operators only admit more element types. For the others there is a
// downgrade: an operand becomes an attribute, an attribute with its default value goes. What the
// older form cannot express is refused by name.
#ifndef DRAGOMAN_EXPORTERS_ONNX_LOWER_OPSET_H_
#define DRAGOMAN_EXPORTERS_ONNX_LOWER_OPSET_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/op_def.h"
#include "core/support/result.h"
#include "proto/onnx/opset.h"

namespace dragoman {

inline constexpr std::int64_t kMinExportOpset = 7;
// Where nothing asks for another: the runtimes of all recent years read it.
inline constexpr std::int64_t kUsualOpset = 17;
// What is of kCommonOpset has the same form and meaning in all up to it.
inline constexpr std::int64_t kMaxExportOpset = kNewestOnnxOpset;
// The newest that is written without being asked for: ONNX Runtime 1.31 loads no newer one.
inline constexpr std::int64_t kMaxKeptOpset = 26;

// Errors: an opset that is not between kMinExportOpset and kMaxExportOpset.
Status CheckOpset(std::int64_t opset);

// Gives every node of `graph` and its bodies the form of ai.onnx `opset`. Adds a finding for each
// node that has none. Operators of ai.onnx that the common dialect lacks are only known to be of
// `own`, the opset of the file that they are from.
void LowerOpset(Graph& graph, std::int64_t opset, std::optional<std::int64_t> own,
                std::vector<Finding>& findings);

// Of a node of ai.onnx; nullptr if they are not known.
const OpVersions* FindOpVersions(const Node& node);

// Gives `node` the form that its operator had before `since`, where a newer form began. Empty text,
// or what the older form cannot express.
using Downgrade = std::string (*)(Node& node);
struct FormChange {
  std::string_view type;
  std::int64_t since;
  Downgrade downgrade;
};
// Sorted by type, newer changes first: those after opset 11, and those up to it.
std::span<const FormChange> LateFormChanges();
std::span<const FormChange> EarlyFormChanges();

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_LOWER_OPSET_H_
