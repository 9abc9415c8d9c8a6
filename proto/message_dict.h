// SPDX-License-Identifier: Apache-2.0
// Protobuf messages as attributes and back, for what a graph has no typed home for.
//
// A number or string is an attribute as such, a message a Dict of its own fields, a repeated field
// a list (a map: a list of dicts of `key` and `value`); fields that the schema does not know are
// bytes under "unknown_fields".
#ifndef DRAGOMAN_PROTO_MESSAGE_DICT_H_
#define DRAGOMAN_PROTO_MESSAGE_DICT_H_

#include <google/protobuf/message.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman {

inline constexpr std::string_view kUnknownFields = "unknown_fields";

// Where a field of strings or bytes has another form as an attribute: that form, nullopt for the
// string itself.
using StringToForm = std::function<std::optional<Attribute>(
    const google::protobuf::FieldDescriptor& field, const std::string& text)>;
// The string of an attribute, where it is not the attribute itself; nullopt: it has none.
using FormToString = std::function<std::optional<std::string>(
    const google::protobuf::FieldDescriptor& field, const Attribute& value)>;

// Every field that is set, by number; entries of a map by key; unknown fields last. Messages nest
// no deeper than protobuf lets them.
Attribute::Dict MessageToDict(const google::protobuf::Message& message,
                              const StringToForm& form = nullptr);

// Sets a field of `message` for each entry. Errors: an entry that is not a field, or of another
// kind.
Status DictToMessage(const Attribute::Dict& entries, google::protobuf::Message* message,
                     const FormToString& text = nullptr);
// The same for the field `name`.
Status SetField(std::string_view name, const Attribute& value, google::protobuf::Message* message,
                const FormToString& text = nullptr);

// The bytes of `message`, the same for equal messages: entries of maps are sorted.
std::string StableBytes(const google::protobuf::Message& message);

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_MESSAGE_DICT_H_
