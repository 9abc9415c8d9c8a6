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

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TEXT_READ_MODEL_H_
