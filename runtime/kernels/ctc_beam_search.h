// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CtcBeamSearch: the label sequences that the steps of a connectionist temporal classification most
// likely spell (A. Graves, "Sequence Transduction with Recurrent Neural Networks", 2012), as
// TensorFlow's CTCBeamSearchDecoder finds them.
//
// A prefix is a node of a tree. Its probability is split by how it ends: in a blank, after which
// the same label would be another one, or in its last label. Each step extends the prefixes that
// are followed by all labels; the best of old and new ones are followed on.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CTC_BEAM_SEARCH_H_
#define DRAGOMAN_RUNTIME_KERNELS_CTC_BEAM_SEARCH_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/ctc_beam_search.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

template <class T>
class CtcBeam {
 public:
  // `labels` without the blank, which is the number after them.
  CtcBeam(std::size_t width, int labels) : width_(width), labels_(labels), prefixes_(1) {
    prefixes_[0].now = {T(0), T(0), kNever};
    followed_ = {0};
  }

  // `x` has a number for each label and the blank, of which the softmax gives probabilities.
  void Step(const T* x) {
    const T offset = LogOfSums(x);
    Sort();
    const std::vector<int> old = followed_;
    for (const int i : old) At(i).before = At(i).now;
    for (const int i : old) Stay(At(i), x, offset);
    std::make_heap(followed_.begin(), followed_.end(), IsBetter{*this});
    for (const int i : old) Extend(i, x, offset);
  }

  // Prefixes from the best on.
  void Sort() { std::sort(followed_.begin(), followed_.end(), IsBetter{*this}); }
  const std::vector<int>& followed() const { return followed_; }
  T score(int prefix) const { return prefixes_[static_cast<std::size_t>(prefix)].now.all; }

  std::vector<int> Labels(int prefix, bool merge_repeated) const {
    std::vector<int> labels;
    int last = -1;
    for (int i = prefix; i != 0; i = prefixes_[static_cast<std::size_t>(i)].parent) {
      const int label = prefixes_[static_cast<std::size_t>(i)].label;
      if (!merge_repeated || label != last) labels.push_back(label);
      last = label;
    }
    std::reverse(labels.begin(), labels.end());
    return labels;
  }

 private:
  static constexpr T kNever = -std::numeric_limits<T>::infinity();

  // Logarithms of probabilities.
  struct Scores {
    T all = kNever;
    T blank = kNever;  // that it ends in a blank
    T label = kNever;  // that it ends in its label
  };

  struct Prefix {
    int parent = -1;
    int label = -1;
    Scores before;
    Scores now;
    std::map<int, int> children;  // by label

    bool is_followed() const { return now.all != kNever; }
  };

  // Of equal ones the older is better.
  struct IsBetter {
    const CtcBeam& beam;
    bool operator()(int a, int b) const {
      const T x = beam.score(a);
      const T y = beam.score(b);
      return x != y ? x > y : a < b;
    }
  };

  Prefix& At(int i) { return prefixes_[static_cast<std::size_t>(i)]; }

  static T Sum(T a, T b) {
    if (a == kNever && b == kNever) return kNever;
    return a > b ? a + std::log1p(std::exp(b - a)) : b + std::log1p(std::exp(a - b));
  }

  T LogOfSums(const T* x) const {
    const T most = *std::max_element(x, x + labels_ + 1);
    T sum = 0;
    for (int i = 0; i <= labels_; ++i) sum += std::exp(x[i] - most);
    return most + std::log(sum);
  }

  // The step is the prefix's last label again, or a blank.
  void Stay(Prefix& prefix, const T* x, T offset) {
    if (prefix.parent >= 0) {
      const Prefix& parent = At(prefix.parent);
      if (parent.is_followed()) {
        const bool repeats = prefix.label == parent.label;
        prefix.now.label = Sum(prefix.now.label, repeats ? parent.before.blank : parent.before.all);
      }
      prefix.now.label += x[prefix.label] - offset;
    }
    prefix.now.blank = prefix.before.all + x[labels_] - offset;
    prefix.now.all = Sum(prefix.now.blank, prefix.now.label);
  }

  bool IsCandidate(const Scores& scores) const {
    return scores.all > kNever &&
           (followed_.size() < width_ || scores.all > score(followed_.front()));
  }

  void Extend(int prefix, const T* x, T offset) {
    if (!IsCandidate(At(prefix).before)) return;
    for (int label = 0; label < labels_; ++label) {
      const int child = ChildOf(prefix, label);
      if (At(child).is_followed()) continue;
      const Prefix& parent = At(prefix);
      Scores scores;
      const T before = label == parent.label ? parent.before.blank : parent.before.all;
      scores.label = x[label] - offset + before;
      scores.all = scores.label;
      At(child).before = Scores();
      if (!IsCandidate(scores)) continue;
      if (followed_.size() == width_) {
        std::pop_heap(followed_.begin(), followed_.end(), IsBetter{*this});
        At(followed_.back()).now = Scores();
        followed_.pop_back();
      }
      At(child).now = scores;
      followed_.push_back(child);
      std::push_heap(followed_.begin(), followed_.end(), IsBetter{*this});
    }
  }

  int ChildOf(int prefix, int label) {
    const auto [place, is_new] =
        At(prefix).children.emplace(label, static_cast<int>(prefixes_.size()));
    const int child = place->second;
    if (is_new) {
      Prefix made;
      made.parent = prefix;
      made.label = label;
      prefixes_.push_back(std::move(made));
    }
    return child;
  }

  std::size_t width_;
  int labels_;
  std::vector<Prefix> prefixes_;  // the first is the empty one
  std::vector<int> followed_;
};

}  // namespace internal

// x: (steps, batch, labels and the blank after them); lengths: (batch), steps that count. labels:
// (paths, batch, steps), the best path first, -1 after its end; scores: (batch, paths), the
// logarithms of their probabilities. Errors: lengths beyond the steps; fewer prefixes than paths.
template <class T>
Status CtcBeamSearch(const CtcBeamSearchParams& p, TensorView<const T> x,
                     TensorView<const std::int64_t> lengths, TensorView<std::int64_t> labels,
                     TensorView<T> scores) {
  const std::int64_t steps = x.shape[0];
  const std::int64_t batch = x.shape[1];
  const std::int64_t classes = x.shape[2];
  std::fill(labels.data, labels.data + labels.size(), std::int64_t{-1});
  if (classes < 1) return Status::Error("a beam search without a blank");
  for (std::int64_t row = 0; row < batch; ++row) {
    if (lengths[row] < 0 || lengths[row] > steps)
      return Status::Error("a sequence of a beam search is longer than there are steps");
    internal::CtcBeam<T> beam(static_cast<std::size_t>(p.beam_width),
                              static_cast<int>(classes) - 1);
    for (std::int64_t t = 0; t < lengths[row]; ++t) beam.Step(x.data + (t * batch + row) * classes);
    beam.Sort();
    if (static_cast<std::int64_t>(beam.followed().size()) < p.top_paths)
      return Status::Error("a beam search has fewer paths than are asked for");
    for (std::int64_t path = 0; path < p.top_paths; ++path) {
      const int prefix = beam.followed()[static_cast<std::size_t>(path)];
      const std::vector<int> found = beam.Labels(prefix, p.merge_repeated);
      std::copy(found.begin(), found.end(), labels.data + (path * batch + row) * steps);
      scores[row * p.top_paths + path] = beam.score(prefix);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CTC_BEAM_SEARCH_H_
