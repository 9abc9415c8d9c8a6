// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/map.h"

#include <algorithm>

#include "runtime/fast/parallel.h"
#include "runtime/kernels/elementwise.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kPiece = 512;  // elements for which values that repeat are written out
constexpr std::int64_t kMapGrain = 1 << 14;  // elements a thread is worth
constexpr std::int64_t kShortestRun = 16;    // of one channel block, else rows are longer
constexpr std::int64_t kShortRow = 48;       // up to which rows cost more than writing them out

// How an operand walks along the results.
enum class Walk { kFull, kSingle, kChannel, kOther };

Walk WalkOf(const Shape& operand, const Shape& result) {
  const std::int64_t count = NumElements(operand);
  if (count == NumElements(result)) return Walk::kFull;
  if (count == 1) return Walk::kSingle;
  const int lead = result.size() - operand.size();
  if (result.size() < 2 || lead > 1 || count % result[1] != 0) return Walk::kOther;
  if (operand[1 - lead] != result[1] || (lead == 0 && operand[0] != 1 && operand[0] != result[0]))
    return Walk::kOther;
  for (int i = 2; i < result.size(); ++i) {
    if (operand[i - lead] != 1) return Walk::kOther;
  }
  return Walk::kChannel;
}

class MapRun {
 public:
  MapRun(MapChunk chunk, const void* body, const FloatSource* operands, int num_operands,
         const FloatTarget* results, int num_results)
      : chunk_(chunk),
        body_(body),
        operands_(operands),
        num_operands_(num_operands),
        results_(results),
        num_results_(num_results) {
    for (int i = 0; i < num_operands; ++i) {
      walks_[i] = WalkOf(operands[i].shape, results[0].shape);
      all_full_ = all_full_ && walks_[i] == Walk::kFull;
      any_channel_ = any_channel_ || walks_[i] == Walk::kChannel;
      any_other_ = any_other_ || walks_[i] == Walk::kOther;
      any_half_ = any_half_ || operands[i].half != nullptr;
    }
    for (int k = 0; k < num_results; ++k) any_half_ = any_half_ || results[k].half != nullptr;
  }

  bool IsFlat() const { return !any_channel_ && !any_other_; }
  bool WalksByChannel(std::int64_t block) const {
    if (any_other_ || results_[0].shape.size() < 2) return false;
    const BlockedSizes sizes(results_[0].shape, block);
    return sizes.spatial * block >= (block == kRowMajor ? kShortRow + 1 : kShortestRun);
  }

  // Elements [begin, end) of the memory of the results, where all operands are full or single.
  void Flat(std::int64_t begin, std::int64_t end) const { Pieces({}, begin, end); }

