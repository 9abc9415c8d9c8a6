// SPDX-License-Identifier: Apache-2.0
#include "core/ir/stack_trace.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

struct Frame {
  std::string place;  // "policy.py:87"
  std::string line;   // of the source, as far as the file states it
};

// `  File "/home/me/policy.py", line 87, in forward`; nullopt: another line, or no file of a user.
std::optional<std::string> PlaceOf(std::string_view line, std::string_view folder) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(kFile))
    return std::nullopt;
  line.remove_prefix(begin + kFile.size());
  const std::size_t end = line.find(kLine);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view path = line.substr(0, end);
  std::string_view number = line.substr(end + kLine.size());
  number = number.substr(0, number.find(','));
  if (path.starts_with("<")) return "";
  const std::size_t installed = path.rfind(folder);
  const std::size_t slash = path.find_last_of("/\\");
  if (installed != std::string_view::npos) {
    path.remove_prefix(path.find('/', installed) + 1);
  } else if (slash != std::string_view::npos) {
    path.remove_prefix(slash + 1);
  }
  return std::string(path) + ":" + std::string(number);
}

// Outermost first. Frames of code that is in no file are left out.
std::vector<Frame> FramesOf(std::string_view trace, std::string_view folder) {
  std::vector<Frame> frames;
  bool open = false;
  while (!trace.empty()) {
    const std::string_view line = trace.substr(0, trace.find('\n'));
    trace.remove_prefix(std::min(line.size() + 1, trace.size()));
    if (std::optional<std::string> place = PlaceOf(line, folder)) {
      open = !place->empty();
      if (open) frames.push_back({*std::move(place), ""});
    } else if (open && frames.back().line.empty()) {
      frames.back().line = std::string(line);
    }
  }
  return frames;
}

}  // namespace

void SetLocation(SourceOp& op, std::string_view trace, std::string_view package) {
  const std::string folder = "-packages/" + std::string(package) + "/";
  std::vector<Frame> frames = FramesOf(trace, folder);
  if (frames.empty()) return;
  op.location = std::move(frames.back().place);
  if (!frames.back().line.empty())
    op.attributes.emplace_back("source_line", std::move(frames.back().line));
  frames.pop_back();
  Attribute::Strings callers;
  for (Frame& frame : frames) callers.push_back(std::move(frame.place));
  if (!callers.empty()) op.attributes.emplace_back("called_from", std::move(callers));
}

}  // namespace dragoman
