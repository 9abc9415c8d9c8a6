// SPDX-License-Identifier: Apache-2.0
// dragoman completion SHELL
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options.h"

namespace dragoman::cli {
namespace {

constexpr char kBash[] = R"(# bash completion for dragoman; source <(dragoman completion bash)
_dragoman_words() {{  # of a list, after the last comma of the word
  local head=""
  [[ "$word" == *,* ]] && head="${{word%,*}},"
  COMPREPLY=($(compgen -P "$head" -W "$1" -- "${{word##*,}}"))
}}
_dragoman() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  if [[ "$word" == "=" ]]; then
    word=""
  elif [[ "$before" == "=" ]]; then
    before="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  if [ "$COMP_CWORD" -eq 1 ] || [[ "${{COMP_WORDS[1]}}" == help ]]; then
    _dragoman_words "{commands} help version"
    return
  fi
  case "${{COMP_WORDS[1]}} $before" in
{values}  esac
  if [[ "$word" != -* ]]; then
    case "${{COMP_WORDS[1]}}" in
{arguments}    esac
    COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{options}  esac
}}
complete -o filenames -F _dragoman dragoman
)";

constexpr char kZsh[] = R"(#compdef dragoman
# zsh completion for dragoman; source <(dragoman completion zsh)
autoload -U +X bashcompinit && bashcompinit
)";

constexpr char kFish[] = R"(# fish completion for dragoman; dragoman completion fish | source
complete -c dragoman -n __fish_use_subcommand -f
)";

// A pattern of `case`: "convert --to".
std::string ValuesCase(const CommandText& command, const OptionText& option) {
  return fmt::format("    \"{} --{}\") _dragoman_words \"{}\"; return ;;\n", command.name,
                     option.LongName(), fmt::join(option.words, " "));
}

std::string BashScript(const CommandLine& program) {
  std::string commands, values, arguments, options;
  for (const CommandText& command : program.Commands()) {
    commands += (commands.empty() ? "" : " ") + command.name;
    std::string names;
    for (const OptionText& option : command.options) {
      if (option.is_argument() && !option.words.empty()) {
        arguments += fmt::format("      {}) _dragoman_words \"{}\"; return ;;\n", command.name,
                                 fmt::join(option.words, " "));
      }
      if (option.is_argument()) continue;
      names += (names.empty() ? "--" : " --") + option.LongName();
      if (!option.words.empty()) values += ValuesCase(command, option);
    }
    options += fmt::format("    {}) _dragoman_words \"{}\" ;;\n", command.name, names);
  }
  return fmt::format(kBash, fmt::arg("commands", commands), fmt::arg("values", values),
                     fmt::arg("arguments", arguments), fmt::arg("options", options));
}

// In single quotes of fish.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + "'";
}

// The options of a line that completes `option`: its name, its values, what it does.
std::string FishOption(const OptionText& option) {
  std::string line;
  if (!option.is_argument()) line += " -l " + option.LongName();
  if (!option.is_argument() && option.names[1] != '-')
    line += fmt::format(" -s {}", option.names[1]);
  if (!option.words.empty())
    line += " -xa " + Quoted(fmt::format("{}", fmt::join(option.words, " ")));
  else if (!option.value.empty())
    line += " -r";
  return line + " -d " + Quoted(option.help);
}

std::string FishScript(const CommandLine& program) {
  std::string script = kFish;
  for (const CommandText& command : program.Commands()) {
    script += fmt::format("complete -c dragoman -n __fish_use_subcommand -a {} -d {}\n",
                          command.name, Quoted(command.what));
    for (const OptionText& option : command.options) {
      if (option.is_argument() && option.words.empty()) continue;  // a file, as by default
      script += fmt::format("complete -c dragoman -n '__fish_seen_subcommand_from {}'{}\n",
                            command.name, FishOption(option));
    }
  }
  return script;
}

std::string ScriptOf(const CommandLine& program, std::string_view shell) {
  if (shell == "fish") return FishScript(program);
  return (shell == "zsh" ? kZsh : "") + BashScript(program);
}

}  // namespace

void AddCompletion(CommandLine& program) {
  auto shell = std::make_shared<std::string>();
  Command command = program.AddCommand("completion", "Print a completion script for a shell");
  command.Add("SHELL", shell.get(), "The shell",
              {.required = true, .one_of = {"bash", "zsh", "fish"}});
  command.SetRun([shell, &program] {
    fmt::print("{}", ScriptOf(program, *shell));
    return static_cast<int>(kDone);
  });
}

}  // namespace dragoman::cli
