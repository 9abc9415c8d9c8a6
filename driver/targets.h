// SPDX-License-Identifier: Apache-2.0
// What a common model can become: files of a format that is not a container, a C++ program, a run.
#ifndef DRAGOMAN_DRIVER_TARGETS_H_
#define DRAGOMAN_DRIVER_TARGETS_H_

#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"
#include "driver/formats.h"

namespace dragoman {

struct Target {
  std::string_view name;
  // All nodes and other things of a common model that stand in the way, as the errors that the
  // target would have.
  Status (*check)(const Model& common);
  // How it has operator `def`, with some types and attributes at least.
  OpSupport (*support)(const OpDef& def);
};

// Formats that answer, in their order, then "cpp" and "run".
std::vector<Target> TargetsOf(Formats formats);
// Errors: no such target.
Result<Target> TargetByName(Formats formats, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_TARGETS_H_
