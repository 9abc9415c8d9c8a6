// SPDX-License-Identifier: Apache-2.0
// A fresh folder for the files of one test, removed with it. Tests run side by side, so none may
// use a fixed name.
#ifndef DRAGOMAN_TESTS_UNIT_TEST_FOLDER_H_
#define DRAGOMAN_TESTS_UNIT_TEST_FOLDER_H_

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dragoman {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dragoman_test_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_TEST_FOLDER_H_
