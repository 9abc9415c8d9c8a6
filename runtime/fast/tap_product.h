// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose in f32 as products and sums: the weights of each output and tap times the image
// give an image of parts, and the result of an output sums those of its taps, each shifted and
// spread by the stride. Only runtime/fast includes this.
//
// The result comes in slabs along its first spatial axis, and in blocks of outputs, so that the
// parts stay in the cache. Elements of the image that reach two slabs are multiplied for each: no
// slab waits for another.
#ifndef DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/fast/aligned_floats.h"
#include "runtime/fast/context.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/conv_transpose.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

class TapProduct {
 public:
  // Copies `weights` (of sizes w: 1 to 3 spatial axes, nothing empty) and `bias` (may be null), for
  // images of any size. Throws std::bad_alloc.
  void Pack(const Shape& w, std::int64_t groups, const float* weights, const float* bias,
            const PostOps& post, const PackingOrigin& origin = {});
  // The sizes of x in the runs that follow, and the window that belongs to them. Throws
  // std::bad_alloc, where they are larger than those before.
  void Resize(const Shape& x, const Window& window);

  // Row-major x, y and, if post.residual, residual (of y's sizes; may be y itself). `scratch` has
  // ScratchBytes() and is aligned to 64.
  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept;
  std::int64_t ScratchBytes() const noexcept;

 private:
  static constexpr int kAxes = 3;  // those that are missing come first and have one element

  struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
  };
  // An element of the image, and the tap by which it reaches an element of the result.
  struct Reach {
    std::int64_t input, tap;
  };
  // It takes element i of the image to element (i + shift) * stride + phase of the result.
  struct Tap {
    std::int64_t number, shift, phase;
  };
  struct Axis {
    WindowAxis window;
    std::vector<Tap> taps;             // by phase
    std::vector<Reach> reaches;        // of each element of the result in turn
    std::vector<std::int64_t> begins;  // of each element's in `reaches`, and the end
    std::int64_t most = 0;             // of an element

    void Fill(const WindowAxis& axis);
    // Calls body(reach) for each that reaches such an element of the result.
    template <class Body>
    void Each(std::int64_t result, Body body) const {
      const auto at = static_cast<std::size_t>(result);
      for (std::int64_t r = begins[at]; r < begins[at + 1]; ++r)
        body(reaches[static_cast<std::size_t>(r)]);
    }
    // The elements of the image that reach such ones of the result.
    Range Reaching(Range results) const;
    std::int64_t MostReaching(std::int64_t results) const;
  };
  // What one thread computes at a time.
  struct Piece {
    std::int64_t image;     // of the batch
    Range results, inputs;  // along the first axis
    std::int64_t pixels;    // elements of the image
    std::int64_t lanes;     // the same, of whole vectors
  };
  // Next parts of a tap that are added to next elements of a phase of a line.
  struct Term {
    std::int64_t from, to, count;
    bool starts;  // the bias is added, too, in place of what was there; alone, if `from` is < 0
  };
  struct Buffers {
    float* panels;       // of the image
    float* parts;        // of a block of outputs: for each output and tap, those of all elements
    float* line;         // of the result: for each phase of the stride, its elements
    float* sums;         // a slab of the result
    Term* terms;         // of one output, line by line
    std::int64_t* ends;  // of each line's in `terms`
  };
  struct Lines;

  // Scratch memory of one thread; adds up its bytes if there is none.
  Buffers Divide(char* scratch, std::int64_t* bytes) const;
  Piece PieceAt(std::int64_t number) const;
  void RunPiece(const Piece& piece, Range blocks, const float* x, const float* residual, float* y,
                const Buffers& buffers) const;
  void PackPanels(const Piece& piece, std::int64_t group, const float* x, float* panels) const;
  void Multiply(const Piece& piece, std::int64_t group, Range outputs,
                const Buffers& buffers) const;
  static void Sum(const Lines& lines, const float* parts, float bias, float* line, float* to);
  Lines FindTerms(const Piece& piece, const Buffers& buffers) const;
  Term* FindTerms(const Piece& piece, std::int64_t row, std::int64_t middle, Term* term) const;
  Range Results(const Piece& piece, int axis) const;
  Range Inputs(const Piece& piece, int axis) const;
  void Finish(const float* residual, std::int64_t count, float* sums, float* y) const;
  std::int64_t PhaseFloats() const;  // of a line
  std::int64_t Blocks() const { return (outputs_ + block_ - 1) / block_; }

  std::array<Axis, kAxes> axes_;
  int first_ = 0;                                         // axis that the operator has
  std::int64_t groups_ = 1, channels_ = 0, outputs_ = 0;  // the last two of a group
  std::int64_t taps_ = 1;
  std::int64_t weights_row_ = 0;  // floats between two rows of weights
  std::int64_t block_ = 1;        // outputs whose parts are computed together
  SharedFloats weights_;          // for each output and tap a row of channels
  std::vector<float> bias_;
  PostOps post_;
  std::int64_t batch_ = 0;
  std::int64_t pixels_ = 1, elements_ = 1;  // of the image and of the result, of a slab of one
  std::int64_t slab_ = 1, slabs_ = 1;       // results along the first axis, of each; how many
  std::int64_t most_lanes_ = 0;             // of a piece
  std::int64_t most_threads_ = 1;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_TAP_PRODUCT_H_
