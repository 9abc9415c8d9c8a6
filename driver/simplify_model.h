// SPDX-License-Identifier: Apache-2.0
// A model rewritten by passes and held against what it was.
#ifndef DRAGOMAN_DRIVER_SIMPLIFY_MODEL_H_
#define DRAGOMAN_DRIVER_SIMPLIFY_MODEL_H_

#include <cstdint>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman {

// The passes of a user who wants few nodes and takes larger weights for them.
inline constexpr char kSimplifyingPasses[] = "default,fold-large";

struct SimplifyOptions {
  LoweringOptions lowering;
  std::int64_t check = 3;  // on so many random inputs; 0: not at all
  std::uint64_t seed = 0;  // of these
};

// Errors: those of Session::ToCommon; an output that differs (internal: a bug in a pass). A model
// whose inputs cannot be drawn is not checked, which is a warning.
Result<Model> SimplifyModel(const Session& session, const Model& source,
                            const SimplifyOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_SIMPLIFY_MODEL_H_
