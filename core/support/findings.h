// SPDX-License-Identifier: Apache-2.0
// What is done with the findings of an Error before they are printed.
#ifndef DRAGOMAN_CORE_SUPPORT_FINDINGS_H_
#define DRAGOMAN_CORE_SUPPORT_FINDINGS_H_

#include <string>
#include <vector>

#include "core/support/result.h"

namespace dragoman {

// The first line of the first finding, and how many more there are.
std::string Summary(const Error& error);

// Appends `finding` unless the same is among `findings`.
void AddOnce(std::vector<Finding>& findings, Finding finding);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_FINDINGS_H_
