// Attributes of ScatterElements and ScatterND. The result has the sizes of `data`.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_
#define DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_

#include <cstdint>

namespace dragoman::rt {

enum class ScatterReduction { kNone, kAdd, kMul, kMax, kMin };

constexpr const char* Name(ScatterReduction reduction) {
  constexpr const char* kNames[] = {"kNone", "kAdd", "kMul", "kMax", "kMin"};
  return kNames[static_cast<int>(reduction)];
}

struct ScatterElementsParams {
  std::int64_t axis = 0;
  ScatterReduction reduction = ScatterReduction::kNone;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("reduction", self.reduction);
  }
};

struct ScatterNdParams {
  ScatterReduction reduction = ScatterReduction::kNone;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("reduction", self.reduction);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_
