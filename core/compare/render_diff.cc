// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/compare/diff.h"
#include "core/compare/places.h"
#include "core/support/plural.h"
#include "core/support/printable.h"

namespace dragoman {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 11> kNames = {
    "changed attribute", "changed op",       "changed operand", "changed result",
    "changed type",      "changed constant", "inserted node",   "removed node",
    "changed input",     "changed output",   "changed model"};
static_assert(kNames.size() == static_cast<std::size_t>(Edit::Kind::kChangedModel) + 1);

constexpr std::array<std::string_view, 6> kParts = {"",       "attribute", "operand",
                                                    "result", "input",     "output"};
static_assert(kParts.size() == static_cast<std::size_t>(Edit::Part::kOutput) + 1);

std::string_view Name(Level level) { return level == Level::kSource ? "source" : "common"; }

std::map<Edit::Kind, std::size_t> Counts(const DiffReport& report) {
  std::map<Edit::Kind, std::size_t> counts;
  for (const Edit& edit : report.edits) ++counts[edit.kind];
  return counts;
}

std::string Places(const Edit& edit) {
  const auto with_origin = [](const std::string& place, const std::string& origin) {
    return origin.empty() ? place : place + " (from " + origin + ")";
  };
  const std::string a = with_origin(edit.place_a, edit.origin_a);
  const std::string b = with_origin(edit.place_b, edit.origin_b);
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  return a + " / " + b;
}

std::string EditText(const Edit& edit) {
  std::string text = fmt::format("  {}: {}", Name(edit.kind), Places(edit));
  if (!edit.what.empty()) text += ": " + edit.what;
  if (!edit.old_value.empty() && !edit.new_value.empty()) {
    text += fmt::format(": {} -> {}", edit.old_value, edit.new_value);
  } else if (!edit.old_value.empty() || !edit.new_value.empty()) {
    text += ": " + edit.old_value + edit.new_value;
  }
  if (edit.elements) {
    text += fmt::format(
        "; {} of {} elements differ, the first is number {}, by at most {} (relative {})",
        edit.elements->count, edit.elements->total, edit.elements->first,
        compare::FormatNumber(edit.elements->largest_absolute),
        compare::FormatNumber(edit.elements->largest_relative));
  }
  return text;
}

// Fewer edits than this that say the same of other nodes are listed one by one.
constexpr std::size_t kMinGroup = 4;

// Edits that say the same of other nodes.
struct EditGroup {
  std::vector<const Edit*> edits;
  std::string prefix;  // of the names of the nodes
};

// What edits of a group have in common. Constants and surroundings differ from node to node.
std::string GroupKey(const Edit& edit) {
  const bool by_values = edit.kind != Edit::Kind::kChangedConstant &&
                         edit.kind != Edit::Kind::kInsertedNode &&
                         edit.kind != Edit::Kind::kRemovedNode;
  std::string key = fmt::format("{}\n{}\n{}", Name(edit.kind), edit.op, edit.what);
  if (by_values) key += "\n" + edit.old_value + "\n" + edit.new_value;
  return key;
}

// In order of the first edit of each. Edits that belong to no node stay alone.
std::vector<EditGroup> GroupEdits(const DiffReport& report) {
  std::vector<EditGroup> groups;
  std::map<std::string, std::size_t> by_key;
  for (const Edit& edit : report.edits) {
    const std::string& name = edit.node_a.empty() ? edit.node_b : edit.node_a;
    const auto [at, added] = by_key.try_emplace(GroupKey(edit), groups.size());
    if (added || edit.op.empty()) {
      groups.push_back({{&edit}, name});
      continue;
    }
    EditGroup& group = groups[at->second];
    group.edits.push_back(&edit);
    const auto end = std::ranges::mismatch(group.prefix, name).in1;
    group.prefix.erase(end, group.prefix.end());
  }
  return groups;
}

std::string GroupText(const EditGroup& group) {
  const Edit& first = *group.edits.front();
  std::string text = fmt::format("  {} × {}: nodes '{}*' ({})", group.edits.size(),
                                 Name(first.kind), group.prefix, first.op);
  if (!first.what.empty()) text += ": " + first.what;
  if (first.elements) {
    double absolute = 0, relative = 0;
    for (const Edit* edit : group.edits) {
      if (!edit->elements) continue;
      absolute = std::max(absolute, edit->elements->largest_absolute);
      relative = std::max(relative, edit->elements->largest_relative);
    }
    text += fmt::format("; by at most {} (relative {})", compare::FormatNumber(absolute),
                        compare::FormatNumber(relative));
  } else if (first.kind != Edit::Kind::kInsertedNode && first.kind != Edit::Kind::kRemovedNode) {
    text += fmt::format(": {} -> {}", first.old_value, first.new_value);
  }
  return text;
}

// How many edits of a kind there are, in words, and the places of a few: "2 nodes inserted: …",
// "1 difference outside the graphs: …".
std::string Phrase(Edit::Kind kind, const DiffReport& report) {
  constexpr std::size_t kMaxPlaces = 3;
  std::string places;
  std::size_t count = 0;
  for (const Edit& edit : report.edits) {
    if (edit.kind != kind) continue;
    if (++count > kMaxPlaces) continue;
    places += (count == 1 ? "" : ", ") + (edit.place_a.empty() ? edit.place_b : edit.place_a);
    if (kind == Edit::Kind::kChangedAttribute) places += " " + edit.what;
    if (kind == Edit::Kind::kChangedModel) places += ": " + edit.what;
  }
  if (count > kMaxPlaces) places += ", …";
  if (kind == Edit::Kind::kChangedModel)
    return fmt::format("{} outside the graphs: {}", Plural(count, "difference"), places);
  const std::string_view name = Name(kind);
  const std::size_t space = name.find(' ');
  return fmt::format("{} {}{} {}: {}", count, name.substr(space + 1), count == 1 ? "" : "s",
                     name.substr(0, space), places);
}

// Of models that differ in the contents of constants only; empty: of others.
std::string WeightsVerdict(const DiffReport& report) {
  double largest = 0;
  for (const Edit& edit : report.edits) {
    if (edit.kind != Edit::Kind::kChangedConstant || !edit.elements) return "";
    largest = std::max(largest, edit.elements->largest_absolute);
  }
  if (report.edits.empty()) return "";
  return fmt::format("same structure; {} of {} weights differ, by at most {}", report.edits.size(),
                     std::max(report.constants, report.edits.size()),
                     compare::FormatNumber(largest));
}

// JSON has no infinities: they are strings there.
Json NumberJson(double value) {
  if (value - value == 0) return value;
  return compare::FormatNumber(value);
}

Json EndJson(const Edit::End& end) {
  using Kind = Edit::End::Kind;
  static constexpr std::array<std::string_view, 4> kEndKinds = {"nothing", "constant", "input",
                                                                "result"};
  Json json = {{"kind", kEndKinds[static_cast<std::size_t>(end.kind)]}};
  if (end.kind == Kind::kNothing) return json;
  json["name"] = end.name;
  json["type"] = end.type;
  if (end.kind == Kind::kResult) {
    json["node"] = end.node;
    json["operator"] = end.op;
    json["result"] = end.result;
  }
  return json;
}

Json EditJson(const Edit& edit) {
  Json json = {{"kind", Name(edit.kind)}};
  const auto add = [&json](std::string_view key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("operator", edit.op);
  json["path"] = edit.path;
  add("node_a", edit.node_a);
  add("node_b", edit.node_b);
  const auto add_end = [&](std::string_view key, const std::optional<Edit::End>& end,
                           const std::string& text) {
    if (end) {
      json[key] = EndJson(*end);
    } else {
      add(key, text);
    }
  };
  const bool is_value = edit.old_end || edit.new_end;
  if (edit.op.empty() && !is_value) {  // a state, an entry: no node
    add("a", edit.place_a);
    add("b", edit.place_b);
  }
  if (edit.part == Edit::Part::kAttribute) {
    json["attribute"] = edit.attribute;
  } else if (edit.part != Edit::Part::kWhole) {
    json[kParts[static_cast<std::size_t>(edit.part)]] = edit.index;
  } else {
    add("what", edit.what);
  }
  if (edit.kind == Edit::Kind::kInsertedNode || edit.kind == Edit::Kind::kRemovedNode) {
    if (edit.first_operand) json["first_operand"] = EndJson(*edit.first_operand);
  } else {
    add_end("before", edit.old_end, edit.old_value);
    add_end("after", edit.new_end, edit.new_value);
  }
  if (!edit.origin_a.empty()) json["origin_a"] = edit.origin_a;
  if (!edit.origin_b.empty()) json["origin_b"] = edit.origin_b;
  if (edit.elements) {
    json["elements"] = {{"differ", edit.elements->count},
                        {"total", edit.elements->total},
                        {"first", edit.elements->first},
                        {"largest_absolute", NumberJson(edit.elements->largest_absolute)},
                        {"largest_relative", NumberJson(edit.elements->largest_relative)}};
  }
  return json;
}

}  // namespace

std::string_view Name(Edit::Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::string Verdict(const DiffReport& report) {
  if (report.equal()) return "";
  if (std::string weights = WeightsVerdict(report); !weights.empty()) return weights;
  std::string text;
  for (const auto& [kind, count] : Counts(report))
    text += (text.empty() ? "" : "; ") + Phrase(kind, report);
  return text.empty() ? report.first->reason : text;
}

std::string RenderText(const DiffReport& report, Listing listing) {
  if (report.equal()) {
    const std::string& assumption = report.assumption;
    return fmt::format("equal ({} level){}\n", Name(report.level),
                       assumption.empty() ? "" : " for " + assumption);
  }
  std::string text = fmt::format("different ({} level): {}\nfirst: ", Name(report.level),
                                 Printable(Verdict(report)));
  for (const std::string& line : report.first->Lines()) text += Printable(line) + "\n";
  text += Plural(report.edits.size(), "edit");
  const char* separator = ": ";
  for (const auto& [kind, count] : Counts(report)) {
    text += fmt::format("{}{} {}", separator, count, Name(kind));
    separator = ", ";
  }
  text += '\n';
  for (const EditGroup& group : GroupEdits(report)) {
    if (listing == Listing::kGroups && group.edits.size() >= kMinGroup) {
      text += Printable(GroupText(group)) + "\n";
    } else {
      for (const Edit* edit : group.edits) text += Printable(EditText(*edit)) + "\n";
    }
  }
  return text;
}

std::string RenderJson(const DiffReport& report) {
  Json json = {{"equal", report.equal()}, {"level", Name(report.level)}};
  if (!report.assumption.empty()) json["assumption"] = report.assumption;
  if (report.first) {
    json["verdict"] = Verdict(report);
    json["first"] = {{"reason", report.first->reason}, {"a", report.first->place_a},
                     {"b", report.first->place_b},     {"expected", report.first->expected},
                     {"found", report.first->found},   {"path", report.first->path}};
  }
  Json counts = Json::object();
  for (const auto& [kind, count] : Counts(report)) counts[std::string(Name(kind))] = count;
  json["counts"] = std::move(counts);
  json["edits"] = Json::array();
  for (const Edit& edit : report.edits) json["edits"].push_back(EditJson(edit));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dragoman
