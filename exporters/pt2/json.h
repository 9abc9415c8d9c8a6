// SPDX-License-Identifier: Apache-2.0
// Attributes as the JSON that they were read from.
#ifndef DRAGOMAN_EXPORTERS_PT2_JSON_H_
#define DRAGOMAN_EXPORTERS_PT2_JSON_H_

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman::pt2 {

using Json = nlohmann::json;

// Errors: an attribute that is not a JSON.
Result<Json> FromAttribute(const Attribute& attribute);
// Errors: a text in it is not UTF-8, which JSON cannot hold.
Result<std::string> JsonText(const Json& json);
// Finite numbers, or the words that the format has for the others.
Json FloatJson(double value);

// The attribute `key`, which the reader has left. Errors: it is not there.
Result<const Attribute*> Required(const Extra* extra, std::string_view key);
Result<Json> RequiredJson(const Extra* extra, std::string_view key);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_JSON_H_
