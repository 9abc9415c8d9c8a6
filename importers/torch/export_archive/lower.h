// SPDX-License-Identifier: Apache-2.0
// Lowers a source Model of torch.export (README.md, "torch.export") to a common Model.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_LOWER_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_LOWER_H_

#include <functional>
#include <string_view>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Sizes are those that the file states, symbols where it does ("s77"), unless facts say more.
// Buffers that the program changes become States, named as in the module ("lstm.h0"). Errors:
// facts that contradict the file, or a size beyond the range that it states; what has no common
// form, all of it, at the lines of the user's source.
Result<Model> LowerExportArchive(const Model& source, const Facts& facts = {},
                                 const std::function<void(std::string_view)>& note = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_LOWER_H_
