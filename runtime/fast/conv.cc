// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/conv.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/fast/dilated_conv.h"
#include "runtime/fast/finite.h"
#include "runtime/fast/half_weights.h"
#include "runtime/fast/lookout.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/primitive.h"
#include "runtime/fast/vector_floats.h"
#include "runtime/fast/wide_weights.h"
#include "runtime/fast/winograd.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr auto kFloats = dnnl::memory::data_type::f32;
constexpr std::int64_t kLongestBlock = 16;  // of channels

Status Failed() { return Status::Error("a oneDNN primitive failed"); }

// A convolution that is to be prepared.
struct ConvLayer {
  Window window;
  std::int64_t group;
  Shape x, y, w;
  const float* weights;
  PackingOrigin origin;  // of the weights
  const float* bias;     // may be null
  const PostOps& post;
  const Blocks& blocks;
  DataType x_type, y_type;

  bool is_y_free() const { return blocks.y == nullptr || *blocks.y == 0; }
  // How the result lies, once that is not free.
  std::int64_t y_block() const { return blocks.y != nullptr ? *blocks.y : kRowMajor; }
  // x as it lies.
  dnnl::memory::desc x_desc() const { return BlockedDesc(x, blocks.x, x_type); }
  // The weights as oneDNN sees them: with an axis of groups where there are several.
  dnnl::memory::dims w_dims() const {
    dnnl::memory::dims dims = ToDims(w);
    if (group == 1) return dims;
    dims[0] /= group;
    dims.insert(dims.begin(), group);
    return dims;
  }
  dnnl::memory::desc bias_desc() const {
    return bias != nullptr ? PlainDesc({w[0]}) : dnnl::memory::desc();
  }
};

// An algorithm of our own for images in blocks of `block` channels, between tensors that may lie
// otherwise.
template <class Algorithm>
class Relaid {
 public:
  // The layout of y must not be free. Throws dnnl::error, std::bad_alloc.
  Relaid(const FastContext& context, const ConvLayer& layer, std::int64_t block,
         Algorithm algorithm)
      : algorithm_(std::move(algorithm)), residual_(layer.post.residual) {
    const std::int64_t made = layer.y_block();
    const Shape &x = layer.x, &y = layer.y;
    if (layer.blocks.x != block)
      x_in_.Create(context.impl(), BlockedDesc(x, layer.blocks.x), BlockedDesc(x, block));
    if (made == block) return;
    y_out_.Create(context.impl(), BlockedDesc(y, block), BlockedDesc(y, made));
    if (residual_) residual_in_.Create(context.impl(), BlockedDesc(y, made), BlockedDesc(y, block));
  }

  Status Run(const float* x, const float* residual, float* y, void* scratch) noexcept {
    auto* const blocked_x = static_cast<char*>(scratch) + algorithm_.ScratchBytes();
    char* const blocked_y = blocked_x + x_in_.bytes();
    bool good = true;
    if (x_in_) {
      good = x_in_.Run(x, blocked_x);
      x = reinterpret_cast<const float*>(blocked_x);
    }
    if (!y_out_) {
      algorithm_.Run(x, residual, y, scratch);
      return good ? Status() : Failed();
    }
    auto* const result = reinterpret_cast<float*>(blocked_y);
    if (residual_) good = good && residual_in_.Run(residual, result);
    algorithm_.Run(x, residual_ ? result : nullptr, result, scratch);
    return good && y_out_.Run(result, y) ? Status() : Failed();
  }

  std::int64_t ScratchBytes() const {
    return algorithm_.ScratchBytes() + x_in_.bytes() + y_out_.bytes();
  }

 private:
  Algorithm algorithm_;
  bool residual_ = false;
  Relayout x_in_, residual_in_, y_out_;
};

// An algorithm that the program hands over.
struct HandedConv {
  std::unique_ptr<OwnConv> conv;

  void Run(const float* x, const float* residual, float* y, void* scratch) const noexcept {
    conv->Run(x, residual, y, scratch);
  }
  std::int64_t ScratchBytes() const noexcept { return conv->ScratchBytes(); }
};

