#include "cli/options.h"

namespace dragoman::cli {

void AddCommonOptions(CLI::App& command, CommonOptions& options) {
  command.add_flag("--explain", options.explain,
                   "Tell each rewrite that was made, and each near miss");
  command.add_flag("--json", options.json, "Print the answer as JSON");
  command.add_flag("-q,--quiet", options.quiet, "Print no warnings");
  command.add_flag("-v,--verbose", options.verbose, "Tell more: inspect prints the whole graph");
  command.add_flag("--strict", options.strict, "Make warnings errors");
}

void AddFacts(CLI::App& command, LoweringOptions& options) {
  command
      .add_option(
          "--shape", options.shapes,
          "Sizes of an input: NAME=D,… where D is a size, a symbol, ? (unknown) or _ (as it was);\n"
          "NAME=int64:D,… also gives the element type")
      ->take_all()
      ->expected(1);
  command.add_option("--dim", options.dims, "SYMBOL=SIZE, wherever the symbol occurs")
      ->take_all()
      ->expected(1);
  command.add_option("--entry", options.entry, "The one entry to keep");
}

void AddCut(CLI::App& command, LoweringOptions& options) {
  command.add_option("--cut-inputs", options.cut_inputs, "Values that become the inputs")
      ->delimiter(',');
  command.add_option("--cut-outputs", options.cut_outputs, "Values that become the outputs")
      ->delimiter(',');
}

void AddPasses(CLI::App& command, LoweringOptions& options) {
  command.add_option("--passes", options.passes,
                     "none, default, names of passes, or default,-NAME; `dragoman ops` lists them");
}

}  // namespace dragoman::cli
