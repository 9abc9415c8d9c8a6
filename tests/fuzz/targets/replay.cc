// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: on each file of a folder, and on changes of it.
//
// Usage: TARGET [-runs=N] [-seed=S] FOLDER      N changes of each file, drawn from S
//
// An input that ends the program is kept as `crashing_input` in the current folder.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets/change.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

const std::string* running = nullptr;

void KeepInput(int signal) {
  const int file = ::open("crashing_input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (running != nullptr && ::write(file, running->data(), running->size()) >= 0) ::close(file);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void Run(const std::string& bytes) {
  running = &bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::vector<std::string> ReadAll(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  static char own_stack[1 << 16];  // what overflows the stack is kept too
  const stack_t stack = {.ss_sp = own_stack, .ss_flags = 0, .ss_size = sizeof own_stack};
  struct sigaction action = {};
  action.sa_handler = KeepInput;
  action.sa_flags = SA_ONSTACK;
  if (::sigaltstack(&stack, nullptr) != 0) return 1;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
#ifdef DRAGOMAN_LIMITS_MEMORY
  constexpr rlimit kLimit = {rlim_t{8} << 30, rlim_t{8} << 30};
  if (::setrlimit(RLIMIT_AS, &kLimit) != 0) return 1;
#endif
  unsigned long runs = 0;
  unsigned long seed = 1;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("-runs=")) {
      runs = std::stoul(std::string(word.substr(6)));
    } else if (word.starts_with("-seed=")) {
      seed = std::stoul(std::string(word.substr(6)));
    } else {
      folder = word;
    }
  }
  const std::vector<std::string> files = ReadAll(folder);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  for (const std::string& file : files) {
    Run(file);
    for (unsigned long i = 0; i < runs; ++i) {
      std::string changed = file;
      for (unsigned edits = 1 + random() % 4; edits > 0; --edits)
        dragoman::Change(random, files[random() % files.size()], &changed);
      Run(changed);
    }
  }
  std::printf("%zu files, %lu changes of each\n", files.size(), runs);
  return files.empty() ? 1 : 0;
}
