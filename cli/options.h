// Options that several subcommands declare.
#ifndef DRAGOMAN_CLI_OPTIONS_H_
#define DRAGOMAN_CLI_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "cli/model_io.h"
#include "cli/report.h"

namespace dragoman::cli {

// Each subcommand adds itself to the program; `exit_code` receives what its run returns.
using AddCommand = void (*)(CLI::App& program, int& exit_code);

void AddConvert(CLI::App& program, int& exit_code);
void AddCodegen(CLI::App& program, int& exit_code);
void AddCompletion(CLI::App& program, int& exit_code);
void AddDiff(CLI::App& program, int& exit_code);
void AddInspect(CLI::App& program, int& exit_code);
void AddOps(CLI::App& program, int& exit_code);
void AddRun(CLI::App& program, int& exit_code);
void AddVerify(CLI::App& program, int& exit_code);

void AddCommonOptions(CLI::App& command, CommonOptions& options);
void AddFacts(CLI::App& command, LoweringOptions& options);
void AddCut(CLI::App& command, LoweringOptions& options);
void AddPasses(CLI::App& command, LoweringOptions& options);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_OPTIONS_H_
