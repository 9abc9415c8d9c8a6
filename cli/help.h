// SPDX-License-Identifier: Apache-2.0
// What --help prints; manual pages share its parts.
#ifndef DRAGOMAN_CLI_HELP_H_
#define DRAGOMAN_CLI_HELP_H_

#include <string>
#include <string_view>

#include "cli/command_line.h"

namespace dragoman::cli {

// How a page shows what is typed as it stands, and what stands for something else.
struct Marks {
  std::string (*literal)(std::string_view text);
  std::string (*placeholder)(std::string_view text);
};

// "dragoman convert MODEL -o FILE [OPTION ...]"
std::string Synopsis(const CommandText& command, const Marks& marks);
// "-o, --output FILE"
std::string NamesOf(const OptionText& option, const Marks& marks);

// In lines of at most 100 characters.
std::string HelpOf(const CommandText& command);
std::string HelpOf(const CommandLine& program);

// Of all commands, without "exit codes" before it.
std::string_view ExitCodes();

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_HELP_H_
