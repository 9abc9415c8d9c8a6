// SPDX-License-Identifier: Apache-2.0
// What is said of a model that was made one for another number of samples, or other sizes.
#ifndef DRAGOMAN_CLI_BATCH_REPORT_H_
#define DRAGOMAN_CLI_BATCH_REPORT_H_

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/resize/resize_batch.h"

namespace dragoman::cli {

// Lines: where inputs and outputs hold the samples, and what was changed; all of it if `at_length`.
std::string BatchText(const BatchReport& report, const std::string& size, bool at_length);
// Of constants that followed other sizes: how many, or with `at_length` each.
std::string FollowedText(const std::vector<std::string>& changes, bool at_length);
nlohmann::ordered_json BatchJson(const BatchReport& report, const std::string& size);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_BATCH_REPORT_H_
