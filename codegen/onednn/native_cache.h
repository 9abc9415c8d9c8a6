// SPDX-License-Identifier: Apache-2.0
// The folder in which the native engine keeps what it has compiled: a folder a program
// ("model-HASH") and one for the runtime of each version of dragoman ("runtime-HASH"). Whatever
// else lies there is not touched. What is found there is run, so nobody else may write there.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_NATIVE_CACHE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_NATIVE_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

// $DRAGOMAN_CACHE, $XDG_CACHE_HOME/dragoman, $HOME/.cache/dragoman, or that in the home folder
// which the system knows of the user. Empty values are passed over, and relative ones but for the
// first, which says what the user wants. Errors: there is none.
Result<std::filesystem::path> NativeCacheFolder();

// Makes `cache` where it is missing, for its owner alone. Errors: others may have put something
// there: it is another user's, others can write to it, everybody can write to the folder that it
// lies in, or to one further up that does not protect what lies in it (sticky, such as /tmp).
Status SecureNativeCache(const std::filesystem::path& cache);

// Errors: a program or library that was found is another user's, is not a regular file, or others
// can write to it or to its folder.
Status CheckOurs(const std::filesystem::path& file);

// In bytes: $DRAGOMAN_CACHE_MB megabytes, or 2000.
std::uint64_t NativeCacheLimit();

struct CachedProgram {
  std::filesystem::path folder;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used;  // last
};

// What lies in `cache`, the least recently used first; empty if there is no such folder.
std::vector<CachedProgram> ListNativeCache(const std::filesystem::path& cache);

// Notes that `program`, a folder of the cache, is in use.
void MarkUsed(const std::filesystem::path& program);

// Removes all of it; the bytes that are free now.
std::uint64_t ClearNativeCache(const std::filesystem::path& cache);

// Removes what was used least recently until `limit` bytes are left. What was used within the last
// hour stays: another process may be about to run it.
void TrimNativeCache(const std::filesystem::path& cache, std::uint64_t limit);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_ONEDNN_NATIVE_CACHE_H_
