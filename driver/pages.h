// SPDX-License-Identifier: Apache-2.0
// Pages that show models (page/write_page.h), as commands and bindings write them.
#ifndef DRAGOMAN_DRIVER_PAGES_H_
#define DRAGOMAN_DRIVER_PAGES_H_

#include <array>
#include <string>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"
#include "page/write_page.h"

namespace dragoman {

// A page of `source` as it is in its file, and of `lowered`, unless that is nullptr, rewritten by
// the default passes. `title` heads the page.
std::string PageOfModel(const Session& session, const Model& source, const Model* lowered,
                        const std::string& title, std::vector<page::Heat> heats = {});

// A page of two models that were compared, under the names of their files.
std::string PageOfDiff(const Model& a, const Model& b, const DiffReport& report,
                       const DiffTrace& trace, const std::array<std::string, 2>& names);

// The histograms of the weights of a model, the largest weights first, as an SVG picture.
std::string PlotOfWeights(const Model& model, const std::string& title);

// Numbers of nodes in a file that holds what `bench --profile --json` (of
// the first model) or `verify --bisect --json` printed. Errors: it holds something else.
Result<std::vector<page::Heat>> ReadHeats(const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_PAGES_H_
