// SPDX-License-Identifier: Apache-2.0
// dragoman simplify MODEL -o OUT
#include <memory>

#include "cli/convert.h"

namespace dragoman::cli {

void AddSimplify(CommandLine& program) {
  auto options = std::make_shared<ConvertOptions>();
  options->lowering.passes = "default";
  options->never_larger = true;
  Command command = program.AddCommand(
      "simplify", "Make a model smaller that computes the same, as convert --passes default does");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("-o,--output", &options->output, "File to write",
              {.placeholder = "FILE", .required = true});
  AddPasses(command, options->lowering);
  AddRuleFile(command, options->lowering);
  AddWriteOptions(command, options->write, "--opset");
  AddFacts(command, options->lowering);
  AddBatch(command, options->lowering);
  AddCheck(command, *options);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Constants are folded, sizes that are known are stated, and what is computed twice, unread "
      "or\n"
      "without effect goes. A table on standard error compares the files.\n"
      "\n"
      "  dragoman simplify model.onnx -o small.onnx --check 3\n"
      "  dragoman simplify model.onnx -o small.onnx --shape x=1,3,224,224");
  command.SetRun([options] { return RunConvert(*options); });
}

}  // namespace dragoman::cli
