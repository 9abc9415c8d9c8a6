// SPDX-License-Identifier: Apache-2.0
// What `convert` does, which other commands do with options of their own.
#ifndef DRAGOMAN_CLI_CONVERT_H_
#define DRAGOMAN_CLI_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.h"
#include "cli/watch_passes.h"

namespace dragoman::cli {

struct ConvertOptions {
  std::string model;
  std::string output;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> level;
  std::string state = "keep";
  std::optional<std::int64_t> opset;
  bool functions = false;
  std::optional<std::string> allowed_domain;
  std::optional<std::string> external_data;  // "none", or bytes
  std::string data_files = "one";
  std::optional<std::string> torch_version;
  std::optional<std::string> relax_version;
  bool packed = false;
  bool force = false;
  bool unroll = false;
  std::optional<std::int64_t> check;  // on how many random inputs
  std::uint64_t seed = 0;             // of them
  bool never_larger = false;          // an ONNX file that would get more nodes is copied as it is
  LoweringFlags lowering;
  WatchFlags watch;
  CommonOptions common;
};

// --check, --seed
void AddCheck(Command& command, ConvertOptions& options);
int RunConvert(const ConvertOptions& options);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_CONVERT_H_
