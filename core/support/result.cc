// SPDX-License-Identifier: Apache-2.0
#include "core/support/result.h"

#include <algorithm>
#include <cassert>

namespace dragoman {

std::string Finding::ToString() const {
  std::string text = file;
  std::string_view at = place;
  // Editors find FILE:LINE:COLUMN.
  constexpr std::string_view kLine = "line ";
  if (!file.empty() && at.starts_with(kLine)) at.remove_prefix(kLine.size());
  if (!file.empty() && !at.empty()) text += ':';
  text += at;
  if (!text.empty()) text += ": ";
  return text + "error: " + message;
}

Error::Error(ErrorKind kind, std::string message) {
  findings_.push_back({kind, {}, {}, std::move(message)});
}
Error::Error(Finding finding) { findings_.push_back(std::move(finding)); }
Error::Error(std::vector<Finding> findings) : findings_(std::move(findings)) {
  assert(!findings_.empty());
}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

ErrorKind Error::kind() const {
  auto has = [&](ErrorKind kind) {
    return std::any_of(findings_.begin(), findings_.end(),
                       [kind](const Finding& f) { return f.kind == kind; });
  };
  if (has(ErrorKind::kInternal)) return ErrorKind::kInternal;
  if (has(ErrorKind::kInvalidInput)) return ErrorKind::kInvalidInput;
  return ErrorKind::kUnsupported;
}

Error& Error::InFile(std::string_view file) & {
  for (Finding& finding : findings_) {
    if (finding.file.empty()) finding.file = file;
  }
  return *this;
}

Error& Error::At(std::string_view place) & {
  for (Finding& finding : findings_) {
    if (finding.place.empty()) finding.place = place;
  }
  return *this;
}

std::string Error::ToString() const {
  std::string text;
  for (const Finding& finding : findings_) {
    if (!text.empty()) text += '\n';
    text += finding.ToString();
  }
  return text;
}

Error InvalidInput(std::string message) { return {ErrorKind::kInvalidInput, std::move(message)}; }
Error Unsupported(std::string message) { return {ErrorKind::kUnsupported, std::move(message)}; }
Error Internal(std::string message) { return {ErrorKind::kInternal, std::move(message)}; }

}  // namespace dragoman
