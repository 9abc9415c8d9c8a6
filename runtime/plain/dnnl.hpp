// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for oneDNN where there is none: the part of its interface (3.x) that runtime/fast uses,
// in float, by plain loops. A generated program is compiled with it by -DNAME_DNNL=OFF.
//
// Layouts are strides, and optionally blocks of channels: element (n, c, ...) lies at
// n * strides[0] + c / block * strides[1] + c % block + ... A layout that is left open is
// row-major.
#ifndef DRAGOMAN_RUNTIME_PLAIN_DNNL_HPP_
#define DRAGOMAN_RUNTIME_PLAIN_DNNL_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#define DNNL_VERSION_MAJOR 3
#define DNNL_MEMORY_NONE nullptr

enum : int {
  DNNL_ARG_SRC = 1,
  DNNL_ARG_FROM = 1,
  DNNL_ARG_DST = 17,
  DNNL_ARG_TO = 17,
  DNNL_ARG_WEIGHTS = 33,
  DNNL_ARG_BIAS = 41,
  DNNL_ARG_SCRATCHPAD = 80,
};
enum dnnl_status_t { dnnl_success = 0 };

namespace dnnl {

struct error : std::exception {
  const char* what() const noexcept override { return "not done without oneDNN"; }
};

// No instruction set is known to be there.
enum class cpu_isa : unsigned { avx512_core = 1, avx512_core_bf16 = 2, avx512_core_amx = 4 };
inline cpu_isa get_effective_cpu_isa() { return cpu_isa{}; }

enum class prop_kind { forward_inference };
enum class scratchpad_mode { user, library };
enum class algorithm {
  convolution_direct,
  pooling_max,
  pooling_avg_include_padding,
  pooling_avg_exclude_padding,
  eltwise_relu,
  eltwise_clip,
  eltwise_logistic,
  eltwise_tanh,
  eltwise_gelu_erf,
  eltwise_gelu_tanh,
  eltwise_hardswish,
  eltwise_swish,
  eltwise_linear,
};

struct engine {
  enum class kind { cpu };
  engine() = default;
  engine(kind, std::size_t) {}
};

}  // namespace dnnl

using dnnl_stream_t = void*;
inline dnnl_status_t dnnl_stream_wait(dnnl_stream_t) { return dnnl_success; }

namespace dnnl {

struct stream {
  stream() = default;
  explicit stream(const engine&) {}
  dnnl_stream_t get() const { return nullptr; }
  void wait() const {}
};

struct memory;

}  // namespace dnnl

struct dnnl_memory;
using dnnl_memory_t = dnnl_memory*;
struct dnnl_exec_arg_t {
  int arg;
  dnnl_memory_t memory;
};

namespace dnnl {

struct memory {
  using dim = std::int64_t;
  using dims = std::vector<dim>;
  enum class data_type { undef, f32, bf16 };
  enum class format_tag { any, nCw8c, nChw8c, nCdhw8c, nCw16c, nChw16c, nCdhw16c };

  class desc {
   public:
    desc() = default;
    desc(const dims& sizes, data_type type, const dims& strides)
        : sizes_(sizes), strides_(strides), type_(type) {}
    desc(const dims& sizes, data_type type, format_tag tag)
        : sizes_(sizes), strides_(sizes.size()), type_(type) {
      if (tag != format_tag::any) block_ = tag >= format_tag::nCw16c ? 16 : 8;
      dim step = block_;
      for (std::size_t i = sizes.size(); i-- > 0;) {
        strides_[i] = step;
        step *= i == 1 ? blocks() : sizes[i];
      }
    }

    bool empty() const { return sizes_.empty(); }
    const dims& sizes() const { return sizes_; }
    const dims& strides() const { return strides_; }
    dim block() const { return block_; }
    dim offset() const { return offset_; }
    data_type get_data_type() const { return type_; }
    // Of element 0 of the other axes.
    dim channel(dim c) const { return c / block_ * strides_[1] + c % block_; }
    dim blocks() const { return (sizes_[1] + block_ - 1) / block_; }

