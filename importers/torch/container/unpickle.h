// SPDX-License-Identifier: Apache-2.0
// Pickles as data: what torch's C++ writer emits of protocol 2, and nothing else. Nothing is
// executed: a pickle may only name the functions of rebuild.h and classes of the archive.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_UNPICKLE_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_UNPICKLE_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/container/rebuild.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

// What a pickle may hold at most: containers inside of containers, and bytes of memory for values
// and stack.
inline constexpr int kMaxPickleDepth = 1000;
inline constexpr std::size_t kPickleMemoryBase = std::size_t{256} << 20;
inline constexpr std::size_t kPickleMemoryRatio = 64;  // per byte of the archive

// The value of one pickle, built in the heap of `rebuilder`. Values that the memo shares are shared
// by identity. Errors, at "byte N" of the pickle: unknown opcodes, functions and classes; operands
// of the wrong kind; a stack or memo that does not hold what is asked for; the limits.
Result<Stored> Unpickle(std::span<const std::byte> pickle, Rebuilder& rebuilder,
                        std::size_t memory_limit);

// The pickle in the record `name` ("data.pkl"), whose tensors lie in the folder of the same name
// ("data/"). With `require_data` false, empty records are tensors without data (traced inputs).
// Errors: those above at "archive/data.pkl:byte N".
Result<Stored> ReadPickle(const Archive& archive, std::string_view name, bool require_data,
                          StoredHeap* heap);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_UNPICKLE_H_
