// SPDX-License-Identifier: Apache-2.0
#include "proto/text_message.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <limits>
#include <string_view>

namespace dragoman {
namespace {

// The first error of a text message.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!message_.empty()) return;
    message_ = message;
    place_ = "line " + std::to_string(line + 1) + ":" + std::to_string(column + 1);
  }
  Error Take(const google::protobuf::Message& message) const {
    return InvalidInput("the text is no " + message.GetDescriptor()->name() + ": " + message_)
        .At(place_);
  }

 private:
  std::string message_;
  std::string place_;
};

Status ParseTextFormat(std::span<const std::byte> text, google::protobuf::Message* message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxMessageNesting);
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&input, message)) return error.Take(*message);
  return {};
}

Status ParseJson(std::span<const std::byte> text, google::protobuf::Message* message) {
  const google::protobuf::StringPiece json(reinterpret_cast<const char*>(text.data()), text.size());
  const auto status = google::protobuf::util::JsonStringToMessage(json, message);
  if (status.ok()) return {};
  const std::string reason(status.message().data(), status.message().size());
  // What follows repeats the text around the error over several lines.
  return InvalidInput("the JSON is no " + message->GetDescriptor()->name() + ": " +
                      reason.substr(0, reason.find('\n')));
}

}  // namespace

Status ParseTextMessage(std::span<const std::byte> text, TextForm form,
                        google::protobuf::Message* message) {
  if (text.size() > std::size_t{std::numeric_limits<std::int32_t>::max()}) {
    return Unsupported("the text has more than 2 GiB");
  }
  return form == TextForm::kJson ? ParseJson(text, message) : ParseTextFormat(text, message);
}

Result<std::string> PrintTextMessage(const google::protobuf::Message& message, TextForm form) {
  std::string text;
  if (form == TextForm::kTextFormat) {
    google::protobuf::TextFormat::PrintToString(message, &text);
    return text;
  }
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  const auto status = google::protobuf::util::MessageToJsonString(message, &text, options);
  if (status.ok()) return text;
  return Unsupported("the model has no form as JSON: " +
                     std::string(status.message().data(), status.message().size()));
}

}  // namespace dragoman
