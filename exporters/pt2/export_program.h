// SPDX-License-Identifier: Apache-2.0
// Common models as archives of torch.export.
#ifndef DRAGOMAN_EXPORTERS_PT2_EXPORT_PROGRAM_H_
#define DRAGOMAN_EXPORTERS_PT2_EXPORT_PROGRAM_H_

#include <functional>
#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"
#include "exporters/pt2/operator_remark.h"
#include "exporters/pt2/release.h"

namespace dragoman {

// Takes a line on what is left out.
using ExportNote = std::function<void(std::string_view)>;

// Writes the default entry of a common model as the program `model`, which torch.export.load gives,
// and the others as programs of their names, which load_pt2 gives beside it. One of these that ATen
// cannot express is left out with a note, and so are all where the release takes one program.
// Errors: unsupported, every node of the default entry that ATen cannot express.
// `digests` gives the digests of remarks (operator_remark.h); not set: there are no remarks.
Status ExportProgram(const Model& model, const std::string& path, pt2::Release release,
                     const ExportNote& note = nullptr, const pt2::RemarkDigests& digests = nullptr);
// What ExportProgram would refuse.
Status CheckExportProgram(const Model& model);
// How nodes of operator `def` are written.
OpSupport ExportProgramSupport(const OpDef& def);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_PT2_EXPORT_PROGRAM_H_
