// SPDX-License-Identifier: Apache-2.0
// The `dragoman` program. Each subcommand is a file of this folder.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "cli/commit.h"
#include "cli/options.h"
#include "core/support/unfinished.h"

namespace {

constexpr char kDescription[] =
    "Translates neural-network models between graph representations, compares them, and\n"
    "generates standalone C++ inference source.";

constexpr char kFooter[] =
    "Examples:\n"
    "  dragoman inspect model.onnx                    what it contains, and what to do next\n"
    "  dragoman convert model.onnx -o model.py        to a TVM Relax module, weights in model.npz\n"
    "  dragoman convert model.onnx -o model.dgt       to graph text, to read and edit\n"
    "  dragoman codegen model.onnx -o policy_cpp      to a C++ program on oneDNN\n"
    "  dragoman diff a.onnx b.onnx                    are they the same graph, and if not, where\n"
    "  dragoman verify model.onnx --data test_data_set_0";

// Whoever reads the output may stop in the middle (`dragoman ops | head`). Then the program ends by
// SIGPIPE as any other does, but not before it has removed what it began: at first writes fail, and
// no more.
volatile std::sig_atomic_t pipe_is_broken = 0;

void OutliveBrokenPipes() {
  // A handler is not passed on to programs that are run, as SIG_IGN would be.
  if (std::signal(SIGPIPE, [](int) { pipe_is_broken = 1; }) == SIG_IGN)
    std::signal(SIGPIPE, SIG_IGN);
}

// A file that grows beyond the limit that the user set is an error of writing, not the end.
void OutliveLimitOfFiles() {
  if (std::signal(SIGXFSZ, [](int) {}) == SIG_IGN) std::signal(SIGXFSZ, SIG_IGN);
}

// Where a standard stream is closed, the next file that is opened would get its number, and what is
// printed. The null device takes its place, opened so that reading or writing fails as before.
void OccupyClosedStreams() {
  constexpr int kFlags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      static_cast<void>(::open("/dev/null", kFlags[stream]));
  }
}

int ReportLostOutput(std::string_view why) {
  if (pipe_is_broken != 0) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  return dragoman::cli::Report(
      dragoman::InvalidInput("cannot write: " + std::string(why)).InFile("standard output"));
}

// Output is buffered: a disk that is full may show only here.
int FlushOutput(int exit_code) {
  if (std::fflush(stdout) != 0) return ReportLostOutput(std::strerror(errno));
  return std::ferror(stdout) == 0 ? exit_code : ReportLostOutput("some output was lost");
}

// "dragoman 0.1.0 (commit 0123456789; oneDNN 2.6.3, protobuf 3.21.12, libjpeg, libpng)"
std::string Version() {
  const std::string commit = DRAGOMAN_COMMIT;
  return "dragoman " DRAGOMAN_VERSION " (" + (commit.empty() ? "" : "commit " + commit + "; ") +
         DRAGOMAN_LIBRARIES ")";
}

int Run(int argc, char** argv) {
  using namespace dragoman::cli;
  CommandLine program(kDescription, kFooter, Version());
  for (auto* add : {AddInspect, AddConvert, AddSimplify, AddEdit, AddMerge, AddExtract, AddSplit,
                    AddGeneralize, AddCodegen, AddDiff, AddRun, AddVerify, AddBench, AddReduce,
                    AddRules, AddOps, AddCache, AddCompletion, AddManual}) {
    add(program);
  }
  return program.Run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  OccupyClosedStreams();
  OutliveBrokenPipes();
  OutliveLimitOfFiles();
  try {
    dragoman::RemoveUnfinishedAtTheEnd();
    return FlushOutput(Run(argc, argv));
  } catch (const std::bad_alloc&) {
    return dragoman::cli::Report(dragoman::InvalidInput("out of memory"));
  } catch (const std::exception& error) {
    // fmt::print throws where it cannot write.
    const auto* from_system = dynamic_cast<const std::system_error*>(&error);
    if (from_system != nullptr && std::ferror(stdout) != 0)
      return ReportLostOutput(from_system->code().message());
    dragoman::cli::Say(std::string("dragoman: error: internal: ") + error.what());
    return dragoman::cli::kBug;
  }
}
