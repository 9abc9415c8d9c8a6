// dragoman completion SHELL
#include <memory>
#include <string>

#include <fmt/format.h>

#include "cli/options.h"

namespace dragoman::cli {
namespace {

constexpr char kBash[] = R"(# bash completion for dragoman; source <(dragoman completion bash)
_dragoman() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}  esac
  [[ "$word" == -* ]] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -o filenames -F _dragoman dragoman
)";

constexpr char kZsh[] = R"(#compdef dragoman
# zsh completion for dragoman; source <(dragoman completion zsh)
autoload -U +X bashcompinit && bashcompinit
)";

std::string OptionNames(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      names += (names.empty() ? "--" : " --") + name;
  }
  return names;
}

std::string BashScript(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n",
                         command->get_name(), OptionNames(*command));
  }
  return fmt::format(kBash, fmt::arg("commands", commands), fmt::arg("cases", cases));
}

}  // namespace

void AddCompletion(CLI::App& program, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([shell, &program, &exit_code] {
    fmt::print("{}{}", *shell == "zsh" ? kZsh : "", BashScript(program));
    exit_code = kDone;
  });
}

}  // namespace dragoman::cli