// DilatedConv, between tensors that lie in blocks of channels.
class BlockedDilated {
 public:
  // Throws dnnl::error, std::bad_alloc.
  BlockedDilated(const FastContext& context, const ConvLayer& layer)
      : conv_(layer.window, layer.x, layer.w, layer.weights, layer.bias, layer.post) {
    const Shape &x = layer.x, &y = layer.y;
    x_in_.Create(context.impl(), BlockedDesc(x, layer.blocks.x), PixelDesc(x, conv_.x_pixel()));
    y_out_.Create(context.impl(), PixelDesc(y, conv_.y_pixel()), BlockedDesc(y, layer.y_block()));
    result_bytes_ =
        AlignedBytes(y[0] * y[2] * y[3] * conv_.y_pixel() * std::int64_t{sizeof(float)});
  }

  Status Run(const float* x, float* y, void* scratch) noexcept {
    auto* const result = static_cast<float*>(scratch);
    auto* const pixels = reinterpret_cast<float*>(static_cast<char*>(scratch) + result_bytes_);
    if (!x_in_.Run(x, pixels)) return Failed();
    conv_.Run(pixels, result);
    return y_out_.Run(result, y) ? Status() : Failed();
  }

  std::int64_t ScratchBytes() const { return result_bytes_ + x_in_.bytes(); }

 private:
  // Channels next to each other, pixels so many floats apart.
  static dnnl::memory::desc PixelDesc(const Shape& shape, std::int64_t pixel) {
    return StridedDesc(ToDims(shape), {shape[2] * shape[3] * pixel, 1, shape[3] * pixel, pixel});
  }

  DilatedConv conv_;
  Relayout x_in_, y_out_;
  std::int64_t result_bytes_ = 0;
};

// How many neighbouring groups to merge into one, whose weights are zeros between them: oneDNN has
// no vector code for groups whose channels do not fill a block, unless each is a single channel.
std::int64_t GroupsToMerge(const Shape& w, std::int64_t group) {
  constexpr std::int64_t kBlock = 8, kMost = 4;
  const std::int64_t in = w[1], out = w[0] / group;
  if (in == 1 && out == 1) return 1;
  for (std::int64_t count = 1; count <= kMost; count *= 2) {
    if (group % count != 0) break;
    if (in * count % kBlock == 0 && out * count % kBlock == 0) return count;
  }
  return 1;
}

// Merges groups; gives the weights that the layer then has, nothing if it has its own still.
std::vector<float> MergeGroups(ConvLayer* layer) {
  Shape& w = layer->w;
  const std::int64_t count = GroupsToMerge(w, layer->group);
  if (count == 1) return {};
  const std::int64_t out = w[0] / layer->group, taps = NumElements(w) / w[0];
  std::vector<float> merged(static_cast<std::size_t>(NumElements(w) * count));
  for (std::int64_t m = 0; m < w[0]; ++m) {
    const std::int64_t place = m / out % count;  // of its group among those that are merged
    std::copy_n(layer->weights + m * taps, taps, merged.data() + (m * count + place) * taps);
  }
  w[1] *= count;
  layer->group /= count;
  layer->weights = merged.data();
  return merged;
}

// How often to repeat each channel of x, so that groups of one channel with several results become
// groups of one with one, for which oneDNN has vector code.
std::int64_t ChannelRepeats(const ConvLayer& layer) {
  constexpr std::int64_t kMost = 8;
  const std::int64_t results = layer.w[0] / layer.group;
  const bool fits = layer.group > 1 && layer.w[1] == 1 && layer.window.rank <= 2 &&
                    layer.x_type == kFloats && results <= kMost;
  return fits ? results : 1;
}

// An image, as it lies, with each channel several times in succession.
class RepeatedChannels {
 public:
  // Makes a layer of the repeated image.
  void Create(std::int64_t times, ConvLayer* layer) {
    times_ = times;
    from_ = BlockedSizes(layer->x, layer->blocks.x);
    layer->x[1] *= times;
    layer->group *= times;
    to_ = BlockedSizes(layer->x, layer->blocks.x);
  }
  explicit operator bool() const { return times_ > 1; }
  std::int64_t bytes() const {
    return *this ? AlignedBytes(to_.size() * std::int64_t{sizeof(float)}) : 0;
  }

