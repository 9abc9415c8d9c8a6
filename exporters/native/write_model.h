// SPDX-License-Identifier: Apache-2.0
// Writes our own format (.dgm): proto/dragoman.proto, with the bytes of tensors after the message.
#ifndef DRAGOMAN_EXPORTERS_NATIVE_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_NATIVE_WRITE_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Everything that `model` holds, source or common. The same model gives the same bytes on every
// machine. Tensor bytes go straight to the file. Unsupported: over 2 GB without tensor bytes.
Status WriteNative(const Model& model, const std::string& path);
Result<std::string> WriteNativeBytes(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_NATIVE_WRITE_MODEL_H_
