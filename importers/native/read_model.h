// SPDX-License-Identifier: Apache-2.0
// Reads our own format (.dgm), which exporters/native writes.
#ifndef DRAGOMAN_IMPORTERS_NATIVE_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_NATIVE_READ_MODEL_H_

#include <cstddef>
#include <span>
#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Whether a file begins as ours do.
bool IsNative(std::span<const std::byte> begin_of_file);

// The Model that was written. Tensors are windows on the mapped file. Nothing in the file is
// trusted: InvalidInput with the byte offset as its place.
Result<Model> ReadNative(const std::string& path);
Result<Model> ReadNativeBytes(Buffer file);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_NATIVE_READ_MODEL_H_
