// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npz archives of stored entries, as numpy.savez writes them.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_NPZ_H_
#define DRAGOMAN_RUNTIME_PROGRAM_NPZ_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/program/npy.h"

namespace dragoman::rt {

// The arrays of an archive with their names (".npy" left out), in its order. Throws Error:
// compressed entries, entries of more than 4 GB, two of one name, damaged files.
std::vector<std::pair<std::string, NpyArray>> ReadNpz(const std::string& path);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_NPZ_H_
