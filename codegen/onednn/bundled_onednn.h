// SPDX-License-Identifier: Apache-2.0
// oneDNN that was installed together with Dragoman, as in a wheel or an archive.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_BUNDLED_ONEDNN_H_
#define DRAGOMAN_CODEGEN_ONEDNN_BUNDLED_ONEDNN_H_

#include <filesystem>
#include <optional>

namespace dragoman {

struct BundledOneDnn {
  std::filesystem::path headers;  // holds oneapi/dnnl/dnnl.hpp
  std::filesystem::path library;
};

// In the folder `onednn` beside the shared library that holds this function, or beside the folder
// of the program. nullopt: there is none, and the system's is used.
std::optional<BundledOneDnn> FindBundledOneDnn();

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_BUNDLED_ONEDNN_H_
