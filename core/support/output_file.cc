// SPDX-License-Identifier: Apache-2.0
#include "core/support/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/confined_path.h"
#include "core/support/mapped_files.h"
#include "core/support/new_folders.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr int kMaxAttempts = 1000;

thread_local OutputGroup* group = nullptr;

// A hidden name beside `target`, the same for equal attempts of one process.
std::string TemporaryName(const fs::path& target, int attempt) {
  const std::string name = target.filename().string().substr(0, 200);
  return (target.parent_path() / fmt::format(".{}.{}-{}.tmp", name, ::getpid(), attempt)).string();
}

// The process that made what has such a name; 0: it is no such name.
pid_t MakerOf(std::string_view name) {
  constexpr std::string_view kEnd = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(kEnd)) return 0;
  name.remove_suffix(kEnd.size());
  const std::size_t dash = name.rfind('-'), dot = name.rfind('.', dash);
  if (dash == std::string_view::npos || dot == 0 || dot == std::string_view::npos) return 0;
  if (!ParseUint64(name.substr(dash + 1))) return 0;
  const auto process = ParseUint64(name.substr(dot + 1, dash - dot - 1));
  return process && *process <= INT32_MAX ? static_cast<pid_t>(*process) : 0;
}

// Whether nobody writes it any more: its maker has ended, here and, since it locks what it makes,
// on any other machine.
bool IsLeftBehind(const fs::path& path) {
  const pid_t maker = MakerOf(path.filename().string());
  if (maker == 0 || ::kill(maker, 0) == 0 || errno != ESRCH) return false;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

// Removes what processes that were killed have left in `folder`; once in each folder.
void RemoveLeftBehind(const fs::path& folder) {
  static std::mutex mutex;
  static auto* const done = new std::set<fs::path>;
  {
    const std::lock_guard lock(mutex);
    if (!done->insert(folder).second) return;
  }
  std::vector<std::string> left;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    if (IsLeftBehind(it->path())) left.push_back(it->path().string());
  }
  for (std::string& path : left) const Unfinished removed(std::move(path));
}

// Until the process ends or closes it.
void Lock(int fd) { static_cast<void>(::flock(fd, LOCK_EX | LOCK_NB)); }

// What `make` makes under the first such name that is free, and the folders on the way to it; its
// path is empty if that fails. `make` returns whether it did, and both set errno.
Unfinished MakeBeside(const fs::path& target, const std::function<bool(const char*)>& make) {
  RemoveLeftBehind(target.parent_path());
  return Unfinished::Make([&]() -> std::string {
    if (const std::error_code error = MakeFolderOf(target)) {
      errno = error.value();
      return "";
    }
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      std::string temporary = TemporaryName(target, attempt);
      if (make(temporary.c_str())) return temporary;
      if (errno != EEXIST) break;
    }
    return "";
  });
}

std::set<std::string> ReadMarker(const fs::path& folder) {
  std::ifstream marker(folder / OutputFolder::kMarker);
  std::set<std::string> files{std::string(OutputFolder::kMarker)};
  for (std::string line; std::getline(marker, line);) files.insert(line);
  return files;
}

// Moves what is not on the list from one folder to another, where the place is free.
std::error_code CarryOver(const fs::path& from, const fs::path& to,
                          const std::set<std::string>& except) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(from, error), end; !error && it != end;
       it.increment(error)) {
    const fs::path name = it->path().lexically_relative(from);
    const fs::file_status status = it->symlink_status(error);
    if (error) break;
    if (fs::is_directory(status) || except.count(name.generic_string()) != 0) continue;
    if (fs::exists(fs::symlink_status(to / name, error))) continue;
    fs::create_directories((to / name).parent_path(), error);
    if (!error) fs::rename(it->path(), to / name, error);
    if (error) break;
  }
  return error;
}

// Refuses a target that is neither missing, nor an empty folder, nor ours.
Status CheckTarget(const std::string& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (!fs::is_directory(status)) return FileError("exists and is not a folder", target);
  const bool empty = fs::is_empty(target, error);
  if (error) return SystemError("read", target, error);
  if (!empty && !fs::exists(fs::path(target) / OutputFolder::kMarker, error)) {
    return FileError("the folder is not empty and was not written by dragoman; choose another",
                     target);
  }
  return {};
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string target, Unfinished temporary, int fd)
    : path_(std::move(path)),
      target_(std::move(target)),
      temporary_(std::move(temporary)),
      fd_(fd) {}

