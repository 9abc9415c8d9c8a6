// SPDX-License-Identifier: Apache-2.0
// SHA-256, for digests of tensors that are compared between machines.
#ifndef DRAGOMAN_CORE_SUPPORT_SHA256_H_
#define DRAGOMAN_CORE_SUPPORT_SHA256_H_

#include <cstddef>
#include <span>
#include <string>

namespace dragoman {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::span<const std::byte> bytes);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_SHA256_H_
