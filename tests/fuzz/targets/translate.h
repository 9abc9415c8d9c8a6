// SPDX-License-Identifier: Apache-2.0
// What a model that a reader took goes through in every fuzz target.
#ifndef DRAGOMAN_TESTS_FUZZ_TARGETS_TRANSLATE_H_
#define DRAGOMAN_TESTS_FUZZ_TARGETS_TRANSLATE_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "codegen/onednn/codegen.h"
#include "codegen/relax/write_relax.h"
#include "codegen/relay/write_relay.h"
#include "core/compare/equal.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/pipeline.h"
#include "exporters/onnx/export_onnx.h"
#include "exporters/pt2/export_program.h"
#include "exporters/torch/write_package.h"

namespace dragoman {

[[noreturn]] inline void Fault(const char* what, const std::string& more) {
  std::fprintf(stderr, "fault: %s: %s\n", what, more.c_str());
  std::abort();
}

// What the verifier accepts has a text that is read as the same model.
inline void TryText(const Model& model) {
  const std::string text = PrintText(model);
  const Result<Model> again = ParseText(text);
  if (!again.ok()) Fault("the printed text is not read", again.error().ToString());
  if (PrintText(*again) != text) Fault("the text is not read as it was printed", "");
  const auto difference = CompareModels(model, *again, {.level = model.level});
  if (difference.ok() && *difference) Fault("the text is another model", (*difference)->reason);
}

// Of a common model that a lowering gave: if it is well-formed, it is after all passes, and no
// writer falls over it.
inline void Translate(Result<Model> common) {
  if (!common.ok() || !Verify(*common).ok()) return;
  TryText(*common);
  if (!RunPipeline(*common, {}).ok()) return;
  if (const Status status = Verify(*common); !status.ok())
    Fault("rewritten to a malformed model", status.error().ToString());
  TryText(*common);
  static_cast<void>(CheckExport(*common, {}).ok());
  static_cast<void>(CheckExportProgram(*common).ok());
  static_cast<void>(PrintTorchModel(*common).ok());
  static_cast<void>(EmitRelax(*common).ok());
  static_cast<void>(EmitRelay(*common).ok());
  static_cast<void>(GenerateCpp(*common, {}).ok());
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_FUZZ_TARGETS_TRANSLATE_H_
