// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/branch.h"

#include <algorithm>
#include <utility>

#include "core/lowering/composer.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

bool HasEffects(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (HasEffect(node)) return true;
  }
  return false;
}

Status Expect(EntryBuilder& entry, Value* condition, bool expected, const std::string& message) {
  Composer c(entry.builder());
  c.Assert(expected ? condition : c.Not(condition), message);
  return c.status();
}

struct SideValues {
  std::vector<Value*> then_values;
  std::vector<Value*> else_values;
};

// The value of each leaf on either side. Errors: element types that differ.
Result<SideValues> ReadSides(EntryBuilder& entry, Side& then_side, Side& else_side,
                             std::span<const Leaf> leaves) {
  DRAGOMAN_ASSIGN(std::vector<Value*> then_values, entry.ReadSide(then_side, leaves, true));
  DRAGOMAN_ASSIGN(std::vector<Value*> else_values, entry.ReadSide(else_side, leaves, false));
  std::vector<Type> types;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Value* some = then_values[i] != nullptr ? then_values[i] : else_values[i];
    types.push_back(some != nullptr ? some->type() : Type());
  }
  DRAGOMAN_ASSIGN(then_values, entry.ReadSide(then_side, leaves, true, types));
  DRAGOMAN_ASSIGN(else_values, entry.ReadSide(else_side, leaves, false, types));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const DType a = then_values[i]->type().dtype();
    const DType b = else_values[i]->type().dtype();
    if (a != b && a != DType::kUnknown && b != DType::kUnknown) {
      return Unsupported("the branches give tensors of different element types, " +
                         std::string(Name(a)) + " and " + std::string(Name(b)));
    }
  }
  return SideValues{std::move(then_values), std::move(else_values)};
}

// The results of an If, one a leaf; without leaves and effects nothing is appended.
Result<std::vector<Value*>> AppendIf(EntryBuilder& entry, Value* condition, Side& then_side,
                                     Side& else_side, std::span<const Leaf> leaves) {
  DRAGOMAN_ASSIGN(const SideValues values, ReadSides(entry, then_side, else_side, leaves));
  std::vector<Value*> results;
  if (leaves.empty() && !HasEffects(*then_side.body) && !HasEffects(*else_side.body))
    return results;
  std::vector<std::string> names;
  for (const Leaf& leaf : leaves) names.push_back(leaf.name.empty() ? "if" : leaf.name);
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(then_side, values.then_values));
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(else_side, values.else_values));
  Value* const operands[] = {condition};
  DRAGOMAN_ASSIGN(Node * made, entry.builder().Append("If", operands,
                                                      {{"else_branch", Attribute(else_side.body)},
                                                       {"then_branch", Attribute(then_side.body)}},
                                                      names));
  for (std::size_t i = 0; i < leaves.size(); ++i) results.push_back(made->result(i));
  return results;
}

}  // namespace

Result<std::vector<Abstract>> MergeSides(EntryBuilder& entry, Value* condition, Side& then_side,
                                         Side& else_side, const std::vector<std::string>& names) {
  Merger merger(then_side.changes, else_side.changes);
  std::vector<MergedValue> results;
  for (std::size_t i = 0; i < then_side.results.size(); ++i) {
    const Abstract other = i < else_side.results.size() ? else_side.results[i] : Abstract(Poison());
    DRAGOMAN_ASSIGN(MergedValue merged, merger.Merge(then_side.results[i], other,
                                                     i < names.size() ? names[i] : std::string()));
    results.push_back(std::move(merged));
  }
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  for (const Side* side : {&then_side, &else_side}) {
    for (const CellChange& change : side->changes) {
      const auto known = [&](const auto& item) { return item.first == change.cell; };
      if (std::any_of(cells.begin(), cells.end(), known)) continue;
      DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
      cells.emplace_back(change.cell, std::move(merged));
    }
  }
  DRAGOMAN_ASSIGN(const std::vector<Value*> values,
                  AppendIf(entry, condition, then_side, else_side, merger.leaves()));
  Heap& heap = entry.heap();
  for (const auto& [cell, contents] : cells) heap.Replace(cell, contents(heap, values));
  std::vector<Abstract> merged;
  for (const MergedValue& result : results) merged.push_back(result(heap, values));
  return merged;
}

Result<Flow> RunBranches(EntryBuilder& entry, Value* condition, const Branches& branches,
                         std::vector<Abstract>& results) {
  const std::size_t findings = entry.findings.size();
  const auto run = [&](bool holds) {
    return entry.RunSide(
        [&](std::vector<Abstract>& given) { return branches.run(holds, false, given); });
  };
  Side then_side = run(true);
  Side else_side = run(false);
  const bool then_raises = then_side.flow == Flow::kRaised;
  const bool else_raises = else_side.flow == Flow::kRaised;
  if (then_raises && else_raises) return Flow::kRaised;
  if (!then_raises && !else_raises) {
    DRAGOMAN_ASSIGN(results, MergeSides(entry, condition, then_side, else_side, branches.names));
    return Flow::kNext;
  }
  entry.findings.resize(findings);
  DRAGOMAN_TRY(
      Expect(entry, condition, else_raises, then_raises ? then_side.raised : else_side.raised));
  return branches.run(else_raises, true, results);
}

}  // namespace dragoman
