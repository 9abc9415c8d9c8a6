// SPDX-License-Identifier: Apache-2.0
// The commands, and the options that several of them take.
#ifndef DRAGOMAN_CLI_OPTIONS_H_
#define DRAGOMAN_CLI_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/report.h"
#include "driver/session.h"

namespace dragoman::cli {

void AddBench(CommandLine& program);
void AddConvert(CommandLine& program);
void AddCache(CommandLine& program);
void AddCodegen(CommandLine& program);
void AddCompletion(CommandLine& program);
void AddDiff(CommandLine& program);
void AddEdit(CommandLine& program);
void AddExtract(CommandLine& program);
void AddInspect(CommandLine& program);
void AddManual(CommandLine& program);
void AddMerge(CommandLine& program);
void AddOps(CommandLine& program);
void AddReduce(CommandLine& program);
void AddRules(CommandLine& program);
void AddRun(CommandLine& program);
void AddSimplify(CommandLine& program);
void AddSplit(CommandLine& program);
void AddGeneralize(CommandLine& program);
void AddVerify(CommandLine& program);

// How a model is brought to the common level, as given.
struct LoweringFlags {
  std::vector<std::string> shapes;       // --shape
  std::vector<std::string> dims;         // --dim SYMBOL=SIZE
  std::optional<std::string> entry;      // --entry
  std::vector<std::string> cut_inputs;   // --cut-inputs
  std::vector<std::string> cut_outputs;  // --cut-outputs
  std::optional<std::string> passes;     // --passes
  std::vector<std::string> tags;         // --tags
  std::optional<std::string> batch;      // --batch
  std::vector<std::string> batch_axes;   // --batch-axis INPUT=AXIS
  std::optional<std::string> rules;      // --rules

  bool has_facts() const {
    return !shapes.empty() || !dims.empty() || entry.has_value() || batch.has_value();
  }
  bool has_cut() const { return !cut_inputs.empty() || !cut_outputs.empty(); }
};

void AddAnswerOptions(Command& command, CommonOptions& options);
// Of commands that read models: AddAnswerOptions, and more.
void AddCommonOptions(Command& command, CommonOptions& options);
void AddFacts(Command& command, LoweringFlags& options);
void AddCut(Command& command, LoweringFlags& options);
void AddBatch(Command& command, LoweringFlags& options);
// The model in the file, cut as the options say. Facts that this uses are taken out of `facts`.
Result<Model> ReadCut(const Session& session, const std::string& path, const LoweringFlags& options,
                      Facts& facts);
// The same, to be run: where the facts state other sizes than the model's, a common model of these,
// of the entry that they name, and no fact is left.
Result<Model> ReadToRun(const Session& session, const std::string& path,
                        const LoweringFlags& options, Facts& facts);
void AddPasses(Command& command, LoweringFlags& options);
void AddRuleFile(Command& command, LoweringFlags& options);
// Reads the file of --rules, if one is given. Errors: what is wrong in it.
Status UseRules(Session& session, const LoweringFlags& options);

// What chooses the graph and states facts, each after a space, as one types it: " --tags serve
// --shape x=1,6".
std::string TypedChoices(const LoweringFlags& options);
// What to read of the file: --tags.
ReadOptions ReadOptionsOf(const LoweringFlags& options);
Result<Facts> ParseFacts(const LoweringFlags& options);
Result<std::optional<BatchRequest>> ParseBatch(const LoweringFlags& options);
Result<LoweringOptions> ParseLowering(const LoweringFlags& options);
// With `facts` in place of those of the flags.
LoweringOptions LoweringWith(Facts facts, const LoweringFlags& options);

// Warnings and explanations go to standard error, as the options say; those of no file are about
// `model`.
Session MakeSession(const CommonOptions& options, const std::string& model = "");

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_OPTIONS_H_
