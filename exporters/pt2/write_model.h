// SPDX-License-Identifier: Apache-2.0
// Writes archives of torch.export (.pt2).
#ifndef DRAGOMAN_EXPORTERS_PT2_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_PT2_WRITE_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// `model` must be a source Model as a .pt2 archive gives it (importers/torch/README.md), edited or
// not. Unedited, the JSON is that of the file but for the order of keys, and all other records are
// the same bytes. Errors: another model; edits that the format cannot hold, such as a weight that
// the file does not list, tied weights that differ, two values of one name.
Status WriteExportArchive(const Model& model, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_PT2_WRITE_MODEL_H_
