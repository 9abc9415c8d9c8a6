// SPDX-License-Identifier: Apache-2.0
// What others say of an ONNX file: tests/support/onnx_checks.py for tests in C++.
#ifndef DRAGOMAN_TESTS_SUPPORT_ONNX_CHECKS_H_
#define DRAGOMAN_TESTS_SUPPORT_ONNX_CHECKS_H_

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/support/paths.h"

namespace dragoman {

// A line for each complaint; empty if there is none, or if Python has no package onnx.
inline std::string ComplaintsOfOthers(const std::string& path) {
  constexpr int kSkipped = 77;
  // Debian's Python has the packages that scripts/install-deps.sh installs; another one may not.
  const std::filesystem::path debian = "/usr/bin/python3";
  const std::string python = std::filesystem::exists(debian) ? debian.string() : "python3";
  const std::string support = (ProjectRoot() / "tests/support").string();
  const std::string command = python + " '" + support + "/onnx_checks.py' '" + path + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::string said;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) said += buffer.data();
  const int status = ::pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 0 || code == kSkipped) return "";
  return said.empty() ? command + " exits with " + std::to_string(code) : said;
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_SUPPORT_ONNX_CHECKS_H_
