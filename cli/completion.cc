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

std::string BashScript(const CommandLine& program) {
  std::string commands;
  std::string cases;
  for (const CommandNames& command : program.Names()) {
    commands += (commands.empty() ? "" : " ") + command.name;
    std::string options;
    for (const std::string& name : command.options)
      options += (options.empty() ? "--" : " --") + name;
    cases += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n", command.name,
                         options);
  }
  return fmt::format(kBash, fmt::arg("commands", commands), fmt::arg("cases", cases));
}

}  // namespace

void AddCompletion(CommandLine& program) {
  auto shell = std::make_shared<std::string>();
  Command command = program.AddCommand("completion", "Print a completion script for a shell");
  command.Add("SHELL", shell.get(), "bash or zsh", {.required = true, .one_of = {"bash", "zsh"}});
  command.SetRun([shell, &program] {
    fmt::print("{}{}", *shell == "zsh" ? kZsh : "", BashScript(program));
    return static_cast<int>(kDone);
  });
}

}  // namespace dragoman::cli
