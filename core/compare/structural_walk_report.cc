// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/compare/places.h"
#include "core/compare/structural_walk.h"

namespace dragoman::compare {

bool StructuralWalk::Fail(std::string reason, const Trail* trail, std::string place_a,
                          std::string place_b, std::string expected, std::string found) {
  std::vector<std::string> path;
  if (trail != nullptr) AppendPath(*trail, path);
  std::reverse(path.begin(), path.end());
  difference_ = Difference{std::move(reason),   std::move(place_a), std::move(place_b),
                           std::move(expected), std::move(found),   ShortenPath(std::move(path))};
  return false;
}

bool StructuralWalk::FailAtPair(std::string reason, std::uint32_t pair, std::string expected,
                                std::string found) {
  const Pair& at = pairs_[pair];
  return Fail(std::move(reason), &at.trail, at.a->Describe(), at.b->Describe(), std::move(expected),
              std::move(found));
}

bool StructuralWalk::FailAtEdge(std::string reason, const Trail& trail, const Value* a,
                                const Value* b) {
  return Fail(std::move(reason), &trail, EdgePlace(trail, false), EdgePlace(trail, true),
              Describe(a), Describe(b));
}

bool StructuralWalk::FailAtFrame(std::string reason, std::uint32_t frame, std::string expected,
                                 std::string found) {
  std::vector<std::string> path;
  AppendFramePath(frame, path);
  (void)Fail(std::move(reason), nullptr, frames_[frame].label, frames_[frame].label,
             std::move(expected), std::move(found));
  std::reverse(path.begin(), path.end());
  difference_->path = ShortenPath(std::move(path));
  return false;
}

std::string StructuralWalk::EdgePlace(const Trail& trail, bool of_b) const {
  const std::string number = std::to_string(trail.index);
  switch (trail.via) {
    case Via::kOperand: {
      const Pair& pair = pairs_[trail.from];
      return "operand " + number + " of " + (of_b ? pair.b : pair.a)->Describe();
    }
    case Via::kOutput:
      return "output " + number + " of " + frames_[trail.from].label;
    case Via::kEffect:
      return "effect " + number + " of " + frames_[trail.from].label;
    case Via::kUnreachable:
      return "a node that no output of " + frames_[trail.from].label + " needs";
  }
  return number;
}

void StructuralWalk::AppendPath(const Trail& trail, std::vector<std::string>& reversed) const {
  Trail at = trail;
  while (at.via == Via::kOperand) {
    reversed.push_back(EdgePlace(at, false));
    at = pairs_[at.from].trail;
  }
  reversed.push_back(EdgePlace(at, false));
  AppendFramePath(at.from, reversed);
}

// Graphs nest at most kMaxGraphNesting deep.
void StructuralWalk::AppendFramePath(std::uint32_t frame,
                                     std::vector<std::string>& reversed) const {
  reversed.push_back(frames_[frame].label);
  if (frames_[frame].owner == kNone) return;
  reversed.push_back(pairs_[frames_[frame].owner].a->Describe());
  AppendPath(pairs_[frames_[frame].owner].trail, reversed);
}

}  // namespace dragoman::compare
