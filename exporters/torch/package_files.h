// SPDX-License-Identifier: Apache-2.0
// The files of a package that are the same for every model.
#ifndef DRAGOMAN_EXPORTERS_TORCH_PACKAGE_FILES_H_
#define DRAGOMAN_EXPORTERS_TORCH_PACKAGE_FILES_H_

#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::pytorch {

// Names and contents.
std::vector<std::pair<std::string_view, std::string_view>> PackageFiles();

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_PACKAGE_FILES_H_
