// SPDX-License-Identifier: Apache-2.0
// Copies in row-major order of buffers that lie otherwise.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_ROW_MAJOR_COPIES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_ROW_MAJOR_COPIES_H_

#include <functional>
#include <set>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// Those both of `made` and of `accepted` for which all readers could read a copy in row-major order
// just as well.
std::set<BufferId> ThoseToCopy(const PlanEntry& entry, const std::set<BufferId>& made,
                               const std::set<BufferId>& accepted);

struct RowMajorCopies {
  // Whether `step` reads the buffer as it lies.
  std::function<bool(const Step& step, BufferId id)> accepts;
  // A step that copies `id` to `copy`, with all but its number, comment and results.
  std::function<Step(BufferId id, BufferId copy)> make;
};

// After the step that gives one of `buffers` to a reader that does not accept it, there is a copy,
// "NAME_row_major", which such readers read. The buffers are read within the entry's own steps.
void CopyToRowMajor(Plan& plan, PlanEntry& entry, const std::set<BufferId>& buffers,
                    const RowMajorCopies& copies);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_ROW_MAJOR_COPIES_H_
