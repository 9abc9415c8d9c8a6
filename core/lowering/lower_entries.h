// SPDX-License-Identifier: Apache-2.0
// Lowers all entries of a model whose program keeps values between calls: each is run on cells that
// hold the States of a plan (state_plan.h), again and again until none leaves more changed than the
// plan says.
#ifndef DRAGOMAN_CORE_LOWERING_LOWER_ENTRIES_H_
#define DRAGOMAN_CORE_LOWERING_LOWER_ENTRIES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/lowering/argument_names.h"
#include "core/lowering/heap.h"
#include "core/lowering/state_plan.h"
#include "core/support/result.h"

namespace dragoman {

// One entry lowered under a plan.
struct LoweredEntry {
  Entry entry;
  std::vector<Finding> findings;     // why it could not be
  std::vector<std::string> assumed;  // inputs whose element type nothing determines
  PlannedEntry planned;
};

// A run of an entry on cells that hold the States of a plan.
struct EntryRun {
  // Adds the inputs of States to the graph of `builder`, after those of arguments, and records from
  // here on what the program changes.
  void Begin(GraphBuilder& builder);
  // Compares what the program left changed with the plan, unless `status`, what became of its
  // results, is an error. `check` may refuse changes.
  Status End(Status status, GraphBuilder& builder,
             const std::function<Status(std::span<const CellChange>)>& check = nullptr);

  const Entry& source;
  const Facts& facts;
  const StatePlan& plan;
  Heap& heap;
  std::uint64_t last_cell;  // of those of the file
  LoweredEntry& lowered;
};

// What an importer does of it.
struct EntryProgram {
  // How the arguments of an entry are declared.
  std::function<std::vector<DeclaredArgument>(const Entry& source)> arguments;
  // Fills the graph of `lowered` by what the program does between Begin and End.
  std::function<Status(EntryRun& run)> run;
};

// The common model of `source`, whose cells are those in `heap`. Of entries beside the default one
// (or the one that facts name), those that cannot be lowered are left out, which `note` reports; so
// it is of inputs whose element type nothing determines. Errors: those of the default entry.
Result<Model> LowerEntries(const Model& source, const Facts& facts,
                           const std::function<void(std::string_view)>& note, Heap& heap,
                           const EntryProgram& program);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_LOWER_ENTRIES_H_
