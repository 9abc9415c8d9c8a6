// SPDX-License-Identifier: Apache-2.0
// Base64 of RFC 4648, section 4, with padding.
#ifndef DRAGOMAN_CORE_SUPPORT_BASE64_H_
#define DRAGOMAN_CORE_SUPPORT_BASE64_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

std::string EncodeBase64(std::span<const std::byte> bytes);
// nullopt for text that EncodeBase64 does not write.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_BASE64_H_
