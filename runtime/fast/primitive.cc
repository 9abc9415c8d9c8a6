// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/primitive.h"

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "runtime/fast/activate.h"
#include "runtime/fast/finite.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/params/guarded.h"

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
    case FusedActivation::kHardSigmoid:
      AppendEltwise(ops, algorithm::eltwise_linear, post.alpha, post.beta);
      return AppendEltwise(ops, algorithm::eltwise_clip, 0.0f, 1.0f);
  }
}

// Throws std::bad_alloc.
void ActivateHalf(const PostOps& post, std::int64_t count, const BFloat16* added, BFloat16* y) {
  std::vector<float> wide(static_cast<std::size_t>(count));
  std::vector<float> wide_added(added != nullptr ? wide.size() : 0);
  Widen(y, count, wide.data());
  if (added != nullptr) Widen(added, count, wide_added.data());
  Activate(post, 1, count, count, added != nullptr ? wide_added.data() : nullptr, wide.data());
  Narrow(wide.data(), count, y);
}

}  // namespace

FastContext::Impl& FastContext::MakeImpl() const {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  impl_ = std::make_shared<Impl>(Impl{engine, dnnl::stream(engine)});
  return *impl_;
}

bool IsFinite(const dnnl::memory::desc& desc, const void* data) noexcept {
  const auto bytes = static_cast<std::int64_t>(desc.get_size());
  if (dnnl_compat::TypeOf(desc) == DataType::bf16)
    return AllFinite(static_cast<const BFloat16*>(data), bytes / 2);
  return AllFinite(static_cast<const float*>(data), bytes / 4);
}

void Primitive::KeepNan(const PostOps& post, bool constants_finite, Make make) {
  if (post.activation == FusedActivation::kNone) return;
  unfused_ = std::make_unique<Unfused>();
  unfused_->post = post;
  unfused_->constants_finite = constants_finite;
  unfused_->make = std::move(make);
}

bool Primitive::AreFinite(std::initializer_list<const void*> operands,
                          const void* residual) const noexcept {
  int next = 0;
  for (const void* data : operands) {
    if (!IsFinite(operands_[next++].given, data)) return false;
  }
  return !residual_ || IsFinite(result_.given, residual);
}

bool Primitive::MayMeetNan(std::initializer_list<const void*> operands,
                           const void* residual) noexcept {
  if (!unfused_->constants_finite) return true;
  if (unfused_->post.trusts_operands) return context_->found_nan();
  if (AreFinite(operands, residual)) return false;
  context_->NoteNan();
  return true;
}

bool Primitive::Execute(const dnnl::primitive& primitive) noexcept {
  return dnnl_primitive_execute(primitive.get(), context_->impl().stream.get(), count_,
                                arguments_) == dnnl_success;
}

// `y` lies as the primitive makes it, and holds what is to be added.
bool Primitive::ExecuteUnfused(void* y) noexcept {
  DRAGOMAN_RT_GUARDED {
    PostOps post = unfused_->post;
    post.activation = FusedActivation::kNone;
    post.residual = post.residual && !post.activation_first;
    if (!unfused_->is_made) {
      dnnl::primitive_attr attr = MakeAttributes(post);
      attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
      unfused_->primitive = unfused_->make(attr);
      unfused_->is_made = true;
    }
    std::vector<char> added;
    if (residual_ && !post.residual)
      added.assign(static_cast<char*>(y), static_cast<char*>(y) + result_bytes_);
    if (!Execute(unfused_->primitive) ||
        dnnl_stream_wait(context_->impl().stream.get()) != dnnl_success)
      return false;
    const void* const behind = added.empty() ? nullptr : added.data();
    const auto bytes = static_cast<std::int64_t>(result_bytes_);
    if (is_half_) {
      ActivateHalf(unfused_->post, bytes / 2, static_cast<const BFloat16*>(behind),
                   static_cast<BFloat16*>(y));
    } else {
      Activate(unfused_->post, 1, bytes / 4, bytes / 4, static_cast<const float*>(behind),
               static_cast<float*>(y));
    }
    return true;
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return false; }
}

