// SPDX-License-Identifier: Apache-2.0
// What a trace has to guess: where several places of a result could hold the samples, one is taken,
// and another if a node after it cannot work with that.
#ifndef DRAGOMAN_CORE_RESIZE_CHOICES_H_
#define DRAGOMAN_CORE_RESIZE_CHOICES_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

class Choices {
 public:
  // Which of `count` places is taken at `site`: the one that was settled, or the one that held at
  // the last site with this `pattern`, or the first.
  std::size_t Choose(std::size_t site, std::size_t count, const std::string& pattern);
  // Takes the next place at the last of `sites` that has one; those that were chosen after it are
  // free again. False: there is none.
  bool TryNext(const std::set<std::size_t>& sites);
  // Before a trace.
  void Restart() { made_.clear(); }

 private:
  struct Choice {
    std::size_t site = 0;
    std::size_t count = 0;
    std::size_t first = 0;  // where the count began, modulo `count`
    std::size_t tried = 0;
    std::string pattern;
  };

  std::vector<Choice> made_;                     // of this trace, in order
  std::map<std::size_t, Choice> settled_;        // by site
  std::map<std::string, std::size_t> patterns_;  // what is tried first
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_CHOICES_H_
