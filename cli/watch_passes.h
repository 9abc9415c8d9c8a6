// SPDX-License-Identifier: Apache-2.0
// Options that show what each pass does to a model, for those who look for a fault of a pass.
#ifndef DRAGOMAN_CLI_WATCH_PASSES_H_
#define DRAGOMAN_CLI_WATCH_PASSES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman::cli {

struct WatchFlags {
  std::vector<std::string> print_after;      // --print-after
  std::optional<std::string> print_to;       // --print-to
  bool time_passes = false;                  // --time-passes
  bool verify_each = false;                  // --verify-each
  std::optional<std::int64_t> bisect_limit;  // --bisect-limit
};

void AddWatch(Command& command, WatchFlags& flags);

// Has the passes of the session watched as the flags say. The times are printed when the last copy
// of the session is gone. Errors: a pass that does not exist; a folder without passes to print.
Status WatchPasses(Session& session, const WatchFlags& flags);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_WATCH_PASSES_H_
