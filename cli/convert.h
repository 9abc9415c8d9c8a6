// SPDX-License-Identifier: Apache-2.0
// What `convert` does, which other commands do with options of their own.
#ifndef DRAGOMAN_CLI_CONVERT_H_
#define DRAGOMAN_CLI_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "cli/watch_passes.h"

namespace dragoman::cli {

struct ConvertOptions {
  std::string model;
  std::string output;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> level;
  WriteOptions write;
  bool force = false;
  bool unroll = false;
  std::optional<std::int64_t> check;  // on how many random inputs
  std::uint64_t seed = 0;             // of them
  bool never_larger = false;          // an ONNX file that would get more nodes is copied as it is
  LoweringFlags lowering;
  WatchFlags watch;
  CommonOptions common;
};

// What formats can be written with: the option of that name; "": all.
void AddWriteOptions(Command& command, WriteOptions& options, std::string_view name = "");
// --check, --seed
void AddCheck(Command& command, ConvertOptions& options);
int RunConvert(const ConvertOptions& options);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_CONVERT_H_
