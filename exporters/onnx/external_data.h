// SPDX-License-Identifier: Apache-2.0
// Which tensors lie outside of the model file, and where.
#ifndef DRAGOMAN_EXPORTERS_ONNX_EXTERNAL_DATA_H_
#define DRAGOMAN_EXPORTERS_ONNX_EXTERNAL_DATA_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/support/output_file.h"
#include "core/support/result.h"
#include "core/support/text.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

class ExternalData {
 public:
  // Data files that belong to the model file `model_name` are called "<model_name>.data", or with
  // `file_each`, one for each tensor, "<model_name>.<tensor>.data".
  ExternalData(std::string model_name, bool file_each);

  // `bytes` go where external_data of `message` says. If they do not fit there (another length, a
  // place that other bytes take), they go to the end of our own data file.
  void Keep(std::span<const std::byte> bytes, onnx_pb::TensorProto* message);
  // `bytes` go to our own data file. `message` must live until Place.
  void Add(std::span<const std::byte> bytes, onnx_pb::TensorProto* message);
  // Gives all that was added its place, after what was kept, and notes it in the messages.
  void Place();

  // Writes the data files below `folder`, each whole or not at all, and leaves them in `files` to
  // be committed. A file other than our own that is there already must hold the same bytes at the
  // same places, and stays.
  Status Write(const std::string& folder, std::vector<OutputFile>* files) const;

 private:
  using Ranges = std::map<std::uint64_t, std::span<const std::byte>>;  // by offset

  struct Pending {
    std::span<const std::byte> bytes;
    onnx_pb::TensorProto* message;
  };

  // The data file of ours that the bytes of `message` go to.
  std::string OwnFile(const onnx_pb::TensorProto& message);

  std::string model_name_;
  bool file_each_;
  NameScope own_names_;
  std::set<std::string> own_files_;
  std::map<std::string, Ranges> files_;
  std::vector<Pending> pending_;
};

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_EXTERNAL_DATA_H_
