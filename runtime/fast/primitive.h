// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the prepared operators over oneDNN have in common. Only .cc files of runtime/fast include
// this.
#ifndef DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_
#define DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/context.h"
#include "runtime/fast/dnnl_compat.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/params/window.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

struct FastContext::Impl {
  dnnl::engine engine;
  dnnl::stream stream;
};

// Copies a tensor from one layout to another; false until Create is called.
class Relayout {
 public:
  // Throws dnnl::error.
  void Create(FastContext::Impl& context, const dnnl::memory::desc& from,
              const dnnl::memory::desc& to);
  explicit operator bool() const { return context_ != nullptr; }

  // The memory that `to` needs, aligned; 0 if there is nothing to copy.
  std::int64_t bytes() const { return bytes_; }
  // False if it failed.
  bool Run(const void* from, void* to) noexcept;

 private:
  FastContext::Impl* context_ = nullptr;
  dnnl::memory from_, to_;
  dnnl::reorder reorder_;
  std::int64_t bytes_ = 0;
};

// A oneDNN primitive with its arguments, executed without allocation by this side. An operand or
// the result may lie otherwise than the primitive wants: then a reorder goes before or after it,
// by way of the scratch memory.
class Primitive {
 public:
  // `desc` must not be empty. The result is to lie as `y`. Throws dnnl::error.
  template <class Desc, class Made>
  void Create(const FastContext& context, const Desc& desc, const Made& made, bool residual,
              const dnnl::memory::desc& y) {
    context_ = &context;
    primitive_ = made;
    residual_ = residual;
    implementation_ = desc.impl_info_str();
    scratch_bytes_ = AlignedBytes(static_cast<std::int64_t>(desc.scratchpad_desc().get_size()));
    scratch_ = Bind(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    CreateResult(desc.dst_desc(), y);
  }

  // Adds an operand that lies as `given`, where the primitive wants it as `wanted`.
  void BindOperand(int argument, const dnnl::memory::desc& given, const dnnl::memory::desc& wanted);
  // Adds an operand of such sizes that lies as `given` and is the part of what the primitive wants
  // that begins at `at`; around it are zeros. Its blocks of channels are whole.
  void BindPart(int argument, const dnnl::memory::desc& given, const dnnl::memory::desc& wanted,
                const dnnl::memory::dims& sizes, const dnnl::memory::dims& at);
  // Adds an argument that owns its data.
  void Own(int argument, const dnnl::memory& memory);
  // Adds the weights `data`, laid out as `to`, which primitives of other objects may share.
  void OwnWeights(const PackingOrigin& origin, const dnnl::memory::desc& from, const float* data,
                  const dnnl::memory::desc& to);

  // Makes a primitive of the same descriptors with other attributes. Throws dnnl::error.
  using Make = std::function<dnnl::primitive(const dnnl::primitive_attr&)>;
  // Call it if there is an activation: oneDNN's give numbers for NaN, relu 0. Where an operand of a
  // call holds NaN or an infinity, or a constant does (`constants_finite` is false), a primitive
  // without activation runs in place of the fused one, and a loop of our own after it.
  void KeepNan(const PostOps& post, bool constants_finite, Make make);

  // `operands` in the order in which they were bound. `residual` lies as the result.
  Status Run(std::initializer_list<const void*> operands, const void* residual, void* y,
             void* scratch) noexcept;

  std::int64_t scratch_bytes() const { return scratch_bytes_; }
  // oneDNN's name of it: "jit:avx2".
  const char* implementation() const { return implementation_; }

 private:
  static constexpr int kMaxArguments = 6;
  static constexpr int kMaxOperands = 2;

  // The primitive's own argument and, where the tensor lies otherwise outside, what copies it.
  struct Port {
    dnnl_memory_t argument = nullptr;
    Relayout relayout;
    std::int64_t offset = 0;   // of the primitive's form in the scratch memory
    std::size_t cleared = 0;   // bytes that must be zeros before the copy
    dnnl::memory::desc given;  // how the tensor lies outside
  };
  // In place of the fused primitive, made when it is needed first.
  struct Unfused {
    PostOps post;
    bool constants_finite = true;
    Make make;
    bool is_made = false;
    dnnl::primitive primitive;
  };

  static void SetData(dnnl_memory_t memory, const void* data) {
    dnnl_memory_set_data_handle(memory, const_cast<void*>(data));
  }
  dnnl_memory_t Bind(int argument, const dnnl::memory::desc& desc);
  void CreateResult(const dnnl::memory::desc& made, const dnnl::memory::desc& wanted);
  // With scratch memory if `elsewhere`.
  Port MakePort(int argument, const dnnl::memory::desc& inside, bool elsewhere);
  bool LoadResidual(const void* residual, void* y, char* scratch) noexcept;
  bool AreFinite(std::initializer_list<const void*> operands, const void* residual) const noexcept;
  bool MayMeetNan(std::initializer_list<const void*> operands, const void* residual) noexcept;
  bool Execute(const dnnl::primitive& primitive) noexcept;
  bool ExecuteUnfused(void* y) noexcept;

  const FastContext* context_ = nullptr;
  dnnl::primitive primitive_;
  std::unique_ptr<Unfused> unfused_;
  dnnl::memory memories_[kMaxArguments];
  std::shared_ptr<const void> weights_;  // what one of them refers to
  dnnl_exec_arg_t arguments_[kMaxArguments];
  int count_ = 0;
  Port operands_[kMaxOperands];
  int num_operands_ = 0;
  Port result_;
  Relayout load_residual_;
  std::size_t result_bytes_ = 0;
  bool is_half_ = false;  // the result as it is made: bf16
  bool residual_ = false;
  std::int64_t scratch_bytes_ = 0;
  dnnl_memory_t scratch_ = nullptr;
  const char* implementation_ = "";
};

// Whether a tensor of f32 or bf16 that lies as `desc` holds neither NaN nor infinities.
bool IsFinite(const dnnl::memory::desc& desc, const void* data) noexcept;

// Attributes with `post` and a scratchpad of the caller's.
dnnl::primitive_attr MakeAttributes(const PostOps& post);

// A row-major tensor, one with given strides, and one whose layout oneDNN chooses.
using DataType = dnnl::memory::data_type;
dnnl::memory::desc PlainDesc(const dnnl::memory::dims& sizes, DataType type = DataType::f32);
dnnl::memory::desc StridedDesc(const dnnl::memory::dims& sizes, const dnnl::memory::dims& strides,
                               DataType type = DataType::f32);
dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes, DataType type = DataType::f32);
// One in blocks of channels (blocked_sizes.h); rank 3 to 5 unless `block` is kRowMajor.
dnnl::memory::desc BlockedDesc(const Shape& shape, std::int64_t block,
                               DataType type = DataType::f32);
// The block of a desc of `shape`; 0 if it lies in another way.
std::int64_t BlockOf(const dnnl::memory::desc& desc, const Shape& shape);

dnnl::memory::dims ToDims(const Shape& shape);
dnnl_compat::WindowDims ToWindowDims(const Window& window);

// `data`, laid out as `from`, copied into new memory laid out as `to`. Throws dnnl::error.
dnnl::memory Reordered(const FastContext& context, const dnnl::memory::desc& from,
                       const float* data, const dnnl::memory::desc& to);

// True if no size is 0.
bool HasElements(const Shape& shape);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_
