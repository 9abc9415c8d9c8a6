// SPDX-License-Identifier: Apache-2.0
// Reads the JSON that exporters/json writes.
#ifndef DRAGOMAN_IMPORTERS_JSON_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_JSON_READ_MODEL_H_

#include <string>
#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The Model that was written. Nothing in the text is trusted: InvalidInput says what is wrong
// where. Fields of another name are errors.
Result<Model> ReadJsonText(std::string_view text);
Result<Model> ReadJson(const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_JSON_READ_MODEL_H_
