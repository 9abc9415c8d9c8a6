// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of the form NAME=FILE.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_NAMED_FILE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_NAMED_FILE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace dragoman::rt {

// Where the '=' stands, for names and files may hold some too: the first one before a file that
// exists, else the last; std::string::npos if there is none.
inline std::size_t EqualsBeforeFile(const std::string& argument) {
  std::error_code ignored;
  for (std::size_t at = argument.find('='); at != std::string::npos;
       at = argument.find('=', at + 1)) {
    if (std::filesystem::exists(argument.substr(at + 1), ignored)) return at;
  }
  return argument.rfind('=');
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_NAMED_FILE_H_
