#include "cli/report.h"

#include <cstdio>

#include <fmt/format.h>

namespace dragoman::cli {

ExitCode Report(const Error& error, std::string_view file) {
  for (Finding finding : error.findings()) {
    if (finding.file.empty()) finding.file = file;
    fmt::print(stderr, "{}\n", finding.ToString());
  }
  if (error.findings().size() > 1) fmt::print(stderr, "{} errors\n", error.findings().size());
  switch (error.kind()) {
    case ErrorKind::kInvalidInput:
      return kBadInput;
    case ErrorKind::kInternal:
      return kBug;
    case ErrorKind::kUnsupported:
      return kNotSupported;
  }
  return kBug;
}

void Warn(const CommonOptions& options, std::string_view file, std::string_view message) {
  if (options.quiet) return;
  fmt::print(stderr, "{}{}warning: {}\n", file, file.empty() ? "" : ": ", message);
}

}  // namespace dragoman::cli
