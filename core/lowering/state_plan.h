// SPDX-License-Identifier: Apache-2.0
// What lives between the calls of a model's entries.
//
// Entries are to a model what iterations are to a loop: each is run on cells that hold the States
// of the plan so far. What it leaves changed beyond these, or in type, makes the plan grow, and all
// entries are run again, until none changes more.
#ifndef DRAGOMAN_CORE_LOWERING_STATE_PLAN_H_
#define DRAGOMAN_CORE_LOWERING_STATE_PLAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/heap.h"
#include "core/lowering/merge.h"
#include "core/support/result.h"

namespace dragoman {

using CellPlan = std::vector<std::pair<CellPtr, MergedContents>>;

// One entry that is run under a plan.
struct PlannedEntry {
  std::vector<Value*> inputs;  // of States, one a leaf of the plan; nullptr: not an input any more
  std::vector<Value*> returned;  // what they become
  std::uint64_t first_leaf = 0;  // the cells that were made to hold them
  std::uint64_t last_leaf = 0;
  CellPlan changed;          // what the entry leaves in the file's cells
  std::vector<Type> joined;  // one a leaf of that
  bool stable = true;        // it changes what the plan says, and no more
};

// The States of a model, and how contents of the file's cells are made from their values. It begins
// empty and grows by what entries leave changed, until none changes more.
struct StatePlan {
  CellPlan cells;
  // Of each State: where it lies (side a is what the file holds), its type, its initial value.
  std::vector<Leaf> leaves;
  std::vector<Type> types;
  std::vector<Attribute> initial;
  std::vector<std::shared_ptr<Graph>> kept;  // that Abstracts of the plan point into

  // Adds an input for each State to the graph of `builder`, and makes the cells hold them.
  PlannedEntry Begin(Heap& heap, GraphBuilder& builder) const;
  // Finds what the entry left changed, from the `changes` of the heap since Begin, which are taken
  // back. Cells up to number `last_cell` are the file's. Errors: unsupported, a change that no plan
  // can express.
  static Status Compare(PlannedEntry& entry, std::span<const CellChange> changes,
                        std::uint64_t last_cell, Heap& heap, GraphBuilder& builder);
  // Makes the cells that an entry changed part of the plan. The heap is as the entry leaves it, and
  // becomes what it was before. Errors: unsupported, an initial value that no State can hold.
  Status Extend(const PlannedEntry& entry, Heap& heap);
  // The States, as those of a Model.
  std::vector<State> States() const;
};

// Binds the States to inputs and outputs of `entry`, which come after all others. Those that it
// does not touch are left out.
void BindStates(PlannedEntry& planned, Entry& entry);

// Drops the States that no entry reads or writes: what was replaced before anyone read it.
void DropUnusedStates(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_STATE_PLAN_H_
