// Attributes of ReverseSequence.
#ifndef DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_
#define DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_

#include <cstdint>

namespace dragoman::rt {

// One axis is 0, the other 1.
struct ReverseSequenceParams {
  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("batch_axis", self.batch_axis);
    f("time_axis", self.time_axis);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_REVERSE_SEQUENCE_H_
