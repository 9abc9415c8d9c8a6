// SPDX-License-Identifier: Apache-2.0
// Lowers a source Model of dialect onnx, of any operator-set version, to a common Model: ai.onnx at
// kCommonOpset.
//
// Local functions are inlined, older operators are upgraded (attributes that became operands,
// renamed operators, changed defaults), Constant nodes become constants, an If on a known condition
// is replaced by its branch. An operator that the common dialect lacks stays as a foreign node.
// Each node's Origin is the source node with all its attributes.
#ifndef DRAGOMAN_IMPORTERS_ONNX_LOWER_H_
#define DRAGOMAN_IMPORTERS_ONNX_LOWER_H_

#include <functional>
#include <string_view>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// So deep calls of functions and bodies of nodes may nest, together.
inline constexpr int kMaxNesting = 256;

// A map of the interface becomes two tensors: its keys, ascending, and its values; a list of maps
// the keys that all have, and a matrix of values with a row a map (runtime/program/map.h).
//
// Contradictions between declared and computed sizes (core/analysis/declared_types.h) go to `note`,
// and that a file is of a newer operator set than kNewestOnnxOpset: its operators are read as that
// has them.
//
// Errors: invalid input, where a node breaks the rules of its operator; unsupported, where an older
// form cannot be expressed. All that stand in the way are listed, up to the first failing node of
// each graph.
Result<Model> LowerOnnx(const Model& source, const Facts& facts = {},
                        const std::function<void(std::string_view)>& note = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_LOWER_H_
