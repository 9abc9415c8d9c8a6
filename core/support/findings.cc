// SPDX-License-Identifier: Apache-2.0
#include "core/support/findings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dragoman {

std::string Summary(const Error& error) {
  const std::vector<Finding>& findings = error.findings();
  const Finding& first = findings.front();
  std::string text = first.place.empty() ? first.message : first.place + ": " + first.message;
  text = text.substr(0, text.find('\n'));
  if (findings.size() > 1) text += fmt::format(" (and {} more)", findings.size() - 1);
  return text;
}

void AddOnce(std::vector<Finding>& findings, Finding finding) {
  const auto same = [&](const Finding& known) {
    return known.place == finding.place && known.message == finding.message;
  };
  if (std::ranges::none_of(findings, same)) findings.push_back(std::move(finding));
}

}  // namespace dragoman
