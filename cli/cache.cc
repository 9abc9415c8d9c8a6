// SPDX-License-Identifier: Apache-2.0
// dragoman cache [--clear]
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "codegen/onednn/native_cache.h"
#include "core/support/plural.h"

namespace dragoman::cli {
namespace {

struct CacheOptions {
  bool clear = false;
  CommonOptions common;
};

int RunCache(const CacheOptions& options) {
  const Result<std::filesystem::path> found = NativeCacheFolder();
  if (!found.ok()) return Report(found.error());
  const std::filesystem::path& folder = *found;
  const std::uint64_t freed = options.clear ? ClearNativeCache(folder) : 0;
  const std::vector<CachedProgram> programs = ListNativeCache(folder);
  std::uint64_t bytes = 0;
  for (const CachedProgram& program : programs) bytes += program.bytes;
  if (options.common.json) {
    nlohmann::ordered_json json = {{"folder", folder.string()},
                                   {"programs", programs.size()},
                                   {"bytes", bytes},
                                   {"limit", NativeCacheLimit()}};
    if (options.clear) json["freed"] = freed;
    PrintJson(json);
    return kDone;
  }
  if (options.clear && !options.common.quiet) Print("{} freed\n", SizeText(freed));
  Print("{}: {}, {}; at most {} are kept\n", folder.string(),
        Plural(programs.size(), "compiled program"), SizeText(bytes), SizeText(NativeCacheLimit()));
  return kDone;
}

}  // namespace

void AddCache(CommandLine& program) {
  auto options = std::make_shared<CacheOptions>();
  Command command =
      program.AddCommand("cache", "List or remove the programs that --engine native has compiled");
  command.AddFlag("--clear", options->clear, "Remove all of them");
  AddAnswerOptions(command, options->common);
  command.SetFooter(
      "The folder is $DRAGOMAN_CACHE, $XDG_CACHE_HOME/dragoman or ~/.cache/dragoman. Above\n"
      "$DRAGOMAN_CACHE_MB megabytes (default: 2000), the least recently used programs are "
      "removed.");
  command.SetRun([options] { return RunCache(*options); });
}

}  // namespace dragoman::cli
