// SPDX-License-Identifier: Apache-2.0
#include "core/compare/repeated_entries.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/compare/equal.h"
#include "core/compare/fingerprint.h"
#include "core/compare/hash_consing.h"

namespace dragoman {
namespace {

const CompareOptions kOptions = {.level = Level::kCommon};

bool SameNames(const Graph& a, const Graph& b) {
  if (a.num_inputs() != b.num_inputs() || a.num_outputs() != b.num_outputs()) return false;
  for (std::size_t i = 0; i < a.num_inputs(); ++i) {
    if (a.input(i)->name() != b.input(i)->name()) return false;
  }
  for (std::size_t i = 0; i < a.num_outputs(); ++i) {
    const Value *x = a.output(i), *y = b.output(i);
    if (x == nullptr || y == nullptr || x->name() != y->name()) return false;
  }
  return true;
}

// Of two models of one entry, which have the states and functions of one model.
bool Repeats(const Model& a, const Model& b) {
  if (!SameNames(a.main(), b.main()) || a.entries.front().states != b.entries.front().states)
    return false;
  const auto difference = CompareModels(a, b, kOptions);
  return difference.ok() && !difference->has_value();
}

// Texts of what entries compute, which are equal for equal ones: only such are compared.
class EntryKeys {
 public:
  std::string Of(const Model& single) {
    compare::TraitTable traits(kOptions, single, single);
    compare::NodeClasses nodes(single, kOptions, classes_, constants_, traits);
    if (!nodes.Build().ok()) return "";  // functions call themselves
    std::string key;
    for (const Use& output : single.main().outputs())
      compare::AppendInt(key, nodes.CodeOf(output.value()));
    return key;
  }

 private:
  compare::ClassTable classes_;
  compare::ConstantTable constants_{kOptions};
};

}  // namespace

std::vector<RepeatedEntry> DropRepeatedEntries(Model& model) {
  std::vector<RepeatedEntry> dropped;
  if (model.entries.size() < 2) return dropped;
  std::vector<Entry> entries = std::exchange(model.entries, {});
  std::vector<Model> kept;
  std::unordered_map<std::string, std::vector<std::size_t>> by_key;  // of `kept`
  EntryKeys keys;
  for (Entry& entry : entries) {
    Model single = Clone(model);
    single.entries.push_back(std::move(entry));
    std::vector<std::size_t>& alike = by_key[keys.Of(single)];
    const auto earlier =
        std::ranges::find_if(alike, [&](std::size_t i) { return Repeats(kept[i], single); });
    if (earlier == alike.end()) {
      alike.push_back(kept.size());
      kept.push_back(std::move(single));
    } else {
      dropped.push_back({single.entries.front().name, kept[*earlier].entries.front().name});
    }
  }
  for (Model& single : kept) model.entries.push_back(std::move(single.entries.front()));
  return dropped;
}

}  // namespace dragoman
