// SPDX-License-Identifier: Apache-2.0
// From models to messages of dragoman.proto and back, for the formats that use them.
#ifndef DRAGOMAN_PROTO_PACK_MODEL_H_
#define DRAGOMAN_PROTO_PACK_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "proto/dragoman.pb.h"

namespace dragoman {

// The version that PackModel writes and UnpackModel reads.
inline constexpr std::uint32_t kNativeVersion = 1;

// How deep lists and dictionaries may nest in attributes.
inline constexpr int kMaxListNesting = 64;

// Called once for each different buffer of tensors: fills in `offset` or `data`.
using StoreBuffer = std::function<void(const Buffer& buffer, pb::Buffer* message)>;
// The bytes that StoreBuffer put away; an error if there are none.
using LoadBuffer = std::function<Result<Buffer>(pb::Buffer& message)>;

// Everything that `model` holds. Equal models give equal messages on every machine; tensors that
// share their bytes share a buffer. Errors (Unsupported): over 2^32 - 1 values or other things of
// one table.
Status PackModel(const Model& model, const StoreBuffer& store, pb::Model* message);

// The inverse. Nothing in the message is trusted: InvalidInput names the table and the number of
// what is wrong. Takes `message` apart to save memory.
Result<Model> UnpackModel(pb::Model message, const LoadBuffer& load);

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_PACK_MODEL_H_