  void Run(const float* x, float* y) const noexcept {
    Parallel(to_.n * to_.channel_blocks, 1, [this, x, y](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t image = i / to_.channel_blocks * from_.channel_blocks;
        RepeatBlock(i % to_.channel_blocks * to_.block, x + image * Step(), y + i * Step());
      }
    });
  }

 private:
  // From a block of channels to the next.
  std::int64_t Step() const { return to_.spatial * to_.block; }

  // The block of channels from `first` on, of one image.
  void RepeatBlock(std::int64_t first, const float* x, float* y) const noexcept {
    std::int64_t places[kMaxBlock] = {};
    const std::int64_t used = std::min(to_.block, to_.channels - first);
    for (std::int64_t k = 0; k < used; ++k) {
      const std::int64_t channel = (first + k) / times_;
      places[k] = channel / to_.block * Step() + channel % to_.block;
    }
    if (to_.block == kRowMajor) {
      std::copy_n(x + places[0], to_.spatial, y);
      return;
    }
    for (std::int64_t s = 0; s < to_.spatial; ++s, x += to_.block, y += to_.block) {
      for (std::int64_t k = 0; k < used; ++k) y[k] = x[places[k]];
      std::fill(y + used, y + to_.block, 0.0f);
    }
  }

  std::int64_t times_ = 1;
  BlockedSizes from_{{1, 1}, kRowMajor}, to_ = from_;
};

using Desc = dnnl::convolution_forward::primitive_desc;

// Whether oneDNN has more to offer for it than a loop without vectors.
bool IsFast(const Desc& desc) {
  return desc && std::strstr(desc.impl_info_str(), "ref") == nullptr;
}

bool IsDilated(const Window& window) {
  return std::any_of(window.axes, window.axes + window.rank,
                     [](const WindowAxis& axis) { return axis.dilation > 1; });
}

bool IsGemm(const Desc& desc) {
  return desc && std::strstr(desc.impl_info_str(), "gemm") != nullptr;
}

// Whether tiles (AMX) compute it.
bool UsesTiles(const Desc& desc) {
  return desc && std::strstr(desc.impl_info_str(), "amx") != nullptr;
}

bool HasTap(const WindowAxis& axis, std::int64_t output) {
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    const std::int64_t at = output * axis.stride - axis.pad_begin + k * axis.dilation;
    if (at >= 0 && at < axis.input) return true;
  }
  return false;
}

// Whether some outputs are sums of pads alone. oneDNN's code for channels last ends in a fault at
// such ones (2.6, AVX-512, if there are a residual and an activation).
bool SeesPadsAlone(const Window& window) {
  for (int i = 0; i < window.rank; ++i) {
    for (std::int64_t output = 0; output < window.axes[i].output; ++output) {
      if (!HasTap(window.axes[i], output)) return true;
    }
  }
  return false;
}

// A convolution over x with its zeros around, where x begins at `at`.
struct PaddedInput {
  Window window;  // without pads
  Shape x;
  dnnl::memory::dims at;
};

PaddedInput PadAhead(const Window& window, const Shape& x) {
  PaddedInput padded{window, x, dnnl::memory::dims(2, 0)};
  for (int i = 0; i < window.rank; ++i) {
    WindowAxis& axis = padded.window.axes[i];
    padded.at.push_back(axis.pad_begin);
    padded.x[i + 2] += axis.pad_begin + axis.pad_end;
    axis.input = padded.x[i + 2];
    axis.pad_begin = axis.pad_end = 0;
  }
  return padded;
}

// A convolution along one axis as one over images that are a row high.
void AddRowAxis(ConvLayer* layer) {
  Window& window = layer->window;
  window.axes[1] = window.axes[0];
  window.axes[0] = WindowAxis();
  window.axes[0].input = window.axes[0].output = 1;
  window.rank = 2;
  for (Shape* shape : {&layer->x, &layer->y, &layer->w}) {
    shape->push_back(shape->back());
    (*shape)[2] = 1;
  }
}

// Whether the layouts are not for longer vectors than the machine has.
bool SuitsWinograd(const Blocks& blocks) {
  return blocks.x <= Winograd::Block() && (blocks.y == nullptr || *blocks.y <= Winograd::Block());
}

