// SPDX-License-Identifier: Apache-2.0
// Compares two models of any formats: as the files have them where that can be, else lowered.
#ifndef DRAGOMAN_DRIVER_DIFF_SOURCES_H_
#define DRAGOMAN_DRIVER_DIFF_SOURCES_H_

#include <array>
#include <optional>
#include <string>

#include "core/analysis/facts.h"
#include "core/compare/diff.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman {

// What files of different formats are rewritten by before they are compared: their lowerings spell
// the same in different ways, and exporters fold constants.
inline constexpr const char* kPassesOfExports =
    "default,fold-weights,unify-sizes,unify-factors,sink-all-transposes,hide-by-infinity,"
    "lower-scans";

struct DiffRequest {
  std::optional<Level> level;         // nullopt: source if dialects and versions agree
  std::array<Facts, 2> facts;         // any: both are lowered first
  std::optional<std::string> passes;  // likewise; of different formats those of exports
  bool exports = false;               // of one model, perhaps in one format: likewise
  CompareOptions compare;             // but for the level
};

// Two exports that differ are compared once more under assumptions about inputs; where they are
// equal then, the report states these.
//
// Models are lowered in place where the comparison needs it; what cannot be is an error in the file
// of that name. Fills `trace`, unless it is nullptr. Errors: those of Session::Diff; the source
// level, with facts or passes.
Result<DiffReport> DiffSources(const Session& session, std::array<Model, 2>& models,
                               const std::array<std::string, 2>& files, DiffRequest request,
                               DiffTrace* trace = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_DIFF_SOURCES_H_
