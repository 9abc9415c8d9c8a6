// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash functions of bytes whose values are fixed for all time.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TEXT_HASH_H_
#define DRAGOMAN_RUNTIME_KERNELS_TEXT_HASH_H_

#include <cstdint>
#include <string_view>

namespace dragoman::rt {

// G. Pike's FarmHash, farmhashna::Hash64, which is its Fingerprint64.
std::uint64_t FarmFingerprint64(std::string_view bytes);
// A. Appleby's MurmurHash64A.
std::uint64_t MurmurHash64(std::string_view bytes, std::uint64_t seed);
// SipHash-2-4 of J.-P. Aumasson and D. J. Bernstein.
std::uint64_t SipHash24(std::string_view bytes, std::uint64_t key0, std::uint64_t key1);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TEXT_HASH_H_
