#include "runtime/fast/channels_last.h"

#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kGrain = 1 << 15;  // elements that a thread is worth

}  // namespace

void ChannelsLastToRowMajor(TensorView<const std::uint8_t> x, TensorView<std::uint8_t> y) noexcept {
  const std::int64_t channels = x.shape[1], plane = x.size() / x.shape[0] / channels;
  Parallel(x.shape[0] * channels, kGrain / plane + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::uint8_t* from = x.data + line / channels * channels * plane + line % channels;
      std::uint8_t* to = y.data + line * plane;
      for (std::int64_t i = 0; i < plane; ++i) to[i] = from[i * channels];
    }
  });
}

}  // namespace dragoman::rt
