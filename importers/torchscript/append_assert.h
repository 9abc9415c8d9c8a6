// What a program takes for granted, as a node that checks it when the model runs.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_APPEND_ASSERT_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_APPEND_ASSERT_H_

#include <string>

#include "core/analysis/builder.h"
#include "core/support/result.h"

namespace dragoman::torchscript {

// Appends dragoman.Assert: a run in which `condition` (bool, rank 0) is false ends with `message`.
Status AppendAssert(GraphBuilder& builder, Value* condition, const std::string& message);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_APPEND_ASSERT_H_
