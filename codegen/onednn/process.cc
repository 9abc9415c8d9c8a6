// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dragoman {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// The environment of this process, as the program knows it: to a library that was loaded with
// RTLD_DEEPBIND, as by the Python module, `environ` is a variable of the C library that nobody
// sets.
char** Environment() {
  return *static_cast<char***>(::dlsym(::dlopen(nullptr, RTLD_LAZY), "environ"));
}

}  // namespace

Result<ProcessResult> RunProcess(const std::vector<std::string>& command,
                                 const std::filesystem::path& folder) {
  const std::string out = (folder / "stdout.txt").string();
  const std::string error = (folder / "stderr.txt").string();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error.c_str(), kFlags, 0600);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const int problem =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), Environment());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    return InvalidInput("cannot run " + command.front() + ": " + std::strerror(problem));
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return Internal("lost the process " + command.front());
  }
  ProcessResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = Contents(out);
  result.error = Contents(error);
  return result;
}

}  // namespace dragoman
