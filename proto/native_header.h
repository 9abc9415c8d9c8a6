// SPDX-License-Identifier: Apache-2.0
// The layout of a .dgm file.
//
//     bytes   0 ..  63   NativeHeader
//     bytes  64 ..       a message dragoman.pb.Model
//     bytes  data_offset ..   the data section: the bytes of tensors
//
// All numbers are little-endian. The data section ends the file; each tensor lies in it at a
// multiple of kNativeAlignment. pb::Buffer::offset counts from data_offset.
#ifndef DRAGOMAN_PROTO_NATIVE_HEADER_H_
#define DRAGOMAN_PROTO_NATIVE_HEADER_H_

#include <cstdint>
#include <string_view>

namespace dragoman {

inline constexpr std::string_view kNativeMagic =
    "\x89"
    "DGM\r\n\x1a\n";
inline constexpr std::uint32_t kNativeLayout = 1;
inline constexpr std::uint64_t kNativeAlignment = 64;

struct NativeHeader {
  char magic[8];
  std::uint32_t layout;
  std::uint32_t zero;
  std::uint64_t message_size;
  std::uint64_t message_hash;  // HashBytes of the message
  std::uint64_t data_offset;
  std::uint64_t data_size;
  char reserved[16];  // zero
};
static_assert(sizeof(NativeHeader) == 64);

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_NATIVE_HEADER_H_