// Whether Winograd's algorithm in f32 takes less time than products of `factors`: where these are
// in bf16, it has half as many vectors to multiply, but more to transform; tiles of AMX it cannot
// match.
bool BeatsHalf(DataType factors, const Shape& w) {
  constexpr std::int64_t kEnoughChannels = 32;
  return factors == kFloats || (std::min(w[0], w[1]) >= kEnoughChannels &&
                                !dnnl_compat::Uses(dnnl::cpu_isa::avx512_core_amx));
}

// The result where its layout is free. For long vectors oneDNN would choose channels last, as no
// other operator here does, so that every convolution would stand between two reorders.
dnnl::memory::desc FreeDesc(const Shape& y, DataType type) {
  constexpr std::int64_t kFewest = kLongestBlock / 2;  // channels that are worth a block
  const bool blocked = VectorFloats() == kLongestBlock && y[1] >= kFewest;
  return blocked ? BlockedDesc(y, kLongestBlock, type) : AnyDesc(ToDims(y), type);
}

// What oneDNN has for a layer: each is empty if it has nothing.
class Implementations {
 public:
  Implementations(const FastContext& context, const ConvLayer& layer)
      : context_(context), layer_(layer) {}

  // The fastest by products of `factors`.
  Desc Best(DataType factors) const {
    const bool as_given = layer_.blocks.x != kRowMajor && layer_.x_type == factors;
    return Best(layer_.window, layer_.x, as_given, factors);
  }
  // The same of x with its zeros around.
  Desc Best(const PaddedInput& padded) const {
    return Best(padded.window, padded.x, false, kFloats);
  }

 private:
  // From x, as it lies if `as_given`, to the result as it is wanted; if there is no fast one,
  // between layouts of oneDNN's choice.
  Desc Best(const Window& window, const Shape& x, bool as_given, DataType factors) const {
    const Shape& y = layer_.y;
    if (SeesPadsAlone(window))
      return Make(window, PlainDesc(ToDims(x)), PlainDesc(ToDims(y)), factors);
    const DataType result = factors == kFloats ? kFloats : layer_.y_type;
    const dnnl::memory::desc any_x = AnyDesc(ToDims(x), factors);
    const dnnl::memory::desc any_y = AnyDesc(ToDims(y), result);
    // Tiles want channels last; they make up for the reorders.
    if (factors != kFloats && dnnl_compat::Uses(dnnl::cpu_isa::avx512_core_amx)) {
      const Desc tiled = Make(window, any_x, any_y, factors);
      if (UsesTiles(tiled)) return tiled;
    }
    const dnnl::memory::desc wanted =
        layer_.is_y_free() ? FreeDesc(y, result) : BlockedDesc(y, layer_.y_block(), result);
    Desc desc = Make(window, as_given ? layer_.x_desc() : any_x, wanted, factors);
    if (!IsFast(desc)) desc = Make(window, any_x, wanted, factors);
    if (!IsFast(desc)) desc = Make(window, any_x, any_y, factors);
    return desc;
  }

  Desc Make(const Window& window, const dnnl::memory::desc& x, const dnnl::memory::desc& y,
            DataType factors) const {
    return dnnl_compat::MakeConvolution(
        context_.impl().engine, dnnl::algorithm::convolution_direct,
        {x, AnyDesc(layer_.w_dims(), factors), layer_.bias_desc(), y}, ToWindowDims(window),
        MakeAttributes(layer_.post));
  }

  const FastContext& context_;
  const ConvLayer& layer_;
};

}  // namespace

struct PreparedConv::Impl {
  // In place of the primitive, one of
  std::unique_ptr<Relaid<Winograd>> winograd;
  std::unique_ptr<Relaid<HandedConv>> few_outputs;
  std::unique_ptr<BlockedDilated> dilated;
  Primitive primitive;
  RepeatedChannels repeated;  // what the primitive reads
  WideCopies copies;
  Lookout lookout;  // of what is not the primitive

  bool is_own() const {
    return winograd != nullptr || few_outputs != nullptr || dilated != nullptr;
  }

  // By products of `type` where that is fast. False if oneDNN has no implementation.
  bool Prepare(const FastContext& context, const ConvLayer& layer, DataType type);
  std::int64_t OwnScratchBytes() const {
    if (winograd != nullptr) return winograd->ScratchBytes();
    if (few_outputs != nullptr) return few_outputs->ScratchBytes();
    if (dilated != nullptr) return dilated->ScratchBytes();
    return primitive.scratch_bytes() + repeated.bytes();
  }