    std::size_t get_size() const {
      if (empty()) return 0;
      dim last = block_ - 1;
      for (std::size_t i = 0; i < sizes_.size(); ++i)
        last += ((block_ > 1 && i == 1 ? blocks() : sizes_[i]) - 1) * strides_[i];
      return static_cast<std::size_t>(last + 1) * sizeof(float);
    }
    desc submemory_desc(const dims& sizes, const dims& at) const {
      desc part = *this;
      part.sizes_ = sizes;
      for (std::size_t i = 0; i < at.size(); ++i)
        part.offset_ += block_ > 1 && i == 1 ? channel(at[i]) : at[i] * strides_[i];
      return part;
    }
    bool operator==(const desc& o) const {
      return sizes_ == o.sizes_ && strides_ == o.strides_ && block_ == o.block_ &&
             offset_ == o.offset_ && type_ == o.type_;
    }
    bool operator!=(const desc& o) const { return !(*this == o); }

   private:
    dims sizes_, strides_;
    dim block_ = 1, offset_ = 0;
    data_type type_ = data_type::undef;
  };

  memory() = default;
  memory(const desc& d, const engine&, void* data);
  memory(const desc& d, const engine&);
  dnnl_memory_t get() const { return held_.get(); }

 private:
  std::shared_ptr<dnnl_memory> held_;
};

}  // namespace dnnl

struct dnnl_memory {
  dnnl::memory::desc desc;
  float* data = nullptr;
  std::vector<float> own;
};

inline dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void* data) {
  memory->data = static_cast<float*>(data);
  return dnnl_success;
}

namespace dnnl {

inline memory::memory(const desc& d, const engine&, void* data)
    : held_(std::make_shared<dnnl_memory>()) {
  held_->desc = d;
  held_->data = static_cast<float*>(data);
}

inline memory::memory(const desc& d, const engine& e) : memory(d, e, nullptr) {
  held_->own.resize(d.get_size() / sizeof(float));
  held_->data = held_->own.data();
}

namespace plain {

using dim = memory::dim;
using dims = memory::dims;
using desc = memory::desc;

// The tensors of a call, by their arguments.
struct Call {
  const float* src = nullptr;
  const float* weights = nullptr;
  const float* bias = nullptr;
  float* dst = nullptr;
  float* scratch = nullptr;
};
using Kernel = std::function<void(const Call&)>;

// What is done to a sum before it is stored.
struct PostOp {
  bool is_sum = false;
  algorithm eltwise = algorithm::eltwise_linear;
  float alpha = 0, beta = 0;
};

inline float Sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

inline float Eltwise(const PostOp& op, float x) {
  switch (op.eltwise) {
    case algorithm::eltwise_relu:
      return x > 0 ? x : op.alpha * x;
    case algorithm::eltwise_clip:
      return std::min(std::max(x, op.alpha), op.beta);
    case algorithm::eltwise_logistic:
      return Sigmoid(x);
    case algorithm::eltwise_tanh:
      return std::tanh(x);
    case algorithm::eltwise_gelu_erf:
      return 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
    case algorithm::eltwise_gelu_tanh:
      return 0.5f * x * (1.0f + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
    case algorithm::eltwise_hardswish:
      return x * std::min(std::max(op.alpha * x + op.beta, 0.0f), 1.0f);
    case algorithm::eltwise_swish:
      return x * Sigmoid(op.alpha * x);
    default:
      return op.alpha * x + op.beta;
  }
}

// `held` is what the result holds so far.
inline float Finish(const std::vector<PostOp>& ops, float x, float held) {
  for (const PostOp& op : ops) x = op.is_sum ? x + op.alpha * held : Eltwise(op, x);
  return x;
}

// Three axes behind the first two, the missing ones in front: sizes 1.
struct Space {
  dim size[3] = {1, 1, 1}, step[3] = {0, 0, 0};

  Space() = default;
  explicit Space(const desc& d, std::size_t first = 2) {
    const std::size_t rank = d.sizes().size() - first;
    for (std::size_t i = 0; i < rank; ++i) {
      size[3 - rank + i] = d.sizes()[first + i];
      step[3 - rank + i] = d.strides()[first + i];
    }
  }
  dim count() const { return size[0] * size[1] * size[2]; }
};

// Strides, dilations and pads, along the same three axes.
struct Window {
  dim stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0}, kernel[3] = {1, 1, 1};

  Window(const dims& strides, const dims& dilates, const dims& pads, const dims& kernels = {}) {
    for (std::size_t i = 0, n = strides.size(); i < n; ++i) {
      stride[3 - n + i] = strides[i];
      dilation[3 - n + i] = dilates[i] + 1;
      pad[3 - n + i] = pads[i];
      if (!kernels.empty()) kernel[3 - n + i] = kernels[i];
    }
  }
  // Where tap k of output o lies; negative or too large in the pads.
  dim At(int axis, dim o, dim k) const { return o * stride[axis] - pad[axis] + k * dilation[axis]; }
};

template <class Visit>
void ForEach(const dim (&size)[3], Visit visit) {
  for (dim a = 0; a < size[0]; ++a) {
    for (dim b = 0; b < size[1]; ++b) {
      for (dim c = 0; c < size[2]; ++c) visit(a, b, c);
    }
  }
}

// Channels that only fill up the last block are zeros.
inline void ClearFilling(const desc& y, float* data) {
  const Space ys(y);
  for (dim n = 0; n < y.sizes()[0]; ++n) {
    for (dim m = y.sizes()[1]; m < y.blocks() * y.block(); ++m) {
      float* to = data + n * y.strides()[0] + y.channel(m);
      ForEach(ys.size, [&](dim a, dim b, dim c) {
        to[a * ys.step[0] + b * ys.step[1] + c * ys.step[2]] = 0.0f;
      });
    }
  }
}

struct Convolution {
  desc x, w, y;
  bool has_bias;
  Window window;
  std::vector<PostOp> ops;

