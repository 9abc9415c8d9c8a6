// Runs other programs.
#ifndef DRAGOMAN_CORE_SUPPORT_PROCESS_H_
#define DRAGOMAN_CORE_SUPPORT_PROCESS_H_

#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

struct ProcessResult {
  int exit_code = 0;   // 128 + signal if one ended it
  std::string output;  // standard output and standard error together, the last 64 kB
};

// Runs `arguments`, the first of which is looked up in PATH, without a shell and without standard
// input, and waits. Errors: the program cannot be started.
Result<ProcessResult> RunProcess(const std::vector<std::string>& arguments);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PROCESS_H_
