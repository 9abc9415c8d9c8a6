// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of DepthToSpace and SpaceToDepth.
#ifndef DRAGOMAN_RUNTIME_PARAMS_DEPTH_TO_SPACE_H_
#define DRAGOMAN_RUNTIME_PARAMS_DEPTH_TO_SPACE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Depth varies first over columns then rows of a block (DCR), or the block within a channel (CRD).
enum class DepthToSpaceMode { kDcr, kCrd };

constexpr const char* Name(DepthToSpaceMode mode) {
  return mode == DepthToSpaceMode::kDcr ? "kDcr" : "kCrd";
}

struct DepthToSpaceParams {
  std::int64_t blocksize = 1;
  DepthToSpaceMode mode = DepthToSpaceMode::kDcr;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("blocksize", self.blocksize);
    f("mode", self.mode);
  }
};

struct SpaceToDepthParams {
  std::int64_t blocksize = 1;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("blocksize", self.blocksize);
  }
};

constexpr Status DepthToSpaceShape(const DepthToSpaceParams& p, const Shape& input, Shape* output) {
  if (input.size() != 4) return Status::Error("the operand is not of rank 4");
  std::int64_t block = 0;
  if (p.blocksize < 1) return Status::Error("the block size is not positive");
  DRAGOMAN_RT_TRY(CheckedMul(p.blocksize, p.blocksize, &block));
  if (input[1] % block != 0) return Status::Error("the depth is not a multiple of the block");
  *output = {input[0], input[1] / block, 0, 0};
  DRAGOMAN_RT_TRY(CheckedMul(input[2], p.blocksize, &(*output)[2]));
  return CheckedMul(input[3], p.blocksize, &(*output)[3]);
}

constexpr Status SpaceToDepthShape(const SpaceToDepthParams& p, const Shape& input, Shape* output) {
  if (input.size() != 4) return Status::Error("the operand is not of rank 4");
  if (p.blocksize < 1) return Status::Error("the block size is not positive");
  if (input[2] % p.blocksize != 0 || input[3] % p.blocksize != 0) {
    return Status::Error("a spatial size is not a multiple of the block");
  }
  *output = {input[0], 0, input[2] / p.blocksize, input[3] / p.blocksize};
  DRAGOMAN_RT_TRY(CheckedMul(input[1], p.blocksize, &(*output)[1]));
  return CheckedMul((*output)[1], p.blocksize, &(*output)[1]);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_DEPTH_TO_SPACE_H_
