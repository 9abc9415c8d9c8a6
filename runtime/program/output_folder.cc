// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/output_folder.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace dragoman::rt {
namespace {

namespace fs = std::filesystem;

// Absolute, of the target of symbolic links, without a separator at the end.
fs::path Resolved(const std::string& folder) {
  std::error_code problem;
  fs::path path = fs::weakly_canonical(fs::absolute(folder, problem), problem);
  if (problem) path = folder;
  return path.filename().empty() ? path.parent_path() : path;
}

bool HoldsOutputs(const fs::path& folder) {
  std::ifstream index(folder / kOutputIndex, std::ios::binary);
  std::string head(std::strlen(kOutputIndexHead), '\0');
  index.read(head.data(), static_cast<std::streamsize>(head.size()));
  return index && head == kOutputIndexHead;
}

constexpr char kTemporary[] = ".outputs-";  // then the process and six letters

// Removes what processes that were killed have left in `parent`.
void RemoveLeftBehind(const fs::path& parent) {
  std::error_code problem;
  std::vector<fs::path> left;
  for (fs::directory_iterator it(parent, problem), end; !problem && it != end;
       it.increment(problem)) {
    const std::string name = it->path().filename().string();
    if (name.compare(0, sizeof kTemporary - 1, kTemporary) != 0) continue;
    const long process = std::atol(name.c_str() + sizeof kTemporary - 1);
    if (process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH)
      left.push_back(it->path());
  }
  for (const fs::path& path : left) fs::remove_all(path, problem);
}

// What mkdir would have given: mkdtemp lets only the owner in.
fs::perms FolderPermissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<fs::perms>(0777 & ~mask);
}

}  // namespace

std::string RefusalOf(const std::string& folder) {
  std::error_code problem;
  const fs::path path = folder;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) return "";
  if (!fs::is_directory(status)) return "exists and is not a folder";
  const bool empty = fs::is_empty(path, problem);
  if (problem) return "cannot be read: " + problem.message();
  if (empty || HoldsOutputs(path)) return "";
  return "the folder is not empty and holds no outputs of dragoman; choose another --output-dir";
}

StagedOutputs::~StagedOutputs() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string StagedOutputs::Begin() {
  if (std::string refusal = RefusalOf(folder_); !refusal.empty()) return refusal;
  std::error_code problem;
  const fs::path target = Resolved(folder_);
  beside_ = !fs::exists(target, problem);
  if (beside_) fs::create_directories(target.parent_path(), problem);
  if (problem) return "cannot make the folder: " + problem.message();
  const fs::path parent = beside_ ? target.parent_path() : target;
  RemoveLeftBehind(parent);
  std::string name = (parent / (kTemporary + std::to_string(::getpid()) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    return std::string("cannot make the folder: ") + std::strerror(errno);
  temporary_ = name;
  folder_ = target.string();
  if (beside_) fs::permissions(temporary_, FolderPermissions(), problem);
  return "";
}

std::string StagedOutputs::PathOf(const std::string& name) {
  names_.push_back(name);
  return (fs::path(temporary_) / name).string();
}

std::string StagedOutputs::Commit() {
  std::error_code problem;
  if (beside_) {
    fs::rename(temporary_, folder_, problem);
    if (!problem) temporary_.clear();
  }
  for (std::size_t i = 0; !beside_ && !problem && i < names_.size(); ++i)
    fs::rename(fs::path(temporary_) / names_[i], fs::path(folder_) / names_[i], problem);
  return problem ? "cannot be written: " + problem.message() : "";
}

}  // namespace dragoman::rt