 private:
  // `padded`: where x begins in what the primitive reads; nullptr: it reads x itself.
  void CreatePrimitive(const FastContext& context, const ConvLayer& layer, const Desc& desc,
                       const PaddedInput* padded);
};

bool PreparedConv::Impl::Prepare(const FastContext& context, const ConvLayer& layer,
                                 DataType type) {
  const Implementations implementations(context, layer);
  if (SeesPadsAlone(layer.window)) type = kFloats;
  Desc desc = implementations.Best(type);
  if (type != kFloats && !IsFast(desc)) desc = implementations.Best(kFloats);
  const bool is_slow = IsGemm(desc) || !IsFast(desc);
  std::int64_t* const y_block = layer.blocks.y;
  // oneDNN's own loops take short pads only.
  if (is_slow && type == kFloats && IsDilated(layer.window) &&
      DilatedConv::Supports(layer.window, layer.group, layer.post)) {
    if (y_block != nullptr && *y_block == 0) *y_block = std::max(layer.blocks.x, Winograd::Block());
    dilated = std::make_unique<BlockedDilated>(context, layer);
    return true;
  }
  if (!desc) return false;
  const PaddedInput padded = PadAhead(layer.window, layer.x);
  bool pads = false;
  if (is_slow && padded.x != layer.x && layer.x[1] % kLongestBlock == 0) {
    const Desc direct = implementations.Best(padded);
    pads = IsFast(direct) && !IsGemm(direct);
    if (pads) desc = direct;
  }
  if (y_block != nullptr && *y_block == 0) {
    const std::int64_t made = BlockOf(desc.dst_desc(), layer.y);
    *y_block =
        std::max(made != 0 ? made : BlockOf(FreeDesc(layer.y, layer.y_type), layer.y), kRowMajor);
  }
  CreatePrimitive(context, layer, desc, pads ? &padded : nullptr);
  return true;
}

void PreparedConv::Impl::CreatePrimitive(const FastContext& context, const ConvLayer& layer,
                                         const Desc& desc, const PaddedInput* padded) {
  primitive.Create(context, desc, dnnl::convolution_forward(desc), layer.post.residual,
                   BlockedDesc(layer.y, layer.y_block(), layer.y_type));
  if (padded != nullptr) {
    primitive.BindPart(DNNL_ARG_SRC, layer.x_desc(), desc.src_desc(), ToDims(layer.x), padded->at);
  } else {
    primitive.BindOperand(DNNL_ARG_SRC, layer.x_desc(), desc.src_desc());
  }
  primitive.OwnWeights(layer.origin, PlainDesc(layer.w_dims()), layer.weights, desc.weights_desc());
  if (layer.bias != nullptr) {
    const dnnl::memory::desc bias = layer.bias_desc();
    primitive.Own(DNNL_ARG_BIAS, Reordered(context, bias, layer.bias, bias));
  }
  const dnnl_compat::OperandDescs descs{desc.src_desc(), desc.weights_desc(), layer.bias_desc(),
                                        desc.dst_desc()};
  const bool finite =
      AllFinite(layer.weights, NumElements(layer.w)) && AllFinite(layer.bias, layer.w[0]);
  primitive.KeepNan(layer.post, finite,
                    [descs, engine = context.impl().engine,
                     window = ToWindowDims(padded != nullptr ? padded->window : layer.window)](
                        const dnnl::primitive_attr& attr) {
                      return dnnl::convolution_forward(dnnl_compat::MakeConvolution(
                          engine, dnnl::algorithm::convolution_direct, descs, window, attr));
                    });
}

bool PreparedConv::Supports(const ConvParams& p, const Shape& x, const Shape& w) {
  Window window;
  return x.size() <= 5 && ConvWindow(p, x, w, &window).ok() && HasElements(x) && HasElements(w);
}

