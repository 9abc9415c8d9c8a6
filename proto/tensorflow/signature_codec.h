// SPDX-License-Identifier: Apache-2.0
// TensorInfo, the end of a signature, as named tensors with types.
#ifndef DRAGOMAN_PROTO_TENSORFLOW_SIGNATURE_CODEC_H_
#define DRAGOMAN_PROTO_TENSORFLOW_SIGNATURE_CODEC_H_

#include <string>
#include <vector>

#include "core/ir/type.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_codec {

struct FlatInfo {
  std::string name;    // the key; of a sparse tensor "key.values", …, of a composite "key.0", …
  std::string tensor;  // "node:0"
  Type type;
};

// The tensors that `info` stands for under `key`. Composites nest no deeper than messages do.
std::vector<FlatInfo> Flatten(const std::string& key, const tf_pb::TensorInfo& info);

// One tensor of that name and type.
void FillPlain(const std::string& tensor, const Type& type, tf_pb::TensorInfo* info);

}  // namespace dragoman::tf_codec

#endif  // DRAGOMAN_PROTO_TENSORFLOW_SIGNATURE_CODEC_H_
