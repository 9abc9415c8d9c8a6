// SPDX-License-Identifier: Apache-2.0
// What every part of the ONNX reader needs to know of the file.
#ifndef DRAGOMAN_IMPORTERS_ONNX_READ_CONTEXT_H_
#define DRAGOMAN_IMPORTERS_ONNX_READ_CONTEXT_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/support/mapped_file.h"
#include "core/support/result.h"
#include "importers/onnx/message_to_dict.h"
#include "importers/onnx/read_model.h"
#include "importers/onnx/reduce_model.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

class ReadContext {
 public:
  static constexpr std::size_t kMaxNoted = 100;

  // `owner` keeps `file` alive.
  ReadContext(std::span<const std::byte> file, std::shared_ptr<const void> owner,
              ReducedModel reduced, ReadOnnxOptions options)
      : file_(file),
        owner_(std::move(owner)),
        reduced_(std::move(reduced)),
        options_(std::move(options)) {}

  const ReducedModel& reduced() const { return reduced_; }
  // The bytes of a raw_data field; they stay in the file.
  Buffer RawData(const std::string& token) const;
  // The `size` bytes that external_data of `tensor` names; they stay in their file. nullopt: there
  // is no such file, and it need not be there.
  Result<std::optional<Buffer>> ExternalData(const onnx_pb::TensorProto& tensor, std::size_t size,
                                             const Place& place);

  Attribute::Dict Dict(const google::protobuf::Message& message) const;
  // Appends what remains of `message` to `extra`, which `make` makes if something does.
  template <class MakeExtra>
  void Keep(const google::protobuf::Message& message, MakeExtra make) const {
    if (IsEmpty(message)) return;
    Extra entries = ToExtra(message, resolve_);
    Extra& extra = make();
    extra.insert(extra.end(), entries.begin(), entries.end());
  }

  // An error with the place in the file.
  Error Fail(const Place& place, std::string message) const;
  // Notes an error after which reading goes on, so that all are reported at once; of more
  // than kMaxNoted the number.
  void Note(const Place& place, std::string message);
  Status Noted() const;  // all of them

 private:
  // nullptr: there is no such file, and it need not be there.
  Result<std::shared_ptr<const MappedFile>> OpenData(const std::string& location,
                                                     const Place& place);

  std::span<const std::byte> file_;
  std::shared_ptr<const void> owner_;
  ReducedModel reduced_;
  ReadOnnxOptions options_;
  std::map<std::string, std::shared_ptr<const MappedFile>> data_files_;
  std::vector<Finding> findings_;
  std::size_t unlisted_ = 0;  // findings beyond kMaxNoted
  const ResolveToken resolve_ = [this](const std::string& token) { return RawData(token); };
};

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_READ_CONTEXT_H_
