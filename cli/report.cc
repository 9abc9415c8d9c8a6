// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/support/printable.h"
#include "core/support/progress.h"
#include "core/support/text.h"
#include "driver/formats.h"

namespace dragoman::cli {
namespace {

// As https://no-color.org has it.
bool ShowsColors(int descriptor) {
  const char* const forbidden = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (forbidden != nullptr && *forbidden != '\0') return false;
  return terminal != nullptr && std::string_view(terminal) != "dumb" && ::isatty(descriptor) == 1;
}

std::string Painted(Color color, std::string_view text) {
  const int number = color == Color::kRed ? 31 : color == Color::kGreen ? 32 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", number, text);
}

// A line that holds nothing but what may be printed.
void WriteToStandardError(std::string line) {
  EraseProgress();
  line += '\n';
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

// As an error is printed, with `word` in place of "error:".
void SayFinding(Finding finding, std::string_view word, Color color) {
  constexpr std::string_view kWord = "error:";
  if (finding.file.empty()) finding.file = "dragoman";
  for (std::string* part : {&finding.file, &finding.place}) *part = Printable(*part);
  finding.message = PrintableMessage(finding.message);
  std::string line = finding.ToString();
  const std::size_t at = line.size() - finding.message.size() - kWord.size() - 1;
  line.replace(at, kWord.size(),
               ShowsColors(STDERR_FILENO) ? Painted(color, word) : std::string(word));
  WriteToStandardError(line);
}

// `error`, about the model at `file`, with places in that file where its format gives them.
Error Located(const Error& error, const std::string& file) {
  const Result<const Format*> format = FormatOfInput(BuiltInFormats(), file);
  return format.ok() && (*format)->locate != nullptr ? (*format)->locate(error, file) : error;
}

}  // namespace

void Say(std::string_view lines) { WriteToStandardError(PrintableLines(lines)); }

void PrintLines(std::string_view lines) { fmt::print("{}", PrintableLines(lines)); }

OurText Colored(Color color, std::string_view text) {
  const std::string shown = Printable(text);
  return {ShowsColors(STDOUT_FILENO) ? Painted(color, shown) : shown};
}

std::string OneLine(const Finding& finding) {
  const std::string text = PrintableMessage(finding.ToString());
  return text.substr(0, text.find('\n'));
}

ExitCode Report(const Error& error, std::string_view file) {
  const std::string model(file.empty() ? error.findings().front().file : file);
  const Error located = Located(error, model);
  for (Finding finding : located.findings()) {
    if (finding.file.empty()) finding.file = file;
    SayFinding(std::move(finding), "error:", Color::kRed);
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

nlohmann::ordered_json WrittenJson(const std::string& output, std::string_view format) {
  return {{"output", output}, {"format", format}};
}

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string SizeText(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  const double kilo = static_cast<double>(bytes) / 1e3;
  if (kilo < 1000) return fmt::format("{:.1f} kB", kilo);
  return fmt::format("{:.1f} MB", kilo / 1e3);
}

std::string TimeText(double microseconds) {
  if (microseconds < 1e3) return fmt::format("{:.3g} us", microseconds);
  if (microseconds < 1e6) return fmt::format("{:.3g} ms", microseconds * 1e-3);
  return fmt::format("{:.3g} s", microseconds * 1e-6);
}

nlohmann::ordered_json ProfileJson(const std::string& table) {
  auto json = nlohmann::ordered_json::array();
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the head
  while (std::getline(lines, line)) {
    std::istringstream row(line);
    double microseconds = 0;
    std::int64_t calls = 0;
    row >> microseconds >> calls >> std::ws;
    std::string step;
    std::getline(row, step);
    json.push_back({{"us", microseconds}, {"calls", calls}, {"step", step}});
  }
  return json;
}

std::string Grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

void SayWarning(const Finding& warning) { SayFinding(warning, "warning:", Color::kYellow); }

}  // namespace dragoman::cli