Status PreparedConv::Init(const FastContext& context, const ConvParams& p, const Shape& x,
                          const Shape& w, const WeightData& weights, const float* bias,
                          const PostOps& post, const Blocks& blocks, const ElementTypes& types,
                          ConvMethod method, OwnConvMaker few_outputs) noexcept {
  if (!Supports(p, x, w)) return Status::Error("this convolution is not supported by oneDNN");
  Window window;
  DRAGOMAN_RT_TRY(ConvWindow(p, x, w, &window));
  Shape y;
  DRAGOMAN_RT_TRY(ConvShape(p, x, w, &y));
  DRAGOMAN_RT_GUARDED {
    const WideWeights wide(weights, NumElements(w));
    ConvLayer layer = {window,
                       p.group,
                       x,
                       y,
                       w,
                       wide.data(),
                       {&context, weights.data},
                       bias,
                       post,
                       blocks,
                       ProductType(types.x),
                       ProductType(types.y)};
    const DataType type = ProductType(weights.precision);
    const bool fastest = method == ConvMethod::kFastest;
    auto impl = Pimpl<Impl>::Make();
    std::unique_ptr<OwnConv> handed;
    const auto lay_out = [&](std::int64_t block) {
      if (blocks.y != nullptr && *blocks.y == 0) *blocks.y = block;
      return block;
    };
    if (fastest && BeatsHalf(type, w) && SuitsWinograd(blocks) &&
        Winograd::Supports(window, p.group, x, w)) {
      const std::int64_t block = lay_out(Winograd::Block());
      impl->winograd = std::make_unique<Relaid<Winograd>>(
          context, layer, block, Winograd(window, x, w, layer.weights, bias, post, layer.origin));
    } else if (type == kFloats && few_outputs != nullptr &&
               (handed = few_outputs({window, p.group, x, w, blocks.x, layer.weights, bias, post}),
                handed != nullptr)) {
      const std::int64_t block = lay_out(kRowMajor);
      impl->few_outputs = std::make_unique<Relaid<HandedConv>>(context, layer, block,
                                                               HandedConv{std::move(handed)});
    } else {
      std::vector<float> merged;
      const std::int64_t repeats = ChannelRepeats(layer);
      if (repeats > 1) impl->repeated.Create(repeats, &layer);
      if (fastest) merged = MergeGroups(&layer);
      // For single channels oneDNN has code of vectors for images only.
      if (x.size() == 3 && w[1] == 1 && p.group > 1) AddRowAxis(&layer);
      if (!impl->Prepare(context, layer, type))
        return Status::Error("oneDNN has no implementation of this convolution");
    }
    const bool own = impl->is_own();
    const std::int64_t x_size = BlockedSizes(x, blocks.x).size();
    const std::int64_t y_size = BlockedSizes(y, layer.y_block()).size();
    if (own) impl->lookout.Create(context, post, x_size, y_size);
    impl->copies.Create(own ? types : LackingHere(types), x_size, y_size, impl->OwnScratchBytes());
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) {
    return Status::Error("oneDNN could not prepare a convolution");
  }
  return Status();
}

Status PreparedConv::Run(const void* x, const void* residual, void* y, void* scratch) noexcept {
  const auto run = [&](const void* from, const void* added, void* to) {
    const auto* image = static_cast<const float*>(from);
    auto* result = static_cast<float*>(to);
    const auto* sum = static_cast<const float*>(added);
    if (impl_->is_own()) impl_->lookout.Run(image, sum);
    if (impl_->winograd != nullptr) return impl_->winograd->Run(image, sum, result, scratch);
    if (impl_->few_outputs != nullptr) return impl_->few_outputs->Run(image, sum, result, scratch);
    if (impl_->dilated != nullptr) return impl_->dilated->Run(image, result, scratch);
    if (impl_->repeated) {
      auto* const room =
          reinterpret_cast<float*>(static_cast<char*>(scratch) + impl_->primitive.scratch_bytes());
      impl_->repeated.Run(image, room);
      from = room;
    }
    return impl_->primitive.Run({from}, added, to, scratch);
  };
  return impl_->copies.Run(x, residual, y, scratch, run);
}

const char* PreparedConv::Implementation() const noexcept {
  if (impl_->winograd != nullptr) return "own winograd";
  if (impl_->few_outputs != nullptr) return "own panels";
  return impl_->dilated != nullptr ? "own loop" : impl_->primitive.implementation();
}

std::int64_t PreparedConv::ScratchBytes() const noexcept { return impl_->copies.ScratchBytes(); }

}  // namespace dragoman::rt
