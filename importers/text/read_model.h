// SPDX-License-Identifier: Apache-2.0
// Reads models in the text form (docs/text-form.md).
#ifndef DRAGOMAN_IMPORTERS_TEXT_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_TEXT_READ_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// What ParseText makes of the file. Tensors that the text names by digest are windows on
// "<path>.bin", which must be a regular file beside it; each digest is checked. Errors name line
// and column.
Result<Model> ReadText(const std::string& path);

// `error` about a model that was read from the text at `path`: what it says of a node comes with
// the line of the text and a caret. Findings about nodes whose name the text has not, or has twice,
// stay as they are, all if `path` is not such a text.
Error LocateInText(Error error, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TEXT_READ_MODEL_H_
