// SPDX-License-Identifier: Apache-2.0
// Many generated programs in one executable, over a runtime that is compiled once.
#ifndef DRAGOMAN_TESTS_CONFORMANCE_NATIVE_PROGRAMS_H_
#define DRAGOMAN_TESTS_CONFORMANCE_NATIVE_PROGRAMS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "core/support/result.h"

namespace dragoman {

class NativePrograms {
 public:
  // Sources and objects lie in `folder`; what has not changed there is not compiled again.
  explicit NativePrograms(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Adds the program; its name is that of its Plan.
  Status Add(const GeneratedProgram& program);

  // Errors (internal): what the compiler says; warnings are errors.
  Status Build();

  // Calls the program's `infer` with `arguments`. Errors: it does not end with exit code 0.
  Status Run(const std::string& name, const std::vector<std::string>& arguments) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_CONFORMANCE_NATIVE_PROGRAMS_H_
