// Models from files and to files, whatever their format.
#ifndef DRAGOMAN_CLI_MODEL_IO_H_
#define DRAGOMAN_CLI_MODEL_IO_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats.h"
#include "cli/report.h"
#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/rewrite/pipeline.h"
#include "core/support/result.h"

namespace dragoman::cli {

// How a model is brought to the common level: the options that several subcommands share.
struct LoweringOptions {
  std::vector<std::string> shapes;       // --shape, as given
  std::vector<std::string> dims;         // --dim SYMBOL=SIZE
  std::optional<std::string> entry;      // --entry
  std::vector<std::string> cut_inputs;   // --cut-inputs
  std::vector<std::string> cut_outputs;  // --cut-outputs
  std::optional<std::string> passes;     // --passes

  bool has_facts() const { return !shapes.empty() || !dims.empty() || entry.has_value(); }
  bool has_cut() const { return !cut_inputs.empty() || !cut_outputs.empty(); }
};

// Reads a model as it is in the file. `from` overrules what content and suffix say. Weights that
// lie in another file which is not there are constants without elements: only lowering needs them.
Result<Model> LoadModel(const std::string& path,
                        const std::optional<std::string>& from = std::nullopt);

// How many constants of the model have no elements.
std::size_t CountAbsentWeights(const Model& model);

Result<Facts> ParseFacts(const LoweringOptions& options);

// The entry that `facts` name, else the default one.
const Entry& ChosenEntry(const Model& source, const Facts& facts);

// The passes that the options choose; `default` unless they name others.
PipelineOptions PipelineOf(const LoweringOptions& options, const CommonOptions& common);
// A common model made from `source`, which may be one already: lowered with the facts, cut,
// rewritten by the passes.
Result<Model> ToCommon(const Model& source, const LoweringOptions& options,
                       const CommonOptions& common);
// The same with `facts` in place of those of the options.
Result<Model> ToCommon(const Model& source, const Facts& facts, const LoweringOptions& options,
                       const CommonOptions& common);
// The same without cut and passes. `note` is told what was left out or assumed.
Result<Model> Lower(const Model& source, const Facts& facts,
                    const std::function<void(std::string_view)>& note = nullptr);

struct SaveOptions {
  std::optional<std::int64_t> opset;  // of ONNX files made from a common graph
  bool lift_state = false;
  CommonOptions common;
};

// Writes `model` in `format`; `path` "-" prints a text form. Reports what a target cannot say and
// leaves out.
Status SaveModel(const Model& model, const std::string& path, Format format,
                 const SaveOptions& options);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_MODEL_IO_H_
