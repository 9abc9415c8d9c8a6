// SPDX-License-Identifier: Apache-2.0
// SavedModels that TensorFlow's proto_splitter has written in chunks: those beyond 2 GiB, and all
// that are saved with experimental_image_format.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHUNKED_MESSAGE_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHUNKED_MESSAGE_H_

#include <cstddef>
#include <span>

#include "core/support/result.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {

// Puts the message together that `file`, of Riegeli's records, holds. Errors: as RiegeliFile's;
// chunks that do not fit the message.
Status ReadChunkedSavedModel(std::span<const std::byte> file, tf_pb::SavedModel* message);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_CONTAINER_CHUNKED_MESSAGE_H_
