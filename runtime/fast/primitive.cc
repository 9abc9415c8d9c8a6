#include "runtime/fast/primitive.h"

#include <cstring>

namespace dragoman::rt {

namespace {

void AppendActivation(const PostOps& post, dnnl::post_ops* ops) {
  using dnnl::algorithm;
  using dnnl_compat::AppendEltwise;
  switch (post.activation) {
    case FusedActivation::kNone:
      return;
    case FusedActivation::kRelu:
      return AppendEltwise(ops, algorithm::eltwise_relu, 0.0f, 0.0f);
    case FusedActivation::kClip:
      return AppendEltwise(ops, algorithm::eltwise_clip, post.alpha, post.beta);
    case FusedActivation::kSigmoid:
      return AppendEltwise(ops, algorithm::eltwise_logistic, 0.0f, 0.0f);
    case FusedActivation::kTanh:
      return AppendEltwise(ops, algorithm::eltwise_tanh, 0.0f, 0.0f);
    case FusedActivation::kGelu:
      return AppendEltwise(ops, algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
    case FusedActivation::kGeluTanh:
      return AppendEltwise(ops, algorithm::eltwise_gelu_tanh, 0.0f, 0.0f);
    case FusedActivation::kHardSwish:
      // 2.x has these constants built in; 3.x takes them.
      return AppendEltwise(ops, algorithm::eltwise_hardswish, 1.0f / 6.0f, 0.5f);
    case FusedActivation::kSwish:
      return AppendEltwise(ops, algorithm::eltwise_swish, 1.0f, 0.0f);
  }
}

}  // namespace

dnnl_memory_t Primitive::Bind(int argument, const dnnl::memory::desc& desc) {
  Own(argument, dnnl::memory(desc, context_->engine, DNNL_MEMORY_NONE));
  return arguments_[count_ - 1].memory;
}

void Primitive::Own(int argument, const dnnl::memory& memory) {
  memories_[count_] = memory;
  arguments_[count_] = {argument, memory.get()};
  ++count_;
}

Status Primitive::Run(const float* residual, float* y, void* scratch) noexcept {
  if (residual_ && residual != y) std::memcpy(y, residual, result_bytes_);
  SetData(result_, y);
  SetData(scratch_, scratch);
  const dnnl_stream_t stream = context_->stream.get();
  if (dnnl_primitive_execute(primitive_.get(), stream, count_, arguments_) != dnnl_success ||
      dnnl_stream_wait(stream) != dnnl_success) {
    return Status::Error("a oneDNN primitive failed");
  }
  return Status();
}

dnnl::primitive_attr MakeAttributes(const PostOps& post) {
  dnnl::post_ops ops;
  if (post.residual) ops.append_sum(1.0f);
  AppendActivation(post, &ops);
  dnnl::primitive_attr attr;
  attr.set_post_ops(ops);
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::memory::desc StridedDesc(const dnnl::memory::dims& sizes, const dnnl::memory::dims& strides) {
  return dnnl::memory::desc(sizes, dnnl::memory::data_type::f32, strides);
}

dnnl::memory::desc PlainDesc(const dnnl::memory::dims& sizes) {
  dnnl::memory::dims strides(sizes.size());
  dnnl::memory::dim stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return StridedDesc(sizes, strides);
}

dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes) {
  return dnnl::memory::desc(sizes, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any);
}

dnnl::memory::dims ToDims(const Shape& shape) {
  return dnnl::memory::dims(shape.begin(), shape.end());
}

dnnl_compat::WindowDims ToWindowDims(const Window& window) {
  dnnl_compat::WindowDims dims;
  for (int i = 0; i < window.rank; ++i) {
    const WindowAxis& axis = window.axes[i];
    dims.kernel.push_back(axis.kernel);
    dims.strides.push_back(axis.stride);
    dims.dilates.push_back(axis.dilation - 1);
    dims.pad_begin.push_back(axis.pad_begin);
    dims.pad_end.push_back(axis.pad_end);
  }
  return dims;
}

dnnl::memory Reordered(const FastContext& context, const dnnl::memory::desc& from,
                       const float* data, const dnnl::memory::desc& to) {
  FastContext::Impl& impl = context.impl();
  dnnl::memory source(from, impl.engine, const_cast<float*>(data));
  dnnl::memory target(to, impl.engine);
  dnnl::reorder(source, target).execute(impl.stream, source, target);
  impl.stream.wait();
  return target;
}

bool HasElements(const Shape& shape) {
  for (std::int64_t size : shape) {
    if (size == 0) return false;
  }
  return true;
}

}  // namespace dragoman::rt
