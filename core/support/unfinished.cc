// SPDX-License-Identifier: Apache-2.0
#include "core/support/unfinished.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/support/mapped_files.h"
#include "core/support/printable.h"

namespace dragoman {
namespace {

// Never destroyed: signals come at any time.
struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};
Registry& TheRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

// Also while this program, or one that it started, goes on writing into the folder, which they do
// not make anew, and while another thread removes it, too. Other failures, and memory that is
// lacking, may pass.
void Remove(const std::string& path) noexcept {
  std::error_code error;
  for (int failures = 0; failures < 3; ++failures) {
    try {
      do {
        std::filesystem::remove_all(path, error);
      } while (error == std::errc::directory_not_empty ||
               error == std::errc::no_such_file_or_directory);
    } catch (const std::bad_alloc&) {
      continue;
    }
    if (!error) return;
  }
}

// A handler may do little, and a thread anything: it is told by this pipe which signal came.
int signal_pipe[2] = {-1, -1};

void WakeThread(int signal) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = ::write(signal_pipe[1], &byte, 1);
  errno = error;
}

// Where a page could not be read; set before the thread is told.
const void* volatile lost_address = nullptr;

// The thread that reads cannot go on: it waits for the end.
void ReportLostPage(int signal, siginfo_t* info, void*) {
  lost_address = info->si_addr;
  WakeThread(signal);
  while (true) ::pause();
}

constexpr int kExitCode = 2;  // as of any input that cannot be read

// Says which file it was, if it was one.
void ExitAfterLostPage() {
  const std::string path = MappedFileAt(lost_address);
  if (path.empty()) return;
  const std::string line =
      Printable(path) + ": error: became shorter while it was read, or cannot be read\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(kExitCode);
}

// Never unlocks: what would be kept now is on the list still, and nothing new is made.
void RemoveAll() {
  TheRegistry().mutex.lock();
  for (const std::string& path : TheRegistry().paths) Remove(path);
}

std::terminate_handler end_otherwise = nullptr;

// Destructors may need memory, too, and cannot throw: those of JSON, which take it apart in a list.
void EndWhereMemoryLacks() {
  if (std::current_exception() == nullptr) return end_otherwise();
  try {
    throw;
  } catch (const std::bad_alloc&) {
    RemoveAll();
    constexpr std::string_view kLine = "dragoman: error: out of memory\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
    ::_exit(kExitCode);
  } catch (...) {
    end_otherwise();
  }
}

// Ends the program by the signal that it waits for.
void AwaitSignal() {
  unsigned char signal = 0;
  ssize_t bytes = 0;
  do {
    bytes = ::read(signal_pipe[0], &signal, 1);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != 1) return;  // no signal came: nothing ends the program
  RemoveAll();
  if (signal == SIGBUS) ExitAfterLostPage();
  ::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
  const std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().paths.insert(path_);
}

Unfinished Unfinished::Make(const std::function<std::string()>& make) {
  Unfinished made;  // outlives the lock, which it takes itself where memory lacks to enter it
  const std::lock_guard lock(TheRegistry().mutex);
  made.path_ = make();
  if (!made.path_.empty()) TheRegistry().paths.insert(made.path_);
  return made;
}

Unfinished::~Unfinished() {
  if (path_.empty()) return;
  Remove(path_);
  Keep();
}

std::error_code Unfinished::MakeFolder(const std::filesystem::path& folder) const {
  std::error_code error;
  std::filesystem::path made = path_;
  for (const std::filesystem::path& part : folder) {
    made /= part;
    std::filesystem::create_directory(made, error);
    if (error) break;
  }
  return error;
}

void Unfinished::Keep() {
  if (path_.empty()) return;
  const std::lock_guard lock(TheRegistry().mutex);
  TheRegistry().paths.erase(path_);
  path_.clear();
}

void RemoveUnfinishedAtTheEnd() {
  end_otherwise = std::set_terminate(EndWhereMemoryLacks);
  if (::pipe2(signal_pipe, O_CLOEXEC) != 0) return;
  try {
    std::thread(AwaitSignal).detach();
  } catch (const std::system_error&) {
    return;  // signals end the program as they end any other
  }
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = WakeThread;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
  }
  struct sigaction lost = {};
  lost.sa_sigaction = ReportLostPage;
  lost.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &lost, nullptr);
}

}  // namespace dragoman
