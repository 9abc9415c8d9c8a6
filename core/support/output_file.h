// SPDX-License-Identifier: Apache-2.0
// Output that appears whole or not at all.
#ifndef DRAGOMAN_CORE_SUPPORT_OUTPUT_FILE_H_
#define DRAGOMAN_CORE_SUPPORT_OUTPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/posix.h"
#include "core/support/result.h"
#include "core/support/unfinished.h"

namespace dragoman {

// A file written beside its target under a temporary name and renamed by Commit. Without Commit the
// destructor removes it and the target is as it was. Not flushed to the disk before the rename.
class OutputFile {
 public:
  // Makes folders on the way. Errors: one cannot be made or written to; the target exists and is no
  // regular file. A symbolic link at the target stays: what it points to is replaced.
  static Result<OutputFile> Create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;

  // Buffered. The first error stays: later calls and Commit return it again.
  Status Append(std::span<const std::byte> bytes);
  Status Append(std::string_view text);
  std::uint64_t size() const { return size_; }  // bytes appended
  // Last call. While an OutputGroup lives, the file takes its name when that is committed.
  Status Commit();

 private:
  friend class OutputFolder;
  friend class OutputGroup;
  OutputFile(std::string path, std::string target, Unfinished temporary, int fd);
  Status Flush();
  Status Write(std::span<const std::byte> bytes);
  Status Rename();

  std::string path_;
  std::string target_;
  Unfinished temporary_;
  UniqueFd fd_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  Status state_;
  bool in_folder_ = false;  // of an OutputFolder, which is exchanged as a whole
};

// Files that belong together, as a model and its weights: all that this thread commits while it
// lives take their names by Commit, when each of them has been written whole. Without Commit, all
// targets are as they were.
class OutputGroup {
 public:
  OutputGroup();
  OutputGroup(const OutputGroup&) = delete;
  OutputGroup& operator=(const OutputGroup&) = delete;
  ~OutputGroup();

  Status Commit();  // last call

 private:
  friend class OutputFile;

  OutputGroup* outer_;
  std::vector<OutputFile> files_;
};

// Writes a whole file; all or nothing.
Status WriteFile(const std::string& path, std::string_view content);
Status WriteFile(const std::string& path, std::span<const std::byte> content);

// A folder built beside its target under a temporary name and exchanged with it by Commit.
//
// The target may be missing, empty, or a folder written by this class, which its file kMarker
// shows; any other folder is refused. The marker lists our files: what else lies in the old folder
// (a user's build tree) is carried over to the new one where no file of ours takes its place.
class OutputFolder {
 public:
  static constexpr std::string_view kMarker = ".dragoman";

  static Result<OutputFolder> Create(const std::string& path);
  // Errors: it would be refused. Makes nothing.
  static Status Check(const std::string& path);

  OutputFolder(OutputFolder&& other) noexcept = default;
  OutputFolder& operator=(OutputFolder&&) = delete;

  // Opens the file `name`, "sub/folder/file.txt", for writing; folders on the way are made. It must
  // be committed before the folder is. Each name once.
  Result<OutputFile> AddFile(std::string_view name);
  Status WriteFile(std::string_view name, std::string_view content);
  Status Commit();  // last call

 private:
  OutputFolder(std::string target, Unfinished temporary);
  static Result<OutputFile> CreateWithin(const std::string& path);

  std::string target_;
  Unfinished temporary_;
  std::set<std::string> files_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_OUTPUT_FILE_H_