  bool is_grouped() const { return w.sizes().size() > x.sizes().size(); }

  void operator()(const Call& call) const {
    const std::size_t lead = is_grouped() ? 1 : 0;
    const dim groups = lead != 0 ? w.sizes()[0] : 1;
    const dim out = w.sizes()[lead], in = w.sizes()[lead + 1];
    const Space xs(x), ys(y), ws(w, lead + 2);
    for (dim n = 0; n < y.sizes()[0]; ++n) {
      for (dim m = 0; m < groups * out; ++m) {
        const float* weights =
            call.weights + (lead != 0 ? m / out * w.strides()[0] : 0) + m % out * w.strides()[lead];
        float* to = call.dst + n * y.strides()[0] + y.channel(m);
        ForEach(ys.size, [&](dim a, dim b, dim c) {
          float sum = has_bias ? call.bias[m] : 0.0f;
          ForEach(ws.size, [&](dim i, dim j, dim k) {
            const dim p = window.At(0, a, i), q = window.At(1, b, j), r = window.At(2, c, k);
            if (p < 0 || q < 0 || r < 0 || p >= xs.size[0] || q >= xs.size[1] || r >= xs.size[2])
              return;
            const float* tap = weights + i * ws.step[0] + j * ws.step[1] + k * ws.step[2];
            const float* from =
                call.src + n * x.strides()[0] + p * xs.step[0] + q * xs.step[1] + r * xs.step[2];
            for (dim channel = 0; channel < in; ++channel)
              sum += tap[channel * w.strides()[lead + 1]] * from[x.channel(m / out * in + channel)];
          });
          float& result = to[a * ys.step[0] + b * ys.step[1] + c * ys.step[2]];
          result = Finish(ops, sum, result);
        });
      }
    }
    ClearFilling(y, call.dst);
  }
};

struct Pooling {
  desc x, y;
  algorithm kind;
  Window window;

  void operator()(const Call& call) const {
    const Space xs(x), ys(y);
    const bool is_max = kind == algorithm::pooling_max;
    for (dim n = 0; n < y.sizes()[0]; ++n) {
      for (dim m = 0; m < y.sizes()[1]; ++m) {
        const float* from = call.src + n * x.strides()[0] + x.channel(m);
        float* to = call.dst + n * y.strides()[0] + y.channel(m);
        ForEach(ys.size, [&](dim a, dim b, dim c) {
          float best = std::numeric_limits<float>::lowest(), sum = 0.0f;
          dim count = 0;
          ForEach(window.kernel, [&](dim i, dim j, dim k) {
            const dim p = window.At(0, a, i), q = window.At(1, b, j), r = window.At(2, c, k);
            if (p < 0 || q < 0 || r < 0 || p >= xs.size[0] || q >= xs.size[1] || r >= xs.size[2])
              return;
            const float value = from[p * xs.step[0] + q * xs.step[1] + r * xs.step[2]];
            best = std::max(best, value);
            sum += value;
            ++count;
          });
          if (kind == algorithm::pooling_avg_include_padding)
            count = window.kernel[0] * window.kernel[1] * window.kernel[2];
          to[a * ys.step[0] + b * ys.step[1] + c * ys.step[2]] =
              is_max ? best : sum / static_cast<float>(count);
        });
      }
    }
    ClearFilling(y, call.dst);
  }
};

// Row-major; axes of size 1 before the last two are repeated.
struct Product {
  desc a, b, y;
  std::vector<PostOp> ops;