dnnl_memory_t Primitive::Bind(int argument, const dnnl::memory::desc& desc) {
  Own(argument, dnnl::memory(desc, context_->impl().engine, DNNL_MEMORY_NONE));
  return arguments_[count_ - 1].memory;
}

void Primitive::Own(int argument, const dnnl::memory& memory) {
  memories_[count_] = memory;
  arguments_[count_] = {argument, memory.get()};
  ++count_;
}

void Primitive::OwnWeights(const PackingOrigin& origin, const dnnl::memory::desc& from,
                           const float* data, const dnnl::memory::desc& to) {
  struct Laid {
    dnnl::memory::desc from, to;
    AlignedFloats floats;
  };
  const auto lay = [&] {
    const auto bytes = static_cast<std::int64_t>(to.get_size());
    Laid laid{from, to, NewAlignedFloats(bytes / std::int64_t{sizeof(float)} + 1)};
    dnnl::memory source(from, context_->impl().engine, const_cast<float*>(data));
    dnnl::memory target(to, context_->impl().engine, laid.floats.get());
    dnnl::reorder(source, target).execute(context_->impl().stream, source, target);
    context_->impl().stream.wait();
    return std::make_shared<const Laid>(std::move(laid));
  };
  // The layouts, of which numbers say little, are compared.
  auto laid =
      origin.Packed(PackedForm::kPrimitive, {static_cast<std::int64_t>(to.get_size())}, lay);
  if (!(laid->from == from) || !(laid->to == to)) laid = lay();
  Own(DNNL_ARG_WEIGHTS, dnnl::memory(to, context_->impl().engine, laid->floats.get()));
  weights_ = std::move(laid);
}

Primitive::Port Primitive::MakePort(int argument, const dnnl::memory::desc& inside,
                                    bool elsewhere) {
  Port port;
  port.argument = Bind(argument, inside);
  if (!elsewhere) return port;
  port.offset = scratch_bytes_;
  scratch_bytes_ += AlignedBytes(static_cast<std::int64_t>(inside.get_size()));
  return port;
}

void Primitive::BindOperand(int argument, const dnnl::memory::desc& given,
                            const dnnl::memory::desc& wanted) {
  Port port = MakePort(argument, wanted, given != wanted);
  if (given != wanted) port.relayout.Create(context_->impl(), given, wanted);
  port.given = given;
  operands_[num_operands_++] = std::move(port);
}

void Primitive::BindPart(int argument, const dnnl::memory::desc& given,
                         const dnnl::memory::desc& wanted, const dnnl::memory::dims& sizes,
                         const dnnl::memory::dims& at) {
  Port port = MakePort(argument, wanted, true);
  port.relayout.Create(context_->impl(), given, wanted.submemory_desc(sizes, at));
  port.cleared = wanted.get_size();
  port.given = given;
  operands_[num_operands_++] = std::move(port);
}

void Primitive::CreateResult(const dnnl::memory::desc& made, const dnnl::memory::desc& wanted) {
  result_ = MakePort(DNNL_ARG_DST, made, made != wanted);
  result_.given = wanted;
  result_bytes_ = made.get_size();
  is_half_ = dnnl_compat::TypeOf(made) == DataType::bf16;
  if (made == wanted) return;
  result_.relayout.Create(context_->impl(), made, wanted);
  if (residual_) load_residual_.Create(context_->impl(), wanted, made);
}

// The primitive adds to what its result holds.
bool Primitive::LoadResidual(const void* residual, void* y, char* scratch) noexcept {
  if (load_residual_) return load_residual_.Run(residual, scratch + result_.offset);
  if (residual != y) std::memcpy(y, residual, result_bytes_);
  return true;
}

