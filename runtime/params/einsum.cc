// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/params/einsum.h"

#include <algorithm>

namespace dragoman::rt {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool HasLabel(const EinsumLabels& labels, std::int64_t label) {
  return std::count(labels.begin(), labels.end(), label) > 0;
}

// Reads one term up to a comma, an arrow or the end, and appends its labels.
class TermReader {
 public:
  TermReader(const char* text, std::int64_t length) : at_(text), end_(text + length) {}

  Status Read(EinsumLabels* labels) {
    bool ellipsis = false;
    for (SkipSpaces(); at_ != end_ && *at_ != ',' && *at_ != '-'; SkipSpaces()) {
      const bool dots = *at_ == '.';
      if (dots ? !Take("...") || ellipsis : !IsLetter(*at_)) {
        return Status::Error("an einsum equation holds something else than letters and one ...");
      }
      if (labels->size() == kMaxEinsumLabels)
        return Status::Error("an einsum equation is too long");
      labels->push_back(dots ? kEinsumEllipsis : *at_++);
      ellipsis = ellipsis || dots;
    }
    return Status();
  }
  bool Take(const char* token) {
    const char* p = at_;
    for (; *token != '\0'; ++token, ++p) {
      if (p == end_ || *p != *token) return false;
    }
    at_ = p;
    return true;
  }
  bool done() const { return at_ == end_; }

 private:
  void SkipSpaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n')) ++at_;
  }

  const char* at_;
  const char* end_;
};

Status CheckOutput(const EinsumParams& p) {
  for (std::int64_t label : p.output) {
    if (label != kEinsumEllipsis && !HasLabel(p.labels, label)) {
      return Status::Error("an einsum output label is in no operand");
    }
    if (std::count(p.output.begin(), p.output.end(), label) > 1) {
      return Status::Error("an einsum output label is repeated");
    }
  }
  return Status();
}

EinsumLabels ImplicitOutput(const EinsumLabels& labels) {
  EinsumLabels output;
  if (HasLabel(labels, kEinsumEllipsis)) output.push_back(kEinsumEllipsis);
  for (char c = 'A'; c <= 'z'; ++c) {
    if (IsLetter(c) && std::count(labels.begin(), labels.end(), c) == 1) output.push_back(c);
  }
  return output;
}

// Adds an axis to the space or broadcasts its size with the one that is there.
Status MergeAxis(std::int64_t axis, std::int64_t size, EinsumSpace* space) {
  const int found = space->Find(axis);
  if (found < 0) {
    space->axes.push_back(axis);
    space->sizes.push_back(size);
    return Status();
  }
  std::int64_t& known = space->sizes[found];
  if (known != size && known != 1 && size != 1) {
    return Status::Error("an einsum label has different sizes");
  }
  if (known == 1) known = size;
  return Status();
}

void MoveToEnd(const EinsumSpace& from, int i, EinsumSpace* to) {
  to->axes.push_back(from.axes[i]);
  to->sizes.push_back(from.sizes[i]);
}

// `found` with the output's axes in front, in its order.
EinsumSpace OutputFirst(const EinsumParams& p, const EinsumSpace& found) {
  EinsumSpace ordered;
  for (std::int64_t label : p.output) {
    if (label != kEinsumEllipsis) {
      MoveToEnd(found, found.Find(label), &ordered);
      continue;
    }
    for (int i = kMaxRank - 1; i >= 0; --i) {
      const int at = found.Find(EinsumSpace::kEllipsisAxis + i);
      if (at >= 0) MoveToEnd(found, at, &ordered);
    }
  }
  ordered.output_rank = ordered.axes.size();
  for (int i = 0; i < found.axes.size(); ++i) {
    if (ordered.Find(found.axes[i]) < 0) MoveToEnd(found, i, &ordered);
  }
  return ordered;
}

}  // namespace

Status ParseEinsum(const char* equation, std::int64_t length, EinsumParams* p) {
  *p = EinsumParams();
  TermReader reader(equation, length);
  do {
    const int before = p->labels.size();
    if (p->operand_labels.size() == kMaxEinsumOperands) {
      return Status::Error("an einsum has too many operands");
    }
    DRAGOMAN_RT_TRY(reader.Read(&p->labels));
    p->operand_labels.push_back(p->labels.size() - before);
  } while (reader.Take(","));
  if (reader.done()) {
    p->output = ImplicitOutput(p->labels);
    return Status();
  }
  if (!reader.Take("->")) return Status::Error("an einsum equation has - without >");
  DRAGOMAN_RT_TRY(reader.Read(&p->output));
  if (!reader.done()) return Status::Error("an einsum equation has more than one output");
  return CheckOutput(*p);
}

int EinsumSpace::Find(std::int64_t axis) const {
  const std::int64_t* found = std::find(axes.begin(), axes.end(), axis);
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

Status EinsumOperandAxes(const EinsumParams& p, int index, int rank, Shape* axes) {
  const std::int64_t* labels = p.labels.begin();
  for (int i = 0; i < index; ++i) labels += p.operand_labels[i];
  const int count = static_cast<int>(p.operand_labels[index]);
  const bool ellipsis = std::count(labels, labels + count, kEinsumEllipsis) > 0;
  const int width = ellipsis ? rank - (count - 1) : 0;
  if (width < 0 || (!ellipsis && count != rank)) {
    return Status::Error("an einsum operand has not as many axes as labels");
  }
  *axes = Shape();
  for (int i = 0; i < count; ++i) {
    if (labels[i] != kEinsumEllipsis) {
      axes->push_back(labels[i]);
      continue;
    }
    for (int k = width - 1; k >= 0; --k) axes->push_back(EinsumSpace::kEllipsisAxis + k);
  }
  return Status();
}

Status ResolveEinsum(const EinsumParams& p, const Shape* inputs, std::int64_t count,
                     EinsumSpace* space) {
  if (count != p.operand_labels.size()) {
    return Status::Error("an einsum equation has another number of operands");
  }
  EinsumSpace found;
  for (int i = 0; i < count; ++i) {
    Shape axes;
    DRAGOMAN_RT_TRY(EinsumOperandAxes(p, i, inputs[i].size(), &axes));
    for (int k = 0; k < axes.size(); ++k) {
      DRAGOMAN_RT_TRY(MergeAxis(axes[k], inputs[i][k], &found));
    }
  }
  *space = OutputFirst(p, found);
  return Status();
}

Status EinsumShape(const EinsumParams& p, const Shape* inputs, std::int64_t count, Shape* output) {
  EinsumSpace space;
  DRAGOMAN_RT_TRY(ResolveEinsum(p, inputs, count, &space));
  if (space.output_rank > kMaxRank) return Status::Error("the rank is too high");
  *output = Shape();
  for (int i = 0; i < space.output_rank; ++i) output->push_back(space.sizes[i]);
  return CheckSizes(*output);
}

}  // namespace dragoman::rt
