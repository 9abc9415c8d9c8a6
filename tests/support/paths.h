// SPDX-License-Identifier: Apache-2.0
// Places that only CMake knows. They are functions, not macros, so that objects of the tests do not
// depend on where the project lies, and ccache finds them from any checkout.
#ifndef DRAGOMAN_TESTS_SUPPORT_PATHS_H_
#define DRAGOMAN_TESTS_SUPPORT_PATHS_H_

#include <filesystem>

namespace dragoman {

std::filesystem::path ProjectRoot();
// Holds the program `dragoman`.
std::filesystem::path BuildFolder();

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_SUPPORT_PATHS_H_
