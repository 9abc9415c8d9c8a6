// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <algorithm>
#include <list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help.h"
#include "cli/report.h"
#include "core/support/nearest_name.h"
#include "core/support/text.h"

namespace dragoman::cli {
namespace {

OptionText HelpFlag() { return {.names = "-h,--help", .help = "Print this help"}; }

// "--shape", "--dim", …
std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The arguments; `help CMD` and `version` in their spelling as options.
std::vector<std::string> Words(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return words;
  if (words.front() == "version") words.front() = "--version";
  if (words.front() != "help") return words;
  words.erase(words.begin());
  words.push_back("--help");
  return words;
}

// Longer lists of words are left to the text of the option.
constexpr std::size_t kMaxChoices = 60;
constexpr std::size_t kMaxWords = 12;

std::string Choices(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "|"));
}

bool IsNumber(const Destination& destination) {
  return std::visit(
      [](auto* value) {
        using T = std::remove_pointer_t<decltype(value)>;
        return !std::is_same_v<T, std::string> && !std::is_same_v<T, std::optional<std::string>> &&
               !std::is_same_v<T, std::vector<std::string>>;
      },
      destination);
}

// As --help calls the values of an option.
std::string ValueName(const std::string& names, const Destination& destination,
                      const Accepts& accepts) {
  if (!names.starts_with('-')) return "";
  if (!accepts.placeholder.empty()) return accepts.placeholder;
  const std::string choices = Choices(accepts.one_of);
  if (!choices.empty() && choices.size() <= kMaxChoices) return choices;
  return IsNumber(destination) ? "NUMBER" : "TEXT";
}

// What the parser complains of, as we put it.
std::string InOurWords(const std::string& what) {
  const auto between = [&](std::string_view before, std::string_view after) {
    const std::size_t begin = what.find(before) + before.size();
    return what.substr(begin, what.find(after, begin) - begin);
  };
  // "--to: At Most 1 required but received 2"
  constexpr std::string_view kTwice = ": At Most 1 required but received ";
  if (what.find(kTwice) != std::string::npos)
    return between("", kTwice) + " is given " + between(kTwice, "\n") + " times";
  // "Could not convert: --seed = x"
  constexpr std::string_view kNumber = "Could not convert: ";
  if (what.starts_with(kNumber))
    return between(kNumber, " = ") + ": '" + between(" = ", "\n") + "' is not a number";
  // "--to: 1 required TEXT missing"
  constexpr std::string_view kNone = ": 1 required ";
  if (what.find(kNone) != std::string::npos) return between("", kNone) + " needs a value";
  return what;
}

// What is wrong with a call that the parser refused.
Error Refusal(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty() && error.get_name() == "RequiredError")
    return InvalidInput("a command is required; see dragoman --help");
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string what = InOurWords(error.what());
  bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  // What is required is missing, often because another word stands in its place.
  if (const std::vector<std::string> extras = app.remaining(true);
      error.get_name() == "RequiredError" && !extras.empty()) {
    const bool has_option =
        std::ranges::any_of(extras, [](const std::string& word) { return word.starts_with('-'); });
    if (has_option) {
      what = fmt::format(": {}", fmt::join(extras, " "));
      is_extra = true;
    } else if (extras.size() == 1 && what.starts_with("--output ")) {
      what += " (did you mean '-o " + extras.front() + "'?)";
    }
  }
  // "The following arguments were not expected: x=1 --shpae", in any order
  const std::size_t option = what.find(" -");
  if (is_extra && option != std::string::npos) {
    const std::size_t end = what.find_first_of(" =", option + 1);
    const std::string name = what.substr(option + 1, end - option - 1);
    what = "there is no option '" + name + "'" + DidYouMean(name, OptionsOf(command));
  } else if (is_extra) {
    what = "there is no use for '" + what.substr(what.find(": ") + 2) + "'";
  }
  return InvalidInput(fmt::format("{}; see dragoman {}--help", what,
                                  chosen.empty() ? "" : command.get_name() + " "));
}

// What an option says of a value that is none of its own; "": all of them are.
std::string RefusalOf(const std::vector<std::string>& values,
                      const std::vector<std::string>& words) {
  for (const std::string& value : values) {
    if (std::ranges::find(words, value) == words.end())
      return "there is no '" + value + "'" + WhatThereIs(value, "it takes", words);
  }
  return "";
}

// An option whose words are lists. The parser's own lists lose empty pieces, and take words of
// arguments that follow.
CLI::Option* AddLists(CLI::App& app, const std::string& names, std::vector<std::string>& list) {
  const auto add = [&list](const CLI::results_t& words) {
    for (const std::string& word : words) {
      const std::vector<std::string> pieces = AtCommas(word);
      list.insert(list.end(), pieces.begin(), pieces.end());
    }
    return true;
  };
  return app.add_option(names, CLI::callback_t(add))->expected(1)->take_all();
}

}  // namespace

