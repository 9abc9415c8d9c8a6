// SPDX-License-Identifier: Apache-2.0
// The JSON of an archive of torch.export, read with limits, and as attributes.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_JSON_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_JSON_H_

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman::torch {

using Json = nlohmann::json;

// Graphs nest in graphs, each a few levels of JSON deeper.
inline constexpr int kMaxJsonDepth = 640;
inline constexpr std::size_t kMaxJsonValues = 20'000'000;

// Infinity, -Infinity and NaN are read as strings. Errors: malformed JSON, with the byte; the
// limits; a key that an object has twice.
Result<Json> ParseJson(std::string_view text);

// Null is none, arrays are lists, objects dictionaries, in the order of their keys. Errors: a
// number that no attribute holds.
Result<Attribute> ToAttribute(const Json& json);

// The member `key` of an object, or nullptr.
const Json* FindMember(const Json& object, const char* key);
// A string member; empty if there is none.
std::string TextMember(const Json& object, const char* key);
// nullopt: not an integer, or one beyond 64 bits.
std::optional<std::int64_t> IntegerOf(const Json& json);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_JSON_H_
