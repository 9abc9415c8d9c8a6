// SPDX-License-Identifier: Apache-2.0
// The one screen that `dragoman inspect` prints.
#ifndef DRAGOMAN_CLI_INSPECT_SCREEN_H_
#define DRAGOMAN_CLI_INSPECT_SCREEN_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman::cli {

struct ScreenOptions {
  std::string model;       // the file
  std::string choices;     // as TypedChoices gives them
  bool has_facts = false;  // whether facts are among them
  bool verbose = false;
};

// What is in `model`, and what can be done with it; `lowered` is the model with the facts.
void PrintScreen(const Session& session, const Model& model, const Result<Model>& lowered,
                 const ScreenOptions& options);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_INSPECT_SCREEN_H_
