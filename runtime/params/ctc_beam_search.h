// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of CtcBeamSearch.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CTC_BEAM_SEARCH_H_
#define DRAGOMAN_RUNTIME_PARAMS_CTC_BEAM_SEARCH_H_

#include <cstdint>

namespace dragoman::rt {

struct CtcBeamSearchParams {
  std::int64_t beam_width = 100;  // how many prefixes are followed; positive
  std::int64_t top_paths = 1;     // how many of them are results; positive
  bool merge_repeated = true;     // equal labels side by side in a result are one

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("beam_width", self.beam_width);
    f("top_paths", self.top_paths);
    f("merge_repeated", self.merge_repeated);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CTC_BEAM_SEARCH_H_
