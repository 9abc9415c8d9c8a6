// SPDX-License-Identifier: Apache-2.0
// Runs another program and waits for it.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PROCESS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PROCESS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

struct ProcessResult {
  int exit_code = 0;  // 128 + the signal that ended it
  std::string out;    // standard output
  std::string error;  // standard error
};

// `command` is the program, found along PATH, and its arguments; no shell is involved. What it
// prints goes through files in `folder`, which exists. Errors: it cannot be started.
Result<ProcessResult> RunProcess(const std::vector<std::string>& command,
                                 const std::filesystem::path& folder);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PROCESS_H_