  void operator()(const Call& call) const {
    const std::size_t rank = y.sizes().size();
    const dim rows = y.sizes()[rank - 2], columns = y.sizes()[rank - 1],
              depth = a.sizes()[rank - 1];
    dim matrices = 1;
    for (std::size_t i = 0; i + 2 < rank; ++i) matrices *= y.sizes()[i];
    for (dim n = 0; n < matrices; ++n) {
      dim a_at = 0, b_at = 0, rest = n;
      for (std::size_t i = rank - 2; i-- > 0; rest /= y.sizes()[i]) {
        const dim at = rest % y.sizes()[i];
        if (a.sizes()[i] != 1) a_at += at * a.strides()[i];
        if (b.sizes()[i] != 1) b_at += at * b.strides()[i];
      }
      for (dim row = 0; row < rows; ++row) {
        for (dim column = 0; column < columns; ++column) {
          float sum = 0.0f;
          for (dim k = 0; k < depth; ++k)
            sum += call.src[a_at + row * depth + k] * call.weights[b_at + k * columns + column];
          float& result = call.dst[(n * rows + row) * columns + column];
          result = Finish(ops, sum, result);
        }
      }
    }
  }
};

// Channels that only fill up the last block become zeros.
struct Reorder {
  desc from, to;

  void operator()(const Call& call) const {
    const std::size_t rank = to.sizes().size();
    dims at(rank, 0);
    const bool blocked = to.block() > 1 || from.block() > 1;
    dims size = to.sizes();
    if (blocked) size[1] = to.blocks() * to.block();
    for (;;) {
      dim read = from.offset(), written = to.offset();
      for (std::size_t i = 0; i < rank; ++i) {
        read += blocked && i == 1 ? from.channel(at[i]) : at[i] * from.strides()[i];
        written += blocked && i == 1 ? to.channel(at[i]) : at[i] * to.strides()[i];
      }
      const bool is_filling = blocked && at[1] >= to.sizes()[1];
      call.dst[written] = is_filling ? 0.0f : call.src[read];
      std::size_t axis = rank;
      while (axis > 0 && ++at[axis - 1] == size[axis - 1]) at[--axis] = 0;
      if (axis == 0) return;
    }
  }
};

}  // namespace plain

class post_ops {
 public:
  void append_sum(float scale) { ops_.push_back({true, algorithm::eltwise_linear, scale, 0}); }
  void append_eltwise(algorithm kind, float alpha, float beta) {
    ops_.push_back({false, kind, alpha, beta});
  }
  const std::vector<plain::PostOp>& all() const { return ops_; }

 private:
  std::vector<plain::PostOp> ops_;
};

class primitive_attr {
 public:
  void set_post_ops(const post_ops& ops) { ops_ = ops.all(); }
  void set_scratchpad_mode(scratchpad_mode) {}
  const std::vector<plain::PostOp>& ops() const { return ops_; }

 private:
  std::vector<plain::PostOp> ops_;
};

}  // namespace dnnl

struct dnnl_primitive {
  dnnl::plain::Kernel kernel;
};
using dnnl_primitive_t = const dnnl_primitive*;

inline dnnl_status_t dnnl_primitive_execute(dnnl_primitive_t primitive, dnnl_stream_t, int count,
                                            const dnnl_exec_arg_t* arguments) {
  dnnl::plain::Call call;
  for (int i = 0; i < count; ++i) {
    float* const data = arguments[i].memory->data;
    switch (arguments[i].arg) {
      case DNNL_ARG_SRC:
        call.src = data;
        break;
      case DNNL_ARG_WEIGHTS:
        call.weights = data;
        break;
      case DNNL_ARG_BIAS:
        call.bias = data;
        break;
      case DNNL_ARG_SCRATCHPAD:
        call.scratch = data;
        break;
      default:
        call.dst = data;
    }
  }
  primitive->kernel(call);
  return dnnl_success;
}

namespace dnnl {

class primitive {
 public:
  primitive() = default;
  explicit primitive(plain::Kernel kernel)
      : held_(std::make_shared<dnnl_primitive>(dnnl_primitive{std::move(kernel)})) {}
  dnnl_primitive_t get() const { return held_.get(); }

