// SPDX-License-Identifier: Apache-2.0
// The command line as a declaration: commands, their options, and where the values go. Only
// command_line.cc knows the parser.
#ifndef DRAGOMAN_CLI_COMMAND_LINE_H_
#define DRAGOMAN_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
}

namespace dragoman::cli {

// Where the value of an option goes. It must live as long as the program.
using Destination = std::variant<std::string*, std::optional<std::string>*,
                                 std::vector<std::string>*, std::int64_t*, std::uint64_t*,
                                 std::optional<std::int64_t>*, std::optional<double>*>;

// A list in one word, cut at every comma: names may hold some and begin or end with one, so empty
// pieces stay (NamesIn).
std::vector<std::string> AtCommas(const std::string& list);

// What an option accepts.
struct Accepts {
  std::string placeholder = {};  // of a value, in --help; empty: the choices, NUMBER or TEXT
  bool required = false;
  std::vector<std::string> one_of = {};     // empty: anything
  std::vector<std::string> suggested = {};  // what completion offers, if one_of is empty
  std::optional<std::pair<std::int64_t, std::int64_t>> range = std::nullopt;
  bool commas = false;      // several values in one word, for a list; may be repeated
  bool repeatable = false;  // one value each time that it is given, all are kept
  int in_a_row = 1;         // how many values follow its name
};

// An option or argument, as help, manual pages and completion describe it.
struct OptionText {
  std::string names;  // "-o,--output"; "MODEL"
  std::string value;  // "TEXT", "INT", …; empty: a flag
  std::string help;
  std::vector<std::string> words;  // values that are known beforehand
  bool required = false;

  bool is_argument() const { return !names.starts_with('-'); }
  // `help`, and the words if they are few and `value` does not list them.
  std::string HelpWithWords() const;
  // Without dashes: "output"; empty: it has none.
  std::string LongName() const;
};

struct CommandText {
  std::string name;
  std::string what;    // in a line
  std::string footer;  // what --help ends with; lines of examples are indented
  std::vector<OptionText> options;
};

class Command {
 public:
  Command(CLI::App* app, CommandText& text, int& exit_code)
      : app_(app), text_(&text), exit_code_(&exit_code) {}

  // `names` is "MODEL" of an argument by position, "-o,--output" of an option.
  void Add(const std::string& names, Destination destination, const std::string& help,
           const Accepts& accepts = {});
  void AddFlag(const std::string& names, bool& destination, const std::string& help);
  // What --help ends with.
  void SetFooter(const std::string& text);
  // What is run when the command is given; its result is the exit code.
  void SetRun(std::function<int()> run);

 private:
  CLI::App* app_;
  CommandText* text_;
  int* exit_code_;
};

class CommandLine {
 public:
  // `version` is what --version prints.
  CommandLine(const std::string& description, const std::string& footer,
              const std::string& version);
  ~CommandLine();

  Command AddCommand(const std::string& name, const std::string& what);
  // In the order in which they were added.
  const std::list<CommandText>& Commands() const;
  // The program without a command: `what` is the description.
  const CommandText& Program() const;
  // Parses the arguments, which may print help or what is wrong with them, and runs the command.
  int Run(int argc, char** argv);

 private:
  void PrintHelp() const;

  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_COMMAND_LINE_H_
