// SPDX-License-Identifier: Apache-2.0
// Nodes of a program that compute one operator of the common dialect, as metadata of ours remarks
// on them (exporters/pt2/operator_remark.h). The digest is that of the nodes
// (core/compare/composed_part.h), in which sizes are expressions of symbols.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_COMPOSED_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_COMPOSED_H_

#include <functional>
#include <map>
#include <string>

#include "core/ir/model.h"
#include "core/lowering/composed.h"
#include "core/support/result.h"

namespace dragoman::torch {

// The remarks that hold, of all graphs of a source Model. None holds in a program that writes in
// place, where nodes may see what others write, or that is mapped over a batch.
ComposedNodes FindComposed(const Model& source);

// The digests of the remarks of a program, a JSON, by the first result that each names; "" where
// the nodes take more than the operands. `weight` gives the elements of a placeholder, or nullptr.
Result<std::map<std::string, std::string>> DigestsOfRemarks(
    const std::string& program,
    const std::function<const Tensor*(const std::string& placeholder)>& weight);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_COMPOSED_H_
