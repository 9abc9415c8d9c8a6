// SPDX-License-Identifier: Apache-2.0
// The passes over common graphs, and the pipelines made of them.
#ifndef DRAGOMAN_CORE_REWRITE_PIPELINE_H_
#define DRAGOMAN_CORE_REWRITE_PIPELINE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct Pattern;
struct PassContext;

// A rewrite of a whole graph (its bodies are visited by the driver). Returns whether anything
// changed.
using PassFunction = Result<bool> (*)(Graph& graph, PassContext& context);
// Patterns that are offered each node together.
using PatternFamily = std::span<const Pattern> (*)();

// Either a function or families of patterns, which are applied one family after the other.
struct PassInfo {
  std::string_view name;      // "fold-constants"
  std::string_view sentence;  // what it does
  PassFunction run = nullptr;
  std::span<const PatternFamily> families = {};
  bool by_default = true;
  bool at_end = false;         // runs when those before it change nothing any more
  bool only_removes = false;   // what nothing reads; runs before the others as well
  bool checked = false;        // what it does wrong is undone (checked_pass.h)
  bool in_loops_only = false;  // finds nothing in an entry without loops
  bool reads_weights = false;  // takes time and memory in proportion to the size of the weights
};

// The elementary operations of one run up to which passes are checked on random data.
#ifdef NDEBUG
inline constexpr std::int64_t kCheckedWork = 30'000'000;
#else
inline constexpr std::int64_t kCheckedWork = 1'000'000'000;
#endif

// All passes, in the order in which a pipeline runs them.
std::span<const PassInfo> AllPasses();

// Error: there is no such pass; it says which is meant.
Status CheckPass(std::string_view name);

// One run of a pass over one entry, when it is over.
struct PassRun {
  std::int64_t number = 0;  // among the runs of the pipeline, from 1
  std::string_view pass;
  std::string_view entry;
  bool changed = false;
  std::chrono::nanoseconds time{};
};

struct PipelineOptions {
  // "none", "default", names of passes or of patterns of theirs, or "default,-name".
  std::string passes = "default";
  // Called with each rewrite made, and each near miss, one line each; may be empty.
  std::function<void(std::string_view)> explain;
  // Called for each checked pass that failed, or changed what the model computes: a bug, so that
  // change was undone. May be empty.
  std::function<void(std::string_view)> warn = nullptr;
  std::int64_t checked_work = kCheckedWork;
  // Whether values whose wanted names were taken get these in the end, if they are free by then.
  bool restores_names = false;
  // Called after each run of a pass, with the model as it is then; an error ends the pipeline. May
  // be empty.
  std::function<Status(const PassRun&, const Model&)> after_pass = nullptr;
  // No pass runs after this many runs; nullopt: all that a fixed point takes.
  std::optional<std::int64_t> max_runs;
#ifdef NDEBUG
  bool verify_each = false;
#else
  bool verify_each = true;  // each pass that changes something leaves a well-formed model
#endif
};

// Runs the chosen passes to a fixed point, on every entry and body of the common `model`. Types are
// inferred anew. Errors: a pass that does not exist; what `after_pass` and `verify_each` find.
Status RunPipeline(Model& model, const PipelineOptions& options);
// The same with those of `passes` that are chosen.
Status RunPasses(std::span<const PassInfo> passes, Model& model, const PipelineOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PIPELINE_H_
