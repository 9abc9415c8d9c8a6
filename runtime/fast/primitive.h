// What the prepared operators over oneDNN have in common. Only .cc files of runtime/fast include
// this.
#ifndef DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_
#define DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/dnnl_compat.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

struct FastContext::Impl {
  dnnl::engine engine;
  dnnl::stream stream;
};

// A oneDNN primitive with its arguments, executed without allocation by this side.
class Primitive {
 public:
  // `desc` must not be empty. Throws dnnl::error.
  template <class Desc, class Made>
  void Create(const FastContext& context, const Desc& desc, const Made& made, bool residual) {
    context_ = &context.impl();
    primitive_ = made;
    residual_ = residual;
    result_bytes_ = desc.dst_desc().get_size();
    scratch_bytes_ = desc.scratchpad_desc().get_size();
    scratch_ = Bind(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc());
    result_ = Bind(DNNL_ARG_DST, desc.dst_desc());
  }

  // Adds an argument whose data is set before each run, or one that owns its data.
  dnnl_memory_t Bind(int argument, const dnnl::memory::desc& desc);
  void Own(int argument, const dnnl::memory& memory);

  void SetData(dnnl_memory_t memory, const void* data) {
    dnnl_memory_set_data_handle(memory, const_cast<void*>(data));
  }
  Status Run(const float* residual, float* y, void* scratch) noexcept;

  std::int64_t scratch_bytes() const { return static_cast<std::int64_t>(scratch_bytes_); }

 private:
  static constexpr int kMaxArguments = 6;

  FastContext::Impl* context_ = nullptr;
  dnnl::primitive primitive_;
  dnnl::memory memories_[kMaxArguments];
  dnnl_exec_arg_t arguments_[kMaxArguments];
  int count_ = 0;
  bool residual_ = false;
  std::size_t result_bytes_ = 0;
  std::size_t scratch_bytes_ = 0;
  dnnl_memory_t scratch_ = nullptr;
  dnnl_memory_t result_ = nullptr;
};

// Attributes with `post` and a scratchpad of the caller's.
dnnl::primitive_attr MakeAttributes(const PostOps& post);

// A row-major f32 tensor, one with given strides, and one whose layout oneDNN chooses.
dnnl::memory::desc PlainDesc(const dnnl::memory::dims& sizes);
dnnl::memory::desc StridedDesc(const dnnl::memory::dims& sizes, const dnnl::memory::dims& strides);
dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes);

dnnl::memory::dims ToDims(const Shape& shape);
dnnl_compat::WindowDims ToWindowDims(const Window& window);

// `data`, laid out as `from`, copied into new memory laid out as `to`. Throws dnnl::error.
dnnl::memory Reordered(const FastContext& context, const dnnl::memory::desc& from,
                       const float* data, const dnnl::memory::desc& to);

// True if no size is 0.
bool HasElements(const Shape& shape);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PRIMITIVE_H_
