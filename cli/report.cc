#include "cli/report.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/support/progress.h"

namespace dragoman::cli {

void Say(std::string_view line) {
  EraseProgress();
  fmt::print(stderr, "{}\n", line);
}

ExitCode Report(const Error& error, std::string_view file) {
  for (Finding finding : error.findings()) {
    if (finding.file.empty()) finding.file = file.empty() ? "dragoman" : file;
    Say(finding.ToString());
  }
  if (error.findings().size() > 1) Say(fmt::format("{} errors", error.findings().size()));
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

void PrintJson(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string SizeText(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const double kilo = static_cast<double>(bytes) / 1e3;
  if (kilo < 1000) return fmt::format("{:.1f} kB", kilo);
  return fmt::format("{:.1f} MB", kilo / 1e3);
}

std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

void SayWarning(const Finding& warning) {
  Say(fmt::format("{}: warning: {}", warning.file.empty() ? "dragoman" : warning.file,
                  warning.message));
}

}  // namespace dragoman::cli
