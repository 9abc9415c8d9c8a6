// SPDX-License-Identifier: Apache-2.0
// What `verify` and `diff --run` say of outputs that were compared.
#ifndef DRAGOMAN_CLI_VERIFICATION_REPORT_H_
#define DRAGOMAN_CLI_VERIFICATION_REPORT_H_

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "driver/verify_model.h"

namespace dragoman::cli {

void PrintVerifications(std::span<const Verification> verifications);
nlohmann::ordered_json VerificationsJson(std::span<const Verification> verifications);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_VERIFICATION_REPORT_H_
