// SPDX-License-Identifier: Apache-2.0
// Writes models as JSON: proto/dragoman.proto in protobuf's JSON mapping, for programs in other
// languages.
#ifndef DRAGOMAN_EXPORTERS_JSON_WRITE_MODEL_H_
#define DRAGOMAN_EXPORTERS_JSON_WRITE_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Everything that `model` holds: floats as their bits, tensor bytes in base64. Unsupported: over 2
// GB.
Result<std::string> WriteJsonText(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_JSON_WRITE_MODEL_H_
