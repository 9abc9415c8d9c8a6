// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/bundled_onednn.h"

#include <dlfcn.h>

#include <system_error>

namespace dragoman {
namespace {

namespace fs = std::filesystem;

std::optional<BundledOneDnn> OneDnnIn(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / "include/oneapi/dnnl/dnnl.hpp", ignored)) return std::nullopt;
  for (const char* name : {"libdnnl.so.2", "libdnnl.so.3"}) {
    const fs::path library = folder / "lib" / name;
    if (fs::exists(library, ignored)) return BundledOneDnn{folder / "include", library};
  }
  return std::nullopt;
}

}  // namespace

std::optional<BundledOneDnn> FindBundledOneDnn() {
  std::error_code problem;
  Dl_info info = {};
  if (::dladdr(reinterpret_cast<const void*>(&OneDnnIn), &info) != 0 && info.dli_fname != nullptr) {
    const fs::path library = fs::absolute(info.dli_fname, problem);
    if (auto found = OneDnnIn(library.parent_path() / "onednn")) return found;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return std::nullopt;
  return OneDnnIn(program.parent_path().parent_path() / "onednn");
}

}  // namespace dragoman
