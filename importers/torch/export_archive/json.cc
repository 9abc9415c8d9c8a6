// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::torch {
namespace {

// Reads a text without keeping it: counts, and finds the first thing that is wrong, also beyond the
// grammar. A parser of nlohmann's that is watched while it makes values takes, for each, the time
// to look at all that lie beside it.
class Watch : public Json::json_sax_t {
 public:
  bool null() override { return Enter(); }
  bool boolean(bool /*value*/) override { return Enter(); }
  bool number_integer(number_integer_t /*value*/) override { return Enter(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Enter(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return Enter(); }
  bool string(string_t& /*value*/) override { return Enter(); }
  bool binary(binary_t& /*value*/) override { return Enter(); }
  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return Enter();
  }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second)
      return Refuse(fmt::format("an object has the key {} twice", Quote(name)));
    return Enter();
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    keys_.emplace_back();  // none
    return Enter();
  }
  bool end_array() override { return end_object(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const Json::exception& error) override {
    constexpr int kOutOfRange = 400;  // and above
    error_ = error.id < kOutOfRange
                 ? InvalidInput("malformed JSON").At(fmt::format("byte {}", position))
                 : InvalidInput("the JSON has a number that is too large");
    return false;
  }

  // Nothing if the text may be read.
  std::optional<Error>& error() { return error_; }

 private:
  bool Enter() {
    if (++values_ > kMaxJsonValues) return Refuse(fmt::format("over {} values", kMaxJsonValues));
    if (keys_.size() > kMaxJsonDepth)
      return Refuse(fmt::format("values nest over {} deep", kMaxJsonDepth));
    return true;
  }
  bool Refuse(const std::string& why) {
    error_ = InvalidInput("the JSON is refused: " + why);
    return false;
  }

  std::size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;  // of the objects and arrays that are open
  std::optional<Error> error_;
};

// Older releases of torch write numbers that JSON lacks as Python does; here they are strings, as
// newer ones have them.
std::string WithQuotedNumbers(std::string_view text) {
  std::string quoted;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (is_string && text[i] == '\\') {
      quoted += rest.substr(0, 2);
      ++i;
      continue;
    }
    if (text[i] == '"') is_string = !is_string;
    std::size_t length = 0;
    for (std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (!is_string && rest.starts_with(word)) length = word.size();
    }
    if (length == 0) {
      quoted += text[i];
      continue;
    }
    quoted += fmt::format("\"{}\"", rest.substr(0, length));
    i += length - 1;
  }
  return quoted;
}

Result<Json> ParsePlainJson(std::string_view text) {
  Watch watch;
  if (!Json::sax_parse(text.begin(), text.end(), &watch) && !watch.error())
    return InvalidInput("malformed JSON");
  if (watch.error()) return *std::move(watch.error());
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has("Infinity") || has("NaN") ? ParsePlainJson(WithQuotedNumbers(text))
                                       : ParsePlainJson(text);
}

Result<Attribute> ToAttribute(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return Attribute();
    case Json::value_t::boolean:
      return Attribute(json.get<bool>());
    case Json::value_t::number_integer:
      return Attribute(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      if (json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        return InvalidInput("the JSON has an integer beyond 64 bits: " + json.dump());
      return Attribute(json.get<std::int64_t>());
    case Json::value_t::number_float:
      return Attribute(json.get<double>());
    case Json::value_t::string:
      return Attribute(json.get<std::string>());
    case Json::value_t::array: {
      Attribute::List items;
      for (const Json& item : json) {
        DRAGOMAN_ASSIGN(Attribute made, ToAttribute(item));
        items.push_back(std::move(made));
      }
      return Attribute(std::move(items));
    }
    default: {
      Attribute::Dict members;
      for (const auto& [key, value] : json.items()) {
        DRAGOMAN_ASSIGN(Attribute made, ToAttribute(value));
        members.emplace_back(key, std::move(made));
      }
      return Attribute(std::move(members));
    }
  }
}

const Json* FindMember(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

std::optional<std::int64_t> IntegerOf(const Json& json) {
  constexpr auto kMax = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax) return std::nullopt;
  return json.get<std::int64_t>();
}

std::string TextMember(const Json& object, const char* key) {
  const Json* member = FindMember(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

}  // namespace dragoman::torch