  void Channels(const BlockedSizes& sizes, std::int64_t begin, std::int64_t end) const {
    const std::int64_t step = sizes.spatial * sizes.block;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i % sizes.channel_blocks * sizes.block;
      const Channel channel{i / sizes.channel_blocks, first,
                            std::min(sizes.block, sizes.channels - first), sizes.block,
                            sizes.channels};
      Pieces(channel, i * step, (i + 1) * step);
    }
  }

  // Results that are padded keep zeros in their last channels.
  void ClearPadding(const BlockedSizes& sizes) const {
    const std::int64_t used = sizes.channels % sizes.block;
    if (used == 0) return;
    for (int k = 0; k < num_results_; ++k) {
      for (std::int64_t n = 1; n <= sizes.n; ++n) {
        const std::int64_t last = (n * sizes.channel_blocks - 1) * sizes.spatial * sizes.block;
        for (std::int64_t s = 0; s < sizes.spatial; ++s)
          Clear(results_[k], last + s * sizes.block + used, sizes.block - used);
      }
    }
  }

  // Any broadcasting, row by row of a BroadcastPlan for at most N operands.
  template <int N>
  void Rows() const {
    const Shape& result = results_[0].shape;
    const Shape* shapes[N];
    for (int k = 0; k < N; ++k) shapes[k] = k < num_operands_ ? &operands_[k].shape : &result;
    const BroadcastPlan<N> plan(result, shapes);
    const std::int64_t count = plan.sizes.back();
    if (count <= kShortRow) return ShortRows<N>(plan, count);
    std::int64_t done = 0;
    plan.ForEachRow([&](const std::int64_t* offsets) {
      Row<N>(plan, offsets, done, count);
      done += count;
    });
  }

 private:
  struct Channel {
    std::int64_t n = 0, first = 0, used = 1, block = 1, channels = 1;
  };

  static void Clear(const FloatTarget& y, std::int64_t at, std::int64_t count) {
    float room[kMaxBlock];
    std::fill_n(y.Place(at, room), count, 0.0f);
    y.Write(at, count, room);
  }

  bool Moves(int operand) const { return walks_[operand] == Walk::kFull; }

  // Values that repeat with the period of a block.
  void Repeat(int operand, const Channel& channel, std::int64_t count, float* values) const {
    const FloatSource& x = operands_[operand];
    float room[kMaxBlock];
    if (walks_[operand] == Walk::kSingle) {
      std::fill_n(values, count, *x.Read(0, 1, room));
      return;
    }
    const bool each = NumElements(x.shape) > channel.channels;
    const std::int64_t first = (each ? channel.n * channel.channels : 0) + channel.first;
    const std::int64_t used = std::min(channel.used, count);
    std::fill_n(values, std::min(channel.block, count), 0.0f);
    std::copy_n(x.Read(first, used, room), used, values);
    for (std::int64_t i = channel.block; i < count; ++i) values[i] = values[i - channel.block];
  }

  void Pieces(const Channel& channel, std::int64_t begin, std::int64_t end) const {
    float repeated[kMaxMapOperands][kPiece];
    const bool at_once = all_full_ && !any_half_;
    const std::int64_t length = at_once ? end - begin : std::min(kPiece, end - begin);
    for (int k = 0; k < num_operands_; ++k) {
      if (!Moves(k)) Repeat(k, channel, length, repeated[k]);
    }
    const float* x[kMaxMapOperands];
    for (std::int64_t i = begin; i < end; i += length) {
      const std::int64_t count = std::min(length, end - i);
      for (int k = 0; k < num_operands_; ++k)
        x[k] = Moves(k) ? operands_[k].Read(i, count, repeated[k]) : repeated[k];
      Chunk(x, i, count);
    }
  }

  // Elements [at, at + count) of the results: at most kPiece if a tensor is in bf16.
  void Chunk(const float* const* x, std::int64_t at, std::int64_t count) const {
    float rooms[kMaxMapResults][kPiece];
    float* y[kMaxMapResults];
    for (int k = 0; k < num_results_; ++k) y[k] = results_[k].Place(at, rooms[k]);
    chunk_(body_, x, y, count);
    for (int k = 0; k < num_results_; ++k) results_[k].Write(at, count, rooms[k]);
  }

  // A piece of rows at a time, for which operands that do not lie like the results are written out.
  template <int N>
  void ShortRows(const BroadcastPlan<N>& plan, std::int64_t count) const {
    float pieces[kMaxMapOperands][kPiece];
    std::int64_t done = 0, filled = 0;
    const auto flush = [&] {
      const float* x[kMaxMapOperands];
      for (int k = 0; k < num_operands_; ++k)
        x[k] = Moves(k) ? operands_[k].Read(done, filled, pieces[k]) : pieces[k];
      Chunk(x, done, filled);
      done += filled;
      filled = 0;
    };
    for (int k = 0; k < num_operands_; ++k) {
      float room;
      if (walks_[k] == Walk::kSingle)
        std::fill_n(pieces[k], kPiece, *operands_[k].Read(0, 1, &room));
    }
    plan.ForEachRow([&](const std::int64_t* offsets) {
      if (filled + count > kPiece) flush();
      for (int k = 0; k < num_operands_; ++k) {
        if (!Moves(k) && walks_[k] != Walk::kSingle)
          WriteOut(operands_[k], offsets[k], plan.strides[k].back() != 0, count,
                   pieces[k] + filled);
      }
      filled += count;
    });
    flush();
  }

  // A row of at most kShortRow elements, which are all the same unless it moves.
  static void WriteOut(const FloatSource& x, std::int64_t at, bool moves, std::int64_t count,
                       float* to) {
    float room[kShortRow];
    const float* from = x.Read(at, moves ? count : 1, room);
    if (moves) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
    } else {
      const float value = *from;
      for (std::int64_t i = 0; i < count; ++i) to[i] = value;
    }
  }

  template <int N>
  void Row(const BroadcastPlan<N>& plan, const std::int64_t* offsets, std::int64_t done,
           std::int64_t count) const {
    float repeated[kMaxMapOperands][kPiece];
    const float* x[kMaxMapOperands];
    bool at_once = !any_half_;
    for (int k = 0; k < num_operands_; ++k) {
      if (plan.strides[k].back() != 0) continue;
      at_once = false;
      float room;
      std::fill_n(repeated[k], std::min(count, kPiece), *operands_[k].Read(offsets[k], 1, &room));
    }
    const std::int64_t length = at_once ? count : std::min(count, kPiece);
    for (std::int64_t i = 0; i < count; i += length) {
      const std::int64_t part = std::min(length, count - i);
      for (int k = 0; k < num_operands_; ++k) {
        const bool repeats = plan.strides[k].back() == 0;
        x[k] = repeats ? repeated[k] : operands_[k].Read(offsets[k] + i, part, repeated[k]);
      }
      Chunk(x, done + i, part);
    }
  }

  MapChunk chunk_;
  const void* body_;
  const FloatSource* operands_;
  int num_operands_;
  const FloatTarget* results_;
  int num_results_;
  Walk walks_[kMaxMapOperands] = {};
  bool all_full_ = true;
  bool any_channel_ = false;
  bool any_other_ = false;
  bool any_half_ = false;
};

}  // namespace

void RunMap(MapChunk chunk, const void* body, std::int64_t block, const FloatSource* operands,
            int num_operands, const FloatTarget* results, int num_results) noexcept {
  const Shape& shape = results[0].shape;
  if (NumElements(shape) == 0) return;
  const MapRun run(chunk, body, operands, num_operands, results, num_results);
  if (run.IsFlat()) {
    const std::int64_t count =
        block == kRowMajor ? NumElements(shape) : BlockedSizes(shape, block).size();
    Parallel(count, kMapGrain, [&](std::int64_t begin, std::int64_t end) { run.Flat(begin, end); });
  } else if (run.WalksByChannel(block)) {
    const BlockedSizes sizes(shape, block);
    Parallel(sizes.n * sizes.channel_blocks, kMapGrain / (sizes.spatial * block) + 1,
             [&](std::int64_t begin, std::int64_t end) { run.Channels(sizes, begin, end); });
  } else if (num_operands <= 2) {
    run.Rows<2>();
  } else if (num_operands <= 4) {
    run.Rows<4>();
  } else {
    run.Rows<kMaxMapOperands>();
  }
  if (block != kRowMajor) run.ClearPadding(BlockedSizes(shape, block));
}

}  // namespace dragoman::rt
