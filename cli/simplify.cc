// SPDX-License-Identifier: Apache-2.0
// dragoman simplify MODEL -o OUT
#include <memory>

#include "cli/convert.h"
#include "driver/simplify_model.h"

namespace dragoman::cli {

void AddSimplify(CommandLine& program) {
  auto options = std::make_shared<ConvertOptions>();
  options->lowering.passes = kSimplifyingPasses;
  options->never_larger = true;
  Command command = program.AddCommand("simplify", "Make a model smaller that computes the same");
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
      "Constants are folded, large ones too, sizes that are known are stated, and what is "
      "computed\n"
      "twice, unread or without effect goes, as by convert --passes default,fold-large. A table "
      "on\n"
      "standard error compares the files; --passes default keeps large constants as they are "
      "stated.\n"
      "\n"
      "  dragoman simplify model.onnx -o small.onnx --check 3\n"
      "  dragoman simplify model.onnx -o small.onnx --shape x=1,3,224,224");
  command.SetRun([options] { return RunConvert(*options); });
}

}  // namespace dragoman::cli
