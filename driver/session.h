// SPDX-License-Identifier: Apache-2.0
// A session: reads models of any format, brings them to the common level, rewrites and writes them,
// and says what it leaves out or assumes.
#ifndef DRAGOMAN_DRIVER_SESSION_H_
#define DRAGOMAN_DRIVER_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/facts.h"
#include "core/compare/diff.h"
#include "core/ir/model.h"
#include "core/resize/resize_batch.h"
#include "core/rewrite/match/run_rules.h"
#include "core/rewrite/pipeline.h"
#include "core/support/progress.h"
#include "core/support/result.h"
#include "core/support/size_budget.h"
#include "driver/formats.h"

namespace dragoman {

struct CodegenOptions;

// How a model is brought to the common level.
struct LoweringOptions {
  Facts facts;
  // Values of the default entry that become its inputs and outputs; empty: those that it has.
  std::vector<std::string> cut_inputs;
  std::vector<std::string> cut_outputs;
  std::string passes = "default";     // as PipelineOptions has it
  std::optional<BatchRequest> batch;  // another number of samples
  // Given what was done to get it; nullptr: nobody is.
  std::function<void(const BatchReport&)> tell_batch = nullptr;
};

struct Session {
  std::vector<Format> formats = BuiltInFormats();
  // Takes what is left out or assumed, and bugs (kInternal) that were repaired; nullptr: nobody
  // does.
  std::function<void(const Finding& warning)> warn = nullptr;
  // Takes each rewrite that is made, and each near miss, one line each; nullptr: nobody does.
  std::function<void(std::string_view line)> explain = nullptr;
  // Takes what followed sizes that facts state, a line for each constant; nullptr: nobody does.
  std::function<void(const std::vector<std::string>& changes)> report_resized = nullptr;
  // Of the pipelines that the session runs, as PipelineOptions has them.
  std::function<Status(const PassRun& run, const Model& model)> after_pass = nullptr;
  std::optional<std::int64_t> max_pass_runs;
  bool verify_each_pass = false;
  // Of the user, applied to each model that is lowered: to a copy of the graph of the file, then to
  // the common graph, before all passes; nullptr: none.
  std::shared_ptr<const RuleSet> rules = nullptr;
  // Called with each place at which one was applied; nullptr: none.
  std::function<void(RulePlace place)> report_rule = nullptr;
  bool strict = false;          // what would be a warning is an error
  bool shows_progress = false;  // on standard error, where that is a terminal
  // What may be expanded of one model, in bytes; nullopt: SizeBudget::LimitOf its files.
  std::optional<std::uint64_t> expand_limit;
  // Of the files that were read.
  std::shared_ptr<std::uint64_t> file_bytes = std::make_shared<std::uint64_t>(0);

  Session WithoutRules() const;

  // The model as it is in the file. `format` (a name) overrules what content and suffix say.
  // Weights that lie in another file which is not there are constants without elements: only
  // lowering needs them. "-" and "/dev/stdin" are standard input, to its end.
  Result<Model> Read(const std::string& path,
                     const std::optional<std::string>& format = std::nullopt,
                     const ReadOptions& options = {}) const;
  // The same of the bytes of a file. Files beside it are not there.
  Result<Model> ReadBytes(std::span<const std::byte> bytes,
                          const std::optional<std::string>& format = std::nullopt,
                          const ReadOptions& options = {}) const;

  // A common model made from `source`, which may be one already, with the facts. An input that has
  // a default is one like others if a fact states its sizes. `note` is given what is left out or
  // assumed. Errors: a fact about a size or an input that does not exist; what cannot be lowered.
  Result<Model> Lower(const Model& source, const Facts& facts, const Note& note = nullptr) const;
  // Applies the rules that are about graphs of the model's level.
  Status ApplyRules(Model& model) const;
  // What lies between the values that become inputs and outputs (none: those there are): a source
  // model where the format can be cut as it is, else a common one, lowered with the facts. Those
  // that have been used so are taken out of `facts`. Nothing to cut gives nullopt.
  Result<std::optional<Model>> Cut(const Model& source, const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& outputs, Facts& facts,
                                   const Note& note = nullptr) const;
  // Lowered and cut, then rewritten by the passes; with the session's warnings.
  Result<Model> ToCommon(const Model& source, const LoweringOptions& options = {}) const;
  // Runs passes over a common model.
  Status Rewrite(Model& model, const std::string& passes = "default") const;
  PipelineOptions Pipeline(std::string passes) const;

  // Whether two models, both at options.level, are the same, and where they differ. The order of
  // nodes counts in the dialects that the formats say.
  Result<DiffReport> Diff(const Model& a, const Model& b, CompareOptions options = {},
                          DiffTrace* trace = nullptr) const;

  // Writes `model`; what the format cannot express is an error, or left out with a warning.
  Status Write(const Model& model, const std::string& path, const Format& format,
               WriteOptions options = {}) const;
  // What Write would write, as text. Errors: the format has no text form.
  Result<std::string> Print(const Model& model, const Format& format,
                            WriteOptions options = {}) const;

  // Writes the standalone C++ program of a common model into `folder`; `name` is that of its
  // namespace. Errors: all nodes that a program cannot have; entries that would be left out, if the
  // session is strict.
  Status Generate(const Model& common, const std::string& folder,
                  const std::string& name = "model") const;
  Status Generate(const Model& common, const std::string& folder,
                  const CodegenOptions& options) const;

  // Lower without rules.
  Result<Model> LowerAsItIs(const Model& source, const Facts& facts, const Note& note) const;
  // A warning; an error if the session is strict.
  Status Warn(Finding warning) const;
  // Shown until it is destroyed; nullptr where the session shows none.
  std::unique_ptr<Progress> Show(std::string what) const;
  SizeBudget Budget() const;
};

// Errors: `facts` name an entry that the model lacks.
Status CheckEntry(const Model& source, const Facts& facts);

// The entry that `facts` name, else the default one.
const Entry& ChosenEntry(const Model& source, const Facts& facts);

// Whether Read takes the model from standard input.
bool IsStandardInput(const std::string& path);

// How many constants of the model have no elements.
std::size_t CountAbsentWeights(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_SESSION_H_
