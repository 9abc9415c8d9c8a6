// SPDX-License-Identifier: Apache-2.0
// What every subcommand reports to the user, and with which exit code.
#ifndef DRAGOMAN_CLI_REPORT_H_
#define DRAGOMAN_CLI_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include "core/support/printable.h"
#include "core/support/result.h"

namespace dragoman::cli {

enum ExitCode : int {
  kDone = 0,
  kAnswerIsNo = 1,    // diff, verify
  kBadInput = 2,      // the input or the call is at fault
  kBug = 3,           // in dragoman
  kNotSupported = 4,  // understood, but not supported
};

// Options that all subcommands take.
struct CommonOptions {
  bool explain = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  std::optional<std::int64_t> expand_limit;  // in MB
};

// Prints lines made of printable parts to standard error. That it is closed does not matter.
void Say(std::string_view lines);

// Text of ours that people see as it is: escape sequences of colours.
struct OurText {
  std::string text;
};

// What stands for an argument of Print: for a text its printable form.
inline std::string Show(const OurText& argument) { return argument.text; }
inline std::string Show(std::string_view argument) { return Printable(argument); }
template <class T>
const T& Show(const T& argument) requires std::is_arithmetic_v<T> {
  return argument;
}
template <class T>
using Shown = std::remove_cvref_t<decltype(Show(std::declval<const T&>()))>;

// Prints to standard output what people read: any text among the arguments may come from a file,
// and becomes printable. Throws where it cannot write, as fmt::print does.
template <class... Args>
void Print(fmt::format_string<Shown<Args>...> format, const Args&... arguments) {
  const auto print = [&](const Shown<Args>&... shown) {
    fmt::vprint(fmt::string_view(format), fmt::make_format_args(shown...));
  };
  print(Show(arguments)...);
}
// The same of lines made of printable parts.
void PrintLines(std::string_view lines);

enum class Color : std::uint8_t { kRed, kGreen, kYellow };

// `text` as it is shown on standard output: in colour on a terminal that has colours, unless
// NO_COLOR is set.
OurText Colored(Color color, std::string_view text);

// A finding in one line, without an excerpt of the source.
std::string OneLine(const Finding& finding);

// Prints all findings, one per line, and their number if there are several; gives the exit code of
// their kind. Those of no file are of `file`, or of the call if that is empty.
ExitCode Report(const Error& error, std::string_view file = "");
// The same of what a command ends with; kDone if that went well.
inline ExitCode Report(const Status& status, std::string_view file = "") {
  return status.ok() ? kDone : Report(status.error(), file);
}

// Prints an answer to standard output; what is not UTF-8 is replaced.
void PrintJson(const nlohmann::ordered_json& json);

// What --json says first of a file that a command wrote.
nlohmann::ordered_json WrittenJson(const std::string& output, std::string_view format);

// A word as one types it in a shell, in quotes where it must be.
std::string ShellWord(std::string_view word);

// "999 bytes", "13.4 kB" or "2.1 MB".
std::string SizeText(std::uint64_t bytes);

// "12.3 us", "4.56 ms" or "1.23 s".
std::string TimeText(double microseconds);

// The rows of a table of steps that an engine gives (`--profile`), without its head.
nlohmann::ordered_json ProfileJson(const std::string& table);

// "3,338,000".
std::string Grouped(std::uint64_t number);

// One line on standard error.
void SayWarning(const Finding& warning);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_REPORT_H_
