#include "cli/command_line.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/report.h"

namespace dragoman::cli {
namespace {

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  if (chosen.empty() && error.get_name() == "RequiredError")
    return "dragoman: error: a command is required; see dragoman --help\n";
  return fmt::format("dragoman: error: {}; see dragoman {}--help\n", error.what(),
                     chosen.empty() ? "" : chosen.front()->get_name() + " ");
}

}  // namespace

struct CommandLine::Parser {
  CLI::App app;
  int exit_code = kDone;
};

void Command::Add(const std::string& names, Destination destination, const std::string& help,
                  const Accepts& accepts) {
  CLI::Option* option =
      std::visit([&](auto* value) { return app_->add_option(names, *value, help); }, destination);
  if (accepts.required) option->required();
  if (!accepts.one_of.empty()) option->check(CLI::IsMember(accepts.one_of));
  if (accepts.range) option->check(CLI::Range(accepts.range->first, accepts.range->second));
  if (accepts.commas) option->delimiter(',');
  if (accepts.repeatable) option->take_all()->expected(1);
}

void Command::AddFlag(const std::string& names, bool& destination, const std::string& help) {
  app_->add_flag(names, destination, help);
}

void Command::SetFooter(const std::string& text) { app_->footer(text); }

CommandLine::CommandLine(const std::string& description, const std::string& footer,
                         const std::string& version)
    : parser_(new Parser{CLI::App(description, "dragoman")}) {
  CLI::App& app = parser_->app;
  app.footer(footer);
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message(FailureMessage);
}

CommandLine::~CommandLine() = default;

Command CommandLine::AddCommand(const std::string& name, const std::string& what) {
  return Command(parser_->app.add_subcommand(name, what), parser_->exit_code);
}

void Command::SetRun(std::function<int()> run) {
  app_->callback([run = std::move(run), exit_code = exit_code_] { *exit_code = run(); });
}

std::vector<CommandNames> CommandLine::Names() const {
  std::vector<CommandNames> names;
  for (const CLI::App* command :
       parser_->app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandNames& each = names.emplace_back(CommandNames{command->get_name(), {}});
    for (const CLI::Option* option : command->get_options())
      std::ranges::copy(option->get_lnames(), std::back_inserter(each.options));
  }
  return names;
}

int CommandLine::Run(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "-";
  const auto is_first = [&](const CLI::App* command) { return command->get_name() == first; };
  if (!first.starts_with('-') && parser_->app.get_subcommands(is_first).empty())
    return Report(InvalidInput("there is no command '" + first + "'; see dragoman --help"));
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parser_->app.exit(error) == 0 ? kDone : kBadInput;
  }
  return parser_->exit_code;
}

}  // namespace dragoman::cli
