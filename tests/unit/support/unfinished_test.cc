// SPDX-License-Identifier: Apache-2.0
#include "core/support/unfinished.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <utility>

#include <gtest/gtest.h>

#include "core/support/output_file.h"
#include "core/support/temporary_folder.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// A folder with a file in it.
std::string MakeFolder(const fs::path& parent) {
  fs::create_directory(parent / "made");
  std::ofstream(parent / "made" / "file") << "text";
  return (parent / "made").string();
}

TEST(UnfinishedTest, IsRemovedUnlessItIsKept) {
  const TestFolder folder;
  { const Unfinished gone(MakeFolder(folder.path())); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  {
    Unfinished first(MakeFolder(folder.path()));
    Unfinished second(std::move(first));
    second.Keep();
  }
  EXPECT_TRUE(fs::exists(folder.path() / "made" / "file"));
}

// How a process ends that begins what a program writes, and gets `signal` in the middle of it.
int StatusOfInterrupted(int signal, const fs::path& folder) {
  const pid_t process = ::fork();
  if (process == 0) {
    RemoveUnfinishedAtTheEnd();
    const Result<OutputFile> file = OutputFile::Create((folder / "file").string());
    const Result<OutputFolder> program = OutputFolder::Create((folder / "program").string());
    const Result<TemporaryFolder> scratch = TemporaryFolder::Create(folder);
    const bool begun = file.ok() && program.ok() && scratch.ok();
    if (!begun || fs::is_empty(folder)) ::_exit(1);
    ::kill(::getpid(), signal);
    ::sleep(20);
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

TEST(UnfinishedTest, SignalsLeaveNothingOfIt) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TestFolder folder;
    const int status = StatusOfInterrupted(signal, folder.path());
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

// Begins folders and files in `folder` until a signal ends it.
[[noreturn]] void WriteForever(const fs::path& folder) {
  for (;;) {
    const Result<TemporaryFolder> scratch = TemporaryFolder::Create(folder);
    for (int i = 0; scratch.ok() && i < 100; ++i) {
      const fs::path file = scratch->path() / std::to_string(i) / "below" / "file";
      [[maybe_unused]] const Status status = WriteFile(file.string(), "text");
    }
  }
}

TEST(UnfinishedTest, SignalsLeaveNothingOfWhatIsBeingWritten) {
  for (int i = 0; i < 100; ++i) {
    const TestFolder folder;
    const pid_t process = ::fork();
    if (process == 0) {
      RemoveUnfinishedAtTheEnd();
      WriteForever(folder.path());
    }
    while (fs::is_empty(folder.path())) ::usleep(10);
    ::usleep(i * 20);
    ::kill(process, SIGTERM);
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    ASSERT_TRUE(fs::is_empty(folder.path())) << *fs::directory_iterator(folder.path());
  }
}

struct NeedsMemoryToEnd {
  NeedsMemoryToEnd() = default;
  NeedsMemoryToEnd(const NeedsMemoryToEnd&) = delete;
  ~NeedsMemoryToEnd() { throw_where_none_may_be(); }
  std::function<void()> throw_where_none_may_be = [] { throw std::bad_alloc(); };
};

TEST(UnfinishedTest, DestructorsWithoutMemoryLeaveNothingOfIt) {
  const TestFolder folder;
  const pid_t process = ::fork();
  if (process == 0) {
    RemoveUnfinishedAtTheEnd();
    const Result<OutputFile> file = OutputFile::Create((folder.path() / "file").string());
    if (!file.ok()) ::_exit(1);
    { const NeedsMemoryToEnd json; }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(UnfinishedTest, SignalsThatAreIgnoredStayIgnored) {
  const pid_t process = ::fork();
  if (process == 0) {
    std::signal(SIGHUP, SIG_IGN);
    RemoveUnfinishedAtTheEnd();
    std::raise(SIGHUP);
    ::_exit(std::signal(SIGHUP, SIG_DFL) == SIG_IGN ? 0 : 1);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace dragoman
