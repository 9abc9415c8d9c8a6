// SPDX-License-Identifier: Apache-2.0
// A serialised ModelProto with tokens for raw_data, back to the whole file.
#ifndef DRAGOMAN_EXPORTERS_ONNX_EXPAND_MODEL_H_
#define DRAGOMAN_EXPORTERS_ONNX_EXPAND_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "exporters/onnx/bulk.h"

namespace dragoman::onnx_writer {

// Measures when made, so that every length is known before its message is written. `message` and
// `bulk` must outlive it.
class ModelExpander {
 public:
  using Sink = std::function<Status(std::span<const std::byte>)>;

  // Unsupported: messages nest deeper than readers take.
  static Result<ModelExpander> Make(const std::string& message, const Bulk& bulk);

  std::uint64_t size() const { return sizes_.front(); }
  // The whole file, piece by piece.
  Status Write(const Sink& sink) const;

 private:
  ModelExpander(const std::string& message, const Bulk& bulk) : message_(&message), bulk_(&bulk) {}

  const std::string* message_;
  const Bulk* bulk_;
  std::vector<std::uint64_t> sizes_;  // of the messages that may hold tensors, outer ones first
};

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_EXPAND_MODEL_H_
