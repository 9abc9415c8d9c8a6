// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/support/num_characters.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kColumn = 30;  // where the texts of options and commands begin

constexpr Marks kPlain = {[](std::string_view text) { return std::string(text); },
                          [](std::string_view text) { return std::string(text); }};

// The words of `text` in lines that begin in `column`, the first one where the line is already.
std::string Wrapped(std::string_view text, std::size_t column) {
  std::string lines;
  std::size_t at = column;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t length = NumCharacters(word);
    if (at > column && at + 1 + length > kWidth) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += length;
  }
  return lines + "\n";
}

std::string Row(const std::string& name, std::string_view text) {
  const std::size_t end = NumCharacters(name);
  const bool fits = end + 2 <= kColumn;
  return name + (fits ? "" : "\n") + std::string(fits ? kColumn - end : kColumn, ' ') +
         Wrapped(text, kColumn);
}

// Names without a short one stand below those that have one.
std::string OptionRow(const OptionText& option) {
  const bool is_short = option.is_argument() || !option.names.starts_with("--");
  return Row((is_short ? "  " : "      ") + NamesOf(option, kPlain), option.HelpWithWords());
}

std::string Footer(const CommandText& text) {
  return text.footer.empty() ? "" : "\n" + text.footer + "\n";
}

}  // namespace

std::string Synopsis(const CommandText& command, const Marks& marks) {
  std::string line = marks.literal("dragoman " + command.name);
  for (const OptionText& option : command.options) {
    if (option.is_argument()) {
      const std::string name = marks.placeholder(option.names);
      line += option.required ? " " + name : " [" + name + "]";
    } else if (option.required) {
      line += " " + marks.literal(option.names.substr(0, option.names.find(','))) + " " +
              marks.placeholder(option.value);
    }
  }
  return line + " [" + marks.placeholder("OPTION") + " ...]";
}

std::string NamesOf(const OptionText& option, const Marks& marks) {
  if (option.is_argument()) return marks.placeholder(option.names);
  const std::size_t comma = option.names.find(',');
  std::string text = marks.literal(option.names.substr(0, comma));
  if (comma != std::string::npos) text += ", " + marks.literal(option.names.substr(comma + 1));
  return option.value.empty() ? text : text + " " + marks.placeholder(option.value);
}

std::string HelpOf(const CommandText& command) {
  std::string arguments, options;
  for (const OptionText& option : command.options)
    (option.is_argument() ? arguments : options) += OptionRow(option);
  if (!arguments.empty()) arguments = "\nArguments:\n" + arguments;
  return fmt::format("{}\n\nUsage: {}\n{}\nOptions:\n{}{}", command.what, Synopsis(command, kPlain),
                     arguments, options, Footer(command));
}

std::string HelpOf(const CommandLine& program) {
  std::string options, commands;
  for (const OptionText& option : program.Program().options) options += OptionRow(option);
  for (const CommandText& command : program.Commands())
    commands += Row("  " + command.name, command.what);
  return fmt::format(
      "{}\n\nUsage: dragoman COMMAND [OPTION ...]\n\nOptions:\n{}\nCommands:\n{}{}\n{}",
      program.Program().what, options, commands, Footer(program.Program()),
      Wrapped("Exit codes: " + std::string(ExitCodes()), 0));
}

std::string_view ExitCodes() {
  return "0 done, or equal; 1 different (diff, verify, --check); 2 invalid input or usage; "
         "3 a bug in dragoman; 4 valid but not supported.";
}

}  // namespace dragoman::cli
