// SPDX-License-Identifier: Apache-2.0
// Messages as people read them: protobuf's text format, and its JSON.
#ifndef DRAGOMAN_PROTO_TEXT_MESSAGE_H_
#define DRAGOMAN_PROTO_TEXT_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <google/protobuf/message.h>

#include "core/support/result.h"

namespace dragoman {

enum class TextForm : std::uint8_t { kTextFormat, kJson };

// Nesting of messages that is read, of protobuf's own readers of bytes as well.
constexpr int kMaxMessageNesting = 100;

// Errors: invalid text, with its line and column where protobuf states them; more than 2 GiB.
Status ParseTextMessage(std::span<const std::byte> text, TextForm form,
                        google::protobuf::Message* message);

// Fields have the names of the schema in both forms; bytes are base64 in JSON. Errors: a text in
// the message is not UTF-8, which JSON cannot hold.
Result<std::string> PrintTextMessage(const google::protobuf::Message& message, TextForm form);

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_TEXT_MESSAGE_H_
