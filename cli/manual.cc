// SPDX-License-Identifier: Apache-2.0
// dragoman manual [COMMAND]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/help.h"
#include "cli/options.h"
#include "core/support/nearest_name.h"

namespace dragoman::cli {
namespace {

// Text in which troff finds no commands of its own.
std::string Escaped(std::string_view text) {
  std::string escaped;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) escaped += "\\&";
    at_start = c == '\n';
    if (c == '-')
      escaped += "\\-";
    else if (c == '\\')
      escaped += "\\e";
    else
      escaped += c;
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Slanted(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

constexpr Marks kMarks = {Bold, Slanted};

// Lines; those that are indented stay as they are.
std::string Paragraphs(std::string_view text) {
  std::string page;
  bool as_is = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool indented = line.starts_with("  ");
    if (indented != as_is) page += indented ? ".PP\n.nf\n" : ".fi\n";
    as_is = indented;
    page += line.empty() ? ".PP\n" : Escaped(line) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return as_is ? page + ".fi\n" : page;
}

std::string Heading(std::string_view name, std::string_view what) {
  std::string title(name);
  std::ranges::transform(title, title.begin(), [](char c) {
    return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  });
  return fmt::format(".TH {} 1 \"\" dragoman\n.SH NAME\n{} \\- {}\n", Escaped(title), Escaped(name),
                     Escaped(what));
}

std::string CommandPage(const CommandText& command) {
  std::string page = Heading("dragoman-" + command.name, command.what);
  page += ".SH SYNOPSIS\n" + Synopsis(command, kMarks) + "\n.SH OPTIONS\n";
  for (const OptionText& option : command.options)
    page += ".TP\n" + NamesOf(option, kMarks) + "\n" + Escaped(option.HelpWithWords()) + "\n";
  if (!command.footer.empty()) page += ".SH NOTES\n" + Paragraphs(command.footer);
  page += ".SH EXIT STATUS\n" + Escaped(ExitCodes()) + "\n";
  return page + ".SH SEE ALSO\n" + Bold("dragoman") + "(1)\n";
}

std::string ProgramPage(const CommandLine& program) {
  const CommandText& text = program.Program();
  std::string page = Heading("dragoman", "translate neural-network models");
  page += ".SH SYNOPSIS\n" + Bold("dragoman") + " " + Slanted("COMMAND") + " [" +
          Slanted("OPTION") + " ...]\n.SH DESCRIPTION\n" + Paragraphs(text.what) + ".SH COMMANDS\n";
  for (const CommandText& command : program.Commands())
    page += ".TP\n" + Bold(command.name) + "\n" + Escaped(command.what) + "\n";
  page += ".SH NOTES\n" + Paragraphs(text.footer) + ".SH EXIT STATUS\n" + Escaped(ExitCodes()) +
          "\n.SH SEE ALSO\n";
  std::string others;
  for (const CommandText& command : program.Commands())
    others += (others.empty() ? "" : ", ") + Bold("dragoman-" + command.name) + "(1)";
  return page + others + "\n";
}

// On a terminal by man, which formats it and pages; else as it is, for a file or a pipe.
void ShowPage(const std::string& page) {
  constexpr char kPager[] = "command -v man > /dev/null || exit 127; exec man -l -";
  if (::isatty(STDOUT_FILENO) != 0) {
    if (std::FILE* pager = ::popen(kPager, "w")) {
      std::fwrite(page.data(), 1, page.size(), pager);
      const int status = ::pclose(pager);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 127) return;
    }
  }
  fmt::print("{}", page);
}

int PrintPage(const CommandLine& program, const std::string& name) {
  if (name.empty()) {
    ShowPage(ProgramPage(program));
    return kDone;
  }
  std::vector<std::string> names;
  for (const CommandText& command : program.Commands()) {
    names.push_back(command.name);
    if (command.name != name) continue;
    ShowPage(CommandPage(command));
    return kDone;
  }
  return Report(InvalidInput("there is no command '" + name + "'" + DidYouMean(name, names)));
}

}  // namespace

void AddManual(CommandLine& program) {
  auto name = std::make_shared<std::string>();
  std::vector<std::string> commands;
  for (const CommandText& other : program.Commands()) commands.push_back(other.name);
  Command command = program.AddCommand("manual", "Show a manual page, or print it for man");
  command.Add("COMMAND", name.get(), "The command; default: the page of dragoman itself",
              {.suggested = std::move(commands)});
  command.SetFooter(
      "On a terminal, man shows the page.\n"
      "\n"
      "  dragoman manual convert\n"
      "  dragoman manual convert > dragoman-convert.1");
  command.SetRun([name, &program] { return PrintPage(program, *name); });
}

}  // namespace dragoman::cli
