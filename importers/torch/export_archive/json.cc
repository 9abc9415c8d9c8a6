#include "importers/torch/export_archive/json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::torch {
namespace {

// Watches a parser: what it counts, and the first thing that is wrong beyond the grammar.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (++events_ > kMaxJsonValues && problem_.empty())
      problem_ = fmt::format("over {} values", kMaxJsonValues);
    if (depth > kMaxJsonDepth && problem_.empty())
      problem_ = fmt::format("values nest over {} deep", kMaxJsonDepth);
    // What is left out costs nothing; the parser goes on to the end.
    if (!problem_.empty()) return false;
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second)
      problem_ = fmt::format("an object has the key {} twice", Quote(parsed.get<std::string>()));
    return problem_.empty();
  }

  const std::string& problem() const { return problem_; }

 private:
  std::size_t events_ = 0;
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
  std::string problem_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  Watch watch;
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(),
                       [&watch](int depth, Json::parse_event_t event, Json& parsed) {
                         return watch(depth, event, parsed);
                       });
  } catch (const Json::parse_error& error) {
    return InvalidInput("malformed JSON").At(fmt::format("byte {}", error.byte));
  } catch (const Json::exception&) {
    return InvalidInput("the JSON has a number that is too large");
  }
  if (!watch.problem().empty()) return InvalidInput("the JSON is refused: " + watch.problem());
  return json;
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
