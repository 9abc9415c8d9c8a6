// SPDX-License-Identifier: Apache-2.0
// Reads archives of torch.export (.pt2) as source Models.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_READ_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torch/container/archive.h"

namespace dragoman {

// The program of the archive, dialect "pt2" (importers/torch/README.md, "torch.export"). Errors:
// those of torch::Archive::Open; JSON that does not follow the schema; versions of it that are not
// known; weights that are not there; archives without a program (AOTInductor) or with several.
Result<Model> ReadExportArchive(const std::string& path);
Result<Model> ReadExportArchive(const torch::Archive& archive);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_READ_MODEL_H_