Status Primitive::Run(std::initializer_list<const void*> operands, const void* residual, void* y,
                      void* scratch) noexcept {
  auto* memory = static_cast<char*>(scratch);
  const bool fused = unfused_ == nullptr || !MayMeetNan(operands, residual);
  bool good = true;
  int next = 0;
  for (const void* data : operands) {
    Port& port = operands_[next++];
    char* const inside = memory + port.offset;
    SetData(port.argument, port.relayout ? inside : data);
    if (port.cleared > 0) std::memset(inside, 0, port.cleared);
    if (port.relayout) good = good && port.relayout.Run(data, inside);
  }
  if (residual_) good = good && LoadResidual(residual, y, memory);
  char* const result = memory + result_.offset;
  void* const made = result_.relayout ? result : y;
  SetData(result_.argument, made);
  SetData(scratch_, scratch);
  good = good && (fused ? Execute(primitive_) : ExecuteUnfused(made));
  if (result_.relayout) good = good && result_.relayout.Run(result, y);
  if (!good || dnnl_stream_wait(context_->impl().stream.get()) != dnnl_success)
    return Status::Error("a oneDNN primitive failed");
  return Status();
}

void Relayout::Create(FastContext::Impl& context, const dnnl::memory::desc& from,
                      const dnnl::memory::desc& to) {
  context_ = &context;
  from_ = dnnl::memory(from, context_->engine, DNNL_MEMORY_NONE);
  to_ = dnnl::memory(to, context_->engine, DNNL_MEMORY_NONE);
  reorder_ = dnnl::reorder(from_, to_);
  bytes_ = AlignedBytes(static_cast<std::int64_t>(to.get_size()));
}

bool Relayout::Run(const void* from, void* to) noexcept {
  dnnl_memory_set_data_handle(from_.get(), const_cast<void*>(from));
  dnnl_memory_set_data_handle(to_.get(), to);
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from_.get()}, {DNNL_ARG_TO, to_.get()}};
  return dnnl_primitive_execute(reorder_.get(), context_->stream.get(), 2, arguments) ==
         dnnl_success;
}

dnnl::primitive_attr MakeAttributes(const PostOps& post) {
  dnnl::post_ops ops;
  if (post.residual && !post.activation_first) ops.append_sum(1.0f);
  AppendActivation(post, &ops);
  if (post.residual && post.activation_first) ops.append_sum(1.0f);
  dnnl::primitive_attr attr;
  attr.set_post_ops(ops);
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::memory::desc StridedDesc(const dnnl::memory::dims& sizes, const dnnl::memory::dims& strides,
                               DataType type) {
  return dnnl::memory::desc(sizes, type, strides);
}

dnnl::memory::desc PlainDesc(const dnnl::memory::dims& sizes, DataType type) {
  dnnl::memory::dims strides(sizes.size());
  dnnl::memory::dim stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return StridedDesc(sizes, strides, type);
}

dnnl::memory::desc AnyDesc(const dnnl::memory::dims& sizes, DataType type) {
  return dnnl::memory::desc(sizes, type, dnnl::memory::format_tag::any);
}

dnnl::memory::desc BlockedDesc(const Shape& shape, std::int64_t block, DataType type) {
  if (block == kRowMajor) return PlainDesc(ToDims(shape), type);
  using Tag = dnnl::memory::format_tag;
  constexpr Tag kTags[2][3] = {{Tag::nCw8c, Tag::nChw8c, Tag::nCdhw8c},
                               {Tag::nCw16c, Tag::nChw16c, Tag::nCdhw16c}};
  return dnnl::memory::desc(ToDims(shape), type, kTags[block == 16 ? 1 : 0][shape.size() - 3]);
}

std::int64_t BlockOf(const dnnl::memory::desc& desc, const Shape& shape) {
  const DataType type = dnnl_compat::TypeOf(desc);
  for (std::int64_t block : {std::int64_t{8}, std::int64_t{16}, kRowMajor}) {
    if (desc == BlockedDesc(shape, block, type)) return block;
  }
  return 0;
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