struct CommandLine::Parser {
  CLI::App app;
  int exit_code = kDone;
  CommandText program;
  std::list<CommandText> commands;
};

std::vector<std::string> AtCommas(const std::string& list) {
  std::vector<std::string> pieces(1);
  for (const char c : list) {
    if (c == ',')
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  return pieces;
}

std::string OptionText::HelpWithWords() const {
  if (words.empty() || words.size() > kMaxWords || value == Choices(words)) return help;
  return fmt::format("{}; one of {}", help, fmt::join(words, ", "));
}

std::string OptionText::LongName() const {
  const std::size_t dashes = names.find("--");
  return dashes == std::string::npos ? "" : names.substr(dashes + 2);
}

void Command::Add(const std::string& names, Destination destination, const std::string& help,
                  const Accepts& accepts) {
  CLI::Option* option =
      accepts.commas
          ? AddLists(*app_, names, *std::get<std::vector<std::string>*>(destination))
          : std::visit([&](auto* value) { return app_->add_option(names, *value); }, destination);
  if (std::holds_alternative<std::uint64_t*>(destination)) {
    option->check([](const std::string& word) {
      return ParseUint64(word) ? "" : "'" + word + "' is not a number from 0 on";
    });
  }
  const std::string value = ValueName(names, destination, accepts);
  option->type_name(value);
  if (accepts.required) option->required();
  if (!accepts.one_of.empty()) {
    option->check([words = accepts.one_of, commas = accepts.commas](const std::string& word) {
      return RefusalOf(commas ? AtCommas(word) : std::vector{word}, words);
    });
  }
  if (accepts.range) {
    option->check([range = *accepts.range](const std::string& word) -> std::string {
      const std::optional<std::int64_t> number = ParseInt64(word);
      if (number && *number >= range.first && *number <= range.second) return "";
      return fmt::format("'{}' is not a number from {} to {}", word, range.first, range.second);
    });
  }
  // Else a list takes the words that follow as well, and brackets off its words.
  if (accepts.repeatable) option->take_all()->expected(1)->allow_extra_args(false);
  if (accepts.in_a_row > 1) option->expected(accepts.in_a_row);
  text_->options.push_back({names, value, help,
                            accepts.one_of.empty() ? accepts.suggested : accepts.one_of,
                            accepts.required});
}

void Command::AddFlag(const std::string& names, bool& destination, const std::string& help) {
  app_->add_flag(names, destination);
  text_->options.push_back({.names = names, .help = help});
}

void Command::SetFooter(const std::string& text) { text_->footer = text; }

CommandLine::CommandLine(const std::string& description, const std::string& footer,
                         const std::string& version)
    : parser_(new Parser{
          .app = CLI::App("", "dragoman"),
          .program = {"dragoman",
                      description,
                      footer,
                      {HelpFlag(),
                       {.names = "--version", .help = "Print version, commit and libraries"}}}}) {
  parser_->app.set_version_flag("--version", version);
  parser_->app.require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::AddCommand(const std::string& name, const std::string& what) {
  CommandText& text = parser_->commands.emplace_back(CommandText{name, what, {}, {HelpFlag()}});
  return Command(parser_->app.add_subcommand(name), text, parser_->exit_code);
}

void Command::SetRun(std::function<int()> run) {
  app_->callback([run = std::move(run), exit_code = exit_code_] { *exit_code = run(); });
}

const std::list<CommandText>& CommandLine::Commands() const { return parser_->commands; }
const CommandText& CommandLine::Program() const { return parser_->program; }

void CommandLine::PrintHelp() const {
  const std::vector<CLI::App*> chosen = parser_->app.get_subcommands();
  if (chosen.empty()) {
    fmt::print("{}", HelpOf(*this));
    return;
  }
  fmt::print(
      "{}", HelpOf(*std::ranges::find(Commands(), chosen.front()->get_name(), &CommandText::name)));
}

int CommandLine::Run(int argc, char** argv) {
  std::vector<std::string> words = Words(argc, argv);
  const std::string first = words.empty() ? "-" : words.front();
  const auto is_first = [&](const CLI::App* command) { return command->get_name() == first; };
  if (!first.starts_with('-') && parser_->app.get_subcommands(is_first).empty()) {
    std::vector<std::string> commands;
    for (const CommandText& command : Commands()) commands.push_back(command.name);
    return Report(InvalidInput("there is no command '" + first + "'" + DidYouMean(first, commands) +
                               "; see dragoman --help"));
  }
  try {
    std::ranges::reverse(words);  // as the parser wants them
    parser_->app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return Report(Refusal(parser_->app, error));
    if (error.get_name() == "CallForHelp")
      PrintHelp();
    else
      parser_->app.exit(error);  // prints the version
    return kDone;
  }
  return parser_->exit_code;
}

}  // namespace dragoman::cli
