// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN 2.6 and later, and 3.x, behind one interface. Only .cc files of runtime/fast include this.
//
// 2.x describes an operation by an op descriptor from which a primitive descriptor is made; in 3.x
// the primitive descriptor takes those arguments itself. Eltwise post-ops lost their scale.
#ifndef DRAGOMAN_RUNTIME_FAST_DNNL_COMPAT_H_
#define DRAGOMAN_RUNTIME_FAST_DNNL_COMPAT_H_

#include <dnnl.hpp>

namespace dragoman::rt::dnnl_compat {

// Whether oneDNN's code uses an instruction set: the processor has it, and no setting forbids it.
inline bool Uses(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

// Strides, dilations (0: dense) and pads of a window, in oneDNN's terms.
struct WindowDims {
  dnnl::memory::dims kernel;
  dnnl::memory::dims strides;
  dnnl::memory::dims dilates;
  dnnl::memory::dims pad_begin;
  dnnl::memory::dims pad_end;
};

struct OperandDescs {
  dnnl::memory::desc src;
  dnnl::memory::desc weights;
  dnnl::memory::desc bias;  // a zero descriptor if there is none
  dnnl::memory::desc dst;
};

inline dnnl::memory::data_type TypeOf(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_data_type();
#else
  return desc.data_type();
#endif
}

// The result is empty if no implementation fits.
inline dnnl::convolution_forward::primitive_desc MakeConvolution(const dnnl::engine& engine,
                                                                 dnnl::algorithm algorithm,
                                                                 const OperandDescs& o,
                                                                 const WindowDims& w,
                                                                 const dnnl::primitive_attr& attr) {
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::convolution_forward::primitive_desc(engine, kKind, algorithm, o.src, o.weights,
                                                   o.bias, o.dst, w.strides, w.dilates, w.pad_begin,
                                                   w.pad_end, attr, true);
#else
  const dnnl::convolution_forward::desc desc(kKind, algorithm, o.src, o.weights, o.bias, o.dst,
                                             w.strides, w.dilates, w.pad_begin, w.pad_end);
  return dnnl::convolution_forward::primitive_desc(desc, attr, engine, true);
#endif
}

inline dnnl::matmul::primitive_desc MakeMatMul(const dnnl::engine& engine, const OperandDescs& o,
                                               const dnnl::primitive_attr& attr) {
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::matmul::primitive_desc(engine, o.src, o.weights, o.bias, o.dst, attr, true);
#else
  const dnnl::matmul::desc desc(o.src, o.weights, o.bias, o.dst);
  return dnnl::matmul::primitive_desc(desc, attr, engine, true);
#endif
}

// Weights are (out, in).
inline dnnl::inner_product_forward::primitive_desc MakeInnerProduct(
    const dnnl::engine& engine, const OperandDescs& o, const dnnl::primitive_attr& attr) {
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::inner_product_forward::primitive_desc(engine, kKind, o.src, o.weights, o.bias, o.dst,
                                                     attr, true);
#else
  const dnnl::inner_product_forward::desc desc(kKind, o.src, o.weights, o.bias, o.dst);
  return dnnl::inner_product_forward::primitive_desc(desc, attr, engine, true);
#endif
}

// Without dilations.
inline dnnl::pooling_forward::primitive_desc MakePooling(const dnnl::engine& engine,
                                                         dnnl::algorithm algorithm,
                                                         const OperandDescs& o, const WindowDims& w,
                                                         const dnnl::primitive_attr& attr) {
  constexpr auto kKind = dnnl::prop_kind::forward_inference;
#if DNNL_VERSION_MAJOR >= 3
  return dnnl::pooling_forward::primitive_desc(engine, kKind, algorithm, o.src, o.dst, w.strides,
                                               w.kernel, w.dilates, w.pad_begin, w.pad_end, attr,
                                               true);
#else
  const dnnl::pooling_forward::desc desc(kKind, algorithm, o.src, o.dst, w.strides, w.kernel,
                                         w.pad_begin, w.pad_end);
  return dnnl::pooling_forward::primitive_desc(desc, attr, engine, true);
#endif
}

inline void AppendEltwise(dnnl::post_ops* ops, dnnl::algorithm algorithm, float alpha, float beta) {
#if DNNL_VERSION_MAJOR >= 3
  ops->append_eltwise(algorithm, alpha, beta);
#else
  ops->append_eltwise(1.0f, algorithm, alpha, beta);
#endif
}

}  // namespace dragoman::rt::dnnl_compat

#endif  // DRAGOMAN_RUNTIME_FAST_DNNL_COMPAT_H_
