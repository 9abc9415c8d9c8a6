// SPDX-License-Identifier: Apache-2.0
#include "core/compare/repeated_entries.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/compare/equal.h"

namespace dragoman {
namespace {

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
  const auto difference = CompareModels(a, b, {.level = Level::kCommon});
  return difference.ok() && !difference->has_value();
}

}  // namespace

std::vector<RepeatedEntry> DropRepeatedEntries(Model& model) {
  std::vector<RepeatedEntry> dropped;
  if (model.entries.size() < 2) return dropped;
  std::vector<Entry> entries = std::exchange(model.entries, {});
  std::vector<Model> kept;
  for (Entry& entry : entries) {
    Model single = Clone(model);
    single.entries.push_back(std::move(entry));
    const auto earlier =
        std::ranges::find_if(kept, [&](const Model& other) { return Repeats(other, single); });
    if (earlier == kept.end()) {
      kept.push_back(std::move(single));
    } else {
      dropped.push_back({single.entries.front().name, earlier->entries.front().name});
    }
  }
  for (Model& single : kept) model.entries.push_back(std::move(single.entries.front()));
  return dropped;
}

}  // namespace dragoman
