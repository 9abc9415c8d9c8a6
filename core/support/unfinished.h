// SPDX-License-Identifier: Apache-2.0
// What must not be left behind if it is not brought to an end: files and folders that are being
// written under a temporary name.
#ifndef DRAGOMAN_CORE_SUPPORT_UNFINISHED_H_
#define DRAGOMAN_CORE_SUPPORT_UNFINISHED_H_

#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

namespace dragoman {

// A file or folder that is removed, with all that is in it, unless it is kept: by the destructor,
// or where something else ends the program (RemoveUnfinishedAtTheEnd).
class Unfinished {
 public:
  explicit Unfinished(std::string path);
  // What `make` makes, which returns its path, or "" if it failed. No signal ends the program
  // meanwhile, and after one has begun to end it nothing is made.
  static Unfinished Make(const std::function<std::string()>& make);
  Unfinished(Unfinished&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Unfinished& operator=(Unfinished&&) = delete;
  ~Unfinished();

  const std::string& path() const { return path_; }
  // Makes `folder`, a path within it, and those above. It is not made anew where a signal has
  // removed it.
  std::error_code MakeFolder(const std::filesystem::path& folder) const;
  // From now on it stays, or is another's to remove.
  void Keep();

 private:
  Unfinished() = default;

  std::string path_;  // empty: nothing to remove
};

// For the main function of a program: what is unfinished when SIGINT, SIGTERM or SIGHUP ends it is
// removed first, and so where a destructor gets no memory, which is said. Signals that whoever
// called the program has it ignore stay ignored. Programs that it runs get signals as ever.
void RemoveUnfinishedAtTheEnd();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_UNFINISHED_H_