 private:
  std::shared_ptr<const dnnl_primitive> held_;
};

namespace plain {

// A kernel and how its tensors lie; empty if there is none.
struct PrimitiveDesc {
  Kernel kernel;
  desc src, weights, dst, scratch;

  explicit operator bool() const { return kernel != nullptr; }
  const char* impl_info_str() const { return "plain"; }
  const desc& src_desc() const { return src; }
  const desc& weights_desc() const { return weights; }
  const desc& dst_desc() const { return dst; }
  const desc& scratchpad_desc() const { return scratch; }
};

inline bool IsFloat(const desc& d) {
  return d.empty() || d.get_data_type() == memory::data_type::f32;
}

}  // namespace plain

struct reorder : primitive {
  reorder() = default;
  reorder(const memory& from, const memory& to)
      : primitive(plain::Reorder{from.get()->desc, to.get()->desc}) {}
  void execute(const stream& s, const memory& from, const memory& to) const {
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
    dnnl_primitive_execute(get(), s.get(), 2, arguments);
  }
};

struct convolution_forward : primitive {
  struct primitive_desc : plain::PrimitiveDesc {
    primitive_desc(const engine&, prop_kind, algorithm, const memory::desc& x,
                   const memory::desc& w, const memory::desc& bias, const memory::desc& y,
                   const memory::dims& strides, const memory::dims& dilates,
                   const memory::dims& pads, const memory::dims&, const primitive_attr& attr,
                   bool) {
      src = x, weights = w, dst = y;
      if (!plain::IsFloat(x) || !plain::IsFloat(w) || !plain::IsFloat(y)) return;
      kernel = plain::Convolution{
          x, w, y, !bias.empty(), plain::Window(strides, dilates, pads), attr.ops()};
    }
  };
  explicit convolution_forward(const primitive_desc& d) : primitive(d.kernel) {}
};

struct pooling_forward : primitive {
  struct primitive_desc : plain::PrimitiveDesc {
    primitive_desc(const engine&, prop_kind, algorithm kind, const memory::desc& x,
                   const memory::desc& y, const memory::dims& strides, const memory::dims& kernels,
                   const memory::dims& dilates, const memory::dims& pads, const memory::dims&,
                   const primitive_attr&, bool) {
      src = x, dst = y;
      if (!plain::IsFloat(x) || !plain::IsFloat(y)) return;
      kernel = plain::Pooling{x, y, kind, plain::Window(strides, dilates, pads, kernels)};
    }
  };
  explicit pooling_forward(const primitive_desc& d) : primitive(d.kernel) {}
};

struct matmul : primitive {
  struct primitive_desc : plain::PrimitiveDesc {
    primitive_desc(const engine&, const memory::desc& a, const memory::desc& b, const memory::desc&,
                   const memory::desc& y, const primitive_attr& attr, bool) {
      src = a, weights = b, dst = y;
      if (plain::IsFloat(a) && plain::IsFloat(b)) kernel = plain::Product{a, b, y, attr.ops()};
    }
  };
  explicit matmul(const primitive_desc& d) : primitive(d.kernel) {}
};

// There is none: products with constant weights have loops of their own.
struct inner_product_forward : primitive {
  struct primitive_desc : plain::PrimitiveDesc {
    primitive_desc(const engine&, prop_kind, const memory::desc&, const memory::desc&,
                   const memory::desc&, const memory::desc&, const primitive_attr&, bool) {}
  };
  explicit inner_product_forward(const primitive_desc& d) : primitive(d.kernel) {}
};

}  // namespace dnnl

// c = alpha * a * b + beta * c, row-major; b as it is ('N') or transposed ('T').
inline dnnl_status_t dnnl_sgemm(char, char b_form, std::int64_t rows, std::int64_t columns,
                                std::int64_t depth, float alpha, const float* a,
                                std::int64_t a_step, const float* b, std::int64_t b_step,
                                float beta, float* c, std::int64_t c_step) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      float sum = 0.0f;
      for (std::int64_t k = 0; k < depth; ++k)
        sum +=
            a[row * a_step + k] * (b_form == 'T' ? b[column * b_step + k] : b[k * b_step + column]);
      float& result = c[row * c_step + column];
      result = alpha * sum + (beta == 0.0f ? 0.0f : beta * result);
    }
  }
  return dnnl_success;
}

#endif  // DRAGOMAN_RUNTIME_PLAIN_DNNL_HPP_
