// SPDX-License-Identifier: Apache-2.0
// Tensor bytes kept out of protobuf's hands while a message is built.
#ifndef DRAGOMAN_EXPORTERS_ONNX_BULK_H_
#define DRAGOMAN_EXPORTERS_ONNX_BULK_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::onnx_writer {

// Windows by number. raw_data of a TensorProto in the making is always a token, 8 bytes.
class Bulk {
 public:
  std::string Token(std::span<const std::byte> window) {
    const std::uint64_t number = windows_.size();
    windows_.push_back(window);
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }
  std::span<const std::byte> Window(std::string_view token) const {
    std::uint64_t number = 0;
    std::memcpy(&number, token.data(), sizeof number);
    return windows_[number];
  }

 private:
  std::vector<std::span<const std::byte>> windows_;
};

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_BULK_H_
