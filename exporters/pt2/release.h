// SPDX-License-Identifier: Apache-2.0
// Releases of PyTorch, and programs as the older of them have them.
#ifndef DRAGOMAN_EXPORTERS_PT2_RELEASE_H_
#define DRAGOMAN_EXPORTERS_PT2_RELEASE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// Those between two of these read what is written for the older one.
enum class Release : std::uint8_t { k26, k27, k29, kLatest = k29 };

// "2.6" to "2.15", or "latest".
std::optional<Release> ReleaseFromName(std::string_view name);
// What ReleaseFromName takes, the oldest first.
std::vector<std::string> ReleaseNames();

// Writes into a program of the latest release for which it is, without what `release` lacks.
// Nothing is lost: what the older schema lacks repeats what operators say themselves. Errors:
// unsupported, a loop that PyTorch 2.6 writes but does not load.
Status StateRelease(Release release, Json& program);
// The program as text: before 2.9 with infinities and NaN as Python writes them, not as strings.
// Errors: as JsonText.
Result<std::string> TextOf(Release release, const Json& program);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_RELEASE_H_
