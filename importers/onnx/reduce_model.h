// SPDX-License-Identifier: Apache-2.0
// A copy of an ONNX file without its bulk, for protobuf to parse.
//
// protobuf would copy every weight, and refuses messages over 2 GB. So the file is first walked by
// its wire format: raw_data of every tensor stays where it lies, and the copy holds in its place
// the number of a window. What the main graph may have a million of is kept apart, to be parsed one
// by one: parsed all at once it would need ten times its room.
#ifndef DRAGOMAN_IMPORTERS_ONNX_REDUCE_MODEL_H_
#define DRAGOMAN_IMPORTERS_ONNX_REDUCE_MODEL_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::onnx_reader {

// Serialised messages one after the other.
struct WireMessages {
  std::string bytes;
  std::vector<std::size_t> ends;  // of each, in `bytes`

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(start, ends[i] - start);
  }
};

struct ReducedModel {
  std::string message;  // a ModelProto without what follows; raw_data is a token
  WireMessages nodes, outputs, value_info;          // of the main graph
  std::vector<std::span<const std::byte>> windows;  // by token

  // The bytes that a token of `message` stands for.
  std::span<const std::byte> Window(std::string_view token) const;
};

// `file` is a serialised ModelProto of any size. Checks all of it that protobuf would check, so
// errors (damaged, nested more than 100 deep) have the offset in the file as their place.
Result<ReducedModel> ReduceModel(std::span<const std::byte> file);

// Where a message lies: field number and index, from the model down. Lives on the stack of the
// walk.
struct Place {
  const Place* parent = nullptr;  // nullptr: this is the model
  int field = 0;
  int index = 0;  // of a repeated field, else 0
};

// The offset in the file of the message at `place`, or of the nearest one around it.
std::size_t FindOffset(std::span<const std::byte> file, const Place& place);

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_REDUCE_MODEL_H_