Result<OutputFile> OutputFile::Create(const std::string& path) {
  std::error_code error;
  fs::path target = path;
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return FileError("exists and is not a regular file", path);
  }
  if (fs::exists(status)) target = fs::canonical(target, error);
  if (target.filename().empty()) return FileError("names no file", path);
  int fd = -1;
  Unfinished temporary = MakeBeside(target, [&fd](const char* name) {
    fd = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd >= 0;
  });
  if (fd < 0) return SystemError("create", path);
  Lock(fd);
  return OutputFile(path, target.string(), std::move(temporary), fd);
}

Status OutputFile::Write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    // What is written may lie in a file that is mapped.
    if (written < 0 && errno == EFAULT) DRAGOMAN_TRY(CheckMappedFiles());
    if (written < 0) return SystemError("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status OutputFile::Flush() {
  if (state_.ok()) state_ = Write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
  return state_;
}

Status OutputFile::Append(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) DRAGOMAN_TRY(Flush());
  if (bytes.size() <= kBufferBytes) {
    buffer_ += AsText(bytes);
  } else if (state_.ok()) {
    state_ = Write(bytes);
  }
  return state_;
}

Status OutputFile::Append(std::string_view text) {
  return Append(std::as_bytes(std::span(text.data(), text.size())));
}

Status OutputFile::Commit() {
  DRAGOMAN_TRY(Flush());
  DRAGOMAN_TRY(CheckMappedFiles());
  if (::close(fd_.Release()) != 0) return SystemError("write", path_);
  if (group == nullptr || in_folder_) return Rename();
  group->files_.push_back(std::move(*this));
  return {};
}

Status OutputFile::Rename() {
  if (std::rename(temporary_.path().c_str(), target_.c_str()) != 0)
    return SystemError("rename", path_);
  temporary_.Keep();
  return {};
}

OutputGroup::OutputGroup() : outer_(std::exchange(group, this)) {}
OutputGroup::~OutputGroup() { group = outer_; }

Status OutputGroup::Commit() {
  for (OutputFile& file : files_) DRAGOMAN_TRY(file.Rename());
  return {};
}

Status WriteFile(const std::string& path, std::span<const std::byte> content) {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(file.Append(content));
  return file.Commit();
}

Status WriteFile(const std::string& path, std::string_view content) {
  return WriteFile(path, std::as_bytes(std::span(content.data(), content.size())));
}

OutputFolder::OutputFolder(std::string target, Unfinished temporary)
    : target_(std::move(target)), temporary_(std::move(temporary)) {}

Status OutputFolder::Check(const std::string& path) { return CheckTarget(path); }

Result<OutputFolder> OutputFolder::Create(const std::string& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(path, error);
  if (error) return SystemError("create", path, error);
  if (target.filename().empty()) target = target.parent_path();
  DRAGOMAN_TRY(CheckTarget(target.string()));
  Unfinished temporary =
      MakeBeside(target, [](const char* name) { return ::mkdir(name, 0777) == 0; });
  if (temporary.path().empty()) return SystemError("create", path);
  return OutputFolder(target.string(), std::move(temporary));
}

Result<OutputFile> OutputFolder::AddFile(std::string_view name) {
  DRAGOMAN_TRY(CheckConfinedName(name));
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative == kMarker || !files_.insert(relative.generic_string()).second) {
    return Internal("output file '" + std::string(name) + "' is written twice");
  }
  const fs::path path = temporary_.path() / relative;
  const std::error_code error = temporary_.MakeFolder(relative.parent_path());
  if (error) return SystemError("create", std::string(name), error);
  return CreateWithin(path.string());
}

Result<OutputFile> OutputFolder::CreateWithin(const std::string& path) {
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  file.in_folder_ = true;
  return file;
}

Status OutputFolder::WriteFile(std::string_view name, std::string_view content) {
  DRAGOMAN_ASSIGN(OutputFile file, AddFile(name));
  DRAGOMAN_TRY(file.Append(content));
  return file.Commit();
}

Status OutputFolder::Commit() {
  std::string marker;
  for (const std::string& file : files_) marker += file + '\n';
  const std::string made = temporary_.path();
  DRAGOMAN_ASSIGN(OutputFile list, CreateWithin((fs::path(made) / kMarker).string()));
  DRAGOMAN_TRY(list.Append(marker));
  DRAGOMAN_TRY(list.Commit());
  DRAGOMAN_TRY(CheckTarget(target_));
  if (::rename(made.c_str(), target_.c_str()) == 0) {
    temporary_.Keep();
    return {};
  }
  const std::set<std::string> old_files = ReadMarker(target_);
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    return SystemError("replace", target_);
  // What lies there now may be a user's, until it has been carried over.
  temporary_.Keep();
  const std::error_code error = CarryOver(made, target_, old_files);
  if (error)
    return SystemError("carry over files that are not ours, left in " + made, target_, error);
  const Unfinished old(made);
  return {};
}

}  // namespace dragoman
