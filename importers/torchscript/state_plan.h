// What lives between the calls of a model's entries.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_STATE_PLAN_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_STATE_PLAN_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torchscript/heap.h"
#include "importers/torchscript/merge.h"

namespace dragoman::torchscript {

// The States of a model, and how contents of the file's cells are made from their values. It begins
// empty and grows by what entries leave changed, until none changes more.
struct StatePlan {
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  // Of each State: where it lies (side a is what the file holds), its type, its initial value.
  std::vector<Leaf> leaves;
  std::vector<Type> types;
  std::vector<Attribute> initial;
  std::vector<std::shared_ptr<Graph>> kept;  // that Abstracts of the plan point into

  // Makes the cells that an entry `changed`, with leaves of types `joined`, part of the plan. The
  // heap is as the entry leaves it, and becomes what it was before. Errors: unsupported, an initial
  // value that no State can hold.
  Status Extend(std::span<const std::pair<CellPtr, MergedContents>> changed,
                std::span<const Type> joined, Heap& heap);
};

// Sizes that are expressions over an entry's inputs mean nothing between calls.
Type WithoutSymbols(const Type& type);

// Drops the States that no entry reads or writes: what was replaced before anyone read it.
void DropUnusedStates(Model& model);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_STATE_PLAN_H_
