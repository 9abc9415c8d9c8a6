// SPDX-License-Identifier: Apache-2.0
// A file that another one names and that is not there.
#ifndef DRAGOMAN_CORE_SUPPORT_MISSING_FILE_H_
#define DRAGOMAN_CORE_SUPPORT_MISSING_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace dragoman {

struct MissingFile {
  std::string name;           // relative to the model's folder
  std::uint64_t bytes = 0;    // that it has at least
  std::size_t constants = 0;  // whose elements it holds
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_MISSING_FILE_H_
