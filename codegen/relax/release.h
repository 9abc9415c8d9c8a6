// SPDX-License-Identifier: Apache-2.0
// Releases of TVM, and calls as each of them has them.
#ifndef DRAGOMAN_CODEGEN_RELAX_RELEASE_H_
#define DRAGOMAN_CODEGEN_RELAX_RELEASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::relax {

// Those between two of these are written for as the older one.
enum class Release : std::uint8_t { k017, k019, k021, k025, k026, kLatest = k026 };

// "0.17" to "0.27", or "latest".
std::optional<Release> ReleaseFromName(std::string_view name);
std::string_view NameOf(Release release);
// What ReleaseFromName takes.
std::vector<std::string> ReleaseNames();

// `expression`, which is written for the latest release, with other calls in place of those that
// `release` lacks, and without the parameters that it lacks. Errors: unsupported, an operator that
// the release has no other words for.
Result<std::string> InRelease(std::string_view expression, Release release);

// The keyword of the types that a packed function returns.
std::string_view ReturnTypesKeyword(Release release);

// The lines that import what `text` uses of TVM's script.
std::string Imports(std::string_view text, Release release);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_RELEASE_H_
