// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/view.h"

#include <utility>

#include "core/lowering/bits.h"
#include "core/lowering/complex.h"
#include "core/lowering/heap.h"
#include "core/lowering/strided_view.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

bool GivesCopy(std::string_view name) { return name.ends_with("_copy"); }

std::optional<std::int64_t> KnownInt(Composer& c, Value* value) {
  if (value == nullptr) return std::nullopt;
  const std::optional<std::vector<std::int64_t>> ints = c.builder().KnownInts(value);
  if (!ints || ints->size() != 1) return std::nullopt;
  return ints->front();
}

// Replaces [start, end) of `axis`, which the caller knows to be a range of whole elements.
Value* PutRange(Composer& c, Value* base, Value* value, int axis, Value* start, Value* end) {
  Value* one = c.Ints({1});
  const std::optional<std::int64_t> first = KnownInt(c, start);
  std::vector<Value*> parts;
  if (first != 0) parts.push_back(c.Slice(base, axis, c.Ints({0}), start, one));
  parts.push_back(value);
  const std::optional<std::int64_t> last = KnownInt(c, end);
  const std::optional<std::int64_t> size = c.KnownSize(base, axis);
  const bool to_end = last && (*last == kEnd || (size && *last >= *size));
  if (!to_end) parts.push_back(c.Slice(base, axis, end, c.Ints({kEnd}), one));
  return c.Concat(std::move(parts), axis);
}

// Replaces element `index` (int64, rank 0) of `axis`, known only at run time.
Value* PutAt(Composer& c, Value* base, Value* value, int axis, Value* index) {
  Value* row = c.SwapAxes(c.Unsqueeze(value, {axis}), 0, axis);
  Value* rows = c.SwapAxes(base, 0, axis);
  return c.SwapAxes(c.Op("ScatterND", {rows, c.Reshape(index, {1, 1}), row}), 0, axis);
}

// Of each element, whether it has the same bits in both.
Value* HasSameBits(Composer& c, Value* a, Value* b) {
  const DType type = c.dtype(a);
  if (IsComplex(type)) return c.Fail("a write to complex elements that may lie in one place");
  if (!IsFloating(type)) return c.Equal(a, b);
  return c.Equal(BitsAs(c, a, UnsignedOf(type)), BitsAs(c, b, UnsignedOf(type)));
}

// `base` with the elements that `get` reads replaced by those of `value`, where these differ. All
// that lie in one place see what is written to one of them.
Value* PutChanged(Composer& c, const std::function<Value*(Composer&, Value*)>& get, Value* base,
                  Value* value) {
  Value* count = c.Op("Size", {base});
  Value* places = c.Flatten(get(c, c.Reshape(c.Iota(count), c.Shape(base))));
  Value* after = c.Flatten(value);
  if (c.failed()) return nullptr;
  Value* stays = HasSameBits(c, c.Flatten(get(c, base)), after);
  // What stays is written after the last element, and cut off.
  Value* target = c.Where(stays, count, places);
  Value* longer = c.Concat({c.Flatten(base), c.Full(c.Ints({1}), 0, c.dtype(base))}, 0);
  Value* written = c.Op("ScatterElements", {longer, target, after});
  Value* kept = c.Slice(written, 0, c.Ints({0}), c.Vector(count), c.Ints({1}));
  return c.Reshape(kept, c.Shape(base));
}

ViewStep ToStep(View view, Strides strides) {
  ViewStep step;
  if (view.may_overlap) {
    const bool is_known = strides.row_major || !strides.steps.empty();
    view.put = [get = view.get, is_known](Composer& c, Value* base, Value* value) {
      if (!is_known) return c.Fail("a write to elements that may lie in one place, or may not");
      return PutChanged(c, get, base, value);
    };
  }
  step.get = [get = std::move(view.get)](GraphBuilder& builder, Value* base) {
    Composer inner(builder);
    return inner.Done(get(inner, base));
  };
  if (view.put) {
    step.put = [put = std::move(view.put)](GraphBuilder& builder, Value* base, Value* value) {
      Composer inner(builder);
      return inner.Done(put(inner, base, value));
    };
  }
  step.strides = std::move(strides);
  return step;
}

// Where the elements of `view` lie if those of its base, `of`, lie by `base`. `seen` is its value.
Strides StridesOfView(const View& view, const Strides& base, const Value* of, const Value* seen) {
  if (view.contiguous && base.row_major) return {};
  const Shape* from = of != nullptr ? of->type().shape() : nullptr;
  const Shape* sizes = seen != nullptr ? seen->type().shape() : nullptr;
  if (!view.steps || from == nullptr || sizes == nullptr) return Strides::Unknown();
  return MakeStrides(view.steps(StepsOf(base, *from)), *sizes);
}

}  // namespace

Abstract MakeView(CallComposer& c, const Abstract& base, View view) {
  Call& call = c.call();
  const auto* tensor = base.As<TensorRef>();
  if (c.failed()) return Abstract();
  if (tensor == nullptr) return call.NewTensor(view.get(c, c.Tensor("self")));
  Value* of = c.Take(call.heap().Read(call.builder(), *tensor));
  if (c.failed()) return Abstract();
  Value* seen = view.get(c, of);
  if (c.failed()) return Abstract();
  Strides strides = StridesOfView(view, Heap::StridesOf(*tensor), of, seen);
  if (GivesCopy(FunctionalName(call.op())))
    return call.heap().NewTensor(seen, strides.row_major ? strides : Strides::Unknown());
  TensorRef result = Heap::View(*tensor, ToStep(std::move(view), std::move(strides)));
  call.heap().SetRead(result, seen);
  return result;
}

Abstract MakeView(CallComposer& c, View view) {
  const Abstract self = c.Take(c.call().Argument("self"));
  return MakeView(c, self, std::move(view));
}

Result<Results> LowerView(CallComposer& c, View view) {
  return c.DoneWith({MakeView(c, std::move(view))});
}

Result<Results> LowerAlias(CallComposer& c, std::string_view name) {
  Abstract argument = c.Take(c.call().Argument(name));
  if (!c.failed() && argument.Is<None>())
    return c.call().Unsupported("a result of an operator that only a backward pass reads");
  if (GivesCopy(FunctionalName(c.call().op()))) argument = c.call().NewTensor(c.Tensor(name));
  return c.DoneWith({std::move(argument)});
}

Strides StridesOfSelf(CallComposer& c) {
  const Abstract self = c.Take(c.call().Argument("self"));
  const auto* tensor = self.As<TensorRef>();
  return tensor != nullptr ? Heap::StridesOf(*tensor) : Strides();
}

bool MayOverlap(const TensorRef& tensor, const Shape* sizes) {
  const Strides& strides = Heap::StridesOf(tensor);
  if (strides.row_major || sizes == nullptr) return false;
  const std::vector<Dim> steps = StepsOf(strides, *sizes);
  Placement placement;
  bool all_known = true;
  for (std::size_t i = 0; i < sizes->size() && i < steps.size(); ++i) {
    const Dim& size = (*sizes)[i];
    if (size == Dim(1)) continue;
    if (steps[i] == Dim(0)) return true;
    all_known = all_known && size.known() && steps[i].known();
    if (!all_known) continue;
    placement.sizes.push_back(size.value());
    placement.strides.push_back(steps[i].value());
  }
  return all_known && dragoman::MayOverlap(placement);
}

Abstract CopyOrView(CallComposer& c, Value* value, Strides strides) {
  Heap& heap = c.call().heap();
  const Abstract self = c.Take(c.call().Argument("self"));
  const Abstract result = heap.NewTensor(value, std::move(strides));
  if (const auto* tensor = self.As<TensorRef>())
    heap.NoteChoice(result.As<TensorRef>()->storage, {tensor->storage});
  return result;
}

View SliceView(Composer& c, const Value* base, const SliceBounds& bounds) {
  const int axis = bounds.axis;
  Value* start = bounds.start;
  Value* end = bounds.end;
  const std::optional<std::int64_t> first = KnownInt(c, start);
  const std::optional<std::int64_t> last = KnownInt(c, end);
  const std::optional<std::int64_t> size = c.KnownSize(base, axis);
  const std::optional<std::int64_t> step =
      bounds.step != nullptr ? KnownInt(c, bounds.step) : std::optional<std::int64_t>(1);
  const bool to_end = last && (*last == kEnd || (size && *last >= *size));
  View view;
  if (first == 0 && to_end && step == 1) {
    view.get = [](Composer&, Value* whole) { return whole; };
    view.put = [](Composer&, Value*, Value* value) { return value; };
    view.contiguous = true;
    view.steps = [](std::vector<Dim> base) { return base; };
    return view;
  }
  view.get = [=, every = bounds.step](Composer& inner, Value* whole) {
    return inner.Slice(whole, axis, start, end, step ? inner.Ints({*step}) : every);
  };
  const bool in_order = first && *first >= 0 && last && *last >= *first && size && *size >= *last;
  if (step == 1 && (in_order || (first && *first >= 0 && to_end && size && *first <= *size))) {
    view.put = [=](Composer& inner, Value* whole, Value* value) {
      return PutRange(inner, whole, value, axis, start, end);
    };
  }
  view.contiguous = axis == 0 && step == 1;
  view.steps = [axis, step](std::vector<Dim> base) {
    Dim& along = base[static_cast<std::size_t>(axis)];
    along = step ? along * *step : Dim();
    return base;
  };
  return view;
}

View SelectView(Composer& c, int axis, Value* index) {
  View view;
  view.get = [=](Composer& inner, Value* whole) { return inner.Gather(whole, index, axis); };
  const std::optional<std::int64_t> known = KnownInt(c, index);
  if (known && (*known >= 0 || *known == -1)) {
    view.put = [=, at = *known](Composer& inner, Value* whole, Value* value) {
      Value* row = inner.Unsqueeze(value, {axis});
      Value* end = inner.Ints({at == -1 ? kEnd : at + 1});
      return PutRange(inner, whole, row, axis, inner.Ints({at}), end);
    };
  } else {
    view.put = [=](Composer& inner, Value* whole, Value* value) {
      return PutAt(inner, whole, value, axis, index);
    };
  }
  view.contiguous = axis == 0;
  view.steps = [axis](std::vector<Dim> base) {
    base.erase(base.begin() + axis);
    return base;
  };
  return view;
}

View ExpandView(Composer& c, Value* base, Value* sizes) {
  View view;
  view.get = [sizes](Composer& inner, Value* of) { return inner.Expand(of, sizes); };
  Value* expanded = c.Expand(base, sizes);
  if (c.failed()) return view;
  view.contiguous = HasSizesOf(expanded, base);
  view.may_overlap = !view.contiguous;
  const Shape* from = base->type().shape();
  const Shape* to = expanded->type().shape();
  if (from == nullptr || to == nullptr) return view;
  view.steps = [from = *from, to = *to](const std::vector<Dim>& of) {
    std::vector<Dim> steps(to.size(), 0);
    const std::size_t added = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool stays = Equal(from[i], to[added + i]) == Truth::kYes;
      if (stays || from[i] != Dim(1)) steps[added + i] = stays ? of[i] : Dim();
    }
    return steps;
  };
  return view;
}

View ReshapeView(Composer& c, Value* base, Value* sizes) {
  View view;
  view.get = [sizes](Composer& inner, Value* of) { return inner.Reshape(of, sizes); };
  view.put = [](Composer& inner, Value* of, Value* value) {
    return inner.Reshape(value, inner.Shape(of));
  };
  view.contiguous = true;
  view.steps = [&c, base, sizes](std::vector<Dim> of) {
    const Value* reshaped = c.Reshape(base, sizes);
    const Shape* to = c.failed() ? nullptr : reshaped->type().shape();
    return to != nullptr ? Resize(of, *base->type().shape(), *to).steps : std::vector<Dim>();
  };
  return view;
}

View ConjugateView() {
  View view;
  view.get = [](Composer& c, Value* base) { return Conjugate(c, base); };
  view.put = [](Composer& c, Value*, Value* value) { return Conjugate(c, value); };
  view.contiguous = true;
  view.steps = [](std::vector<Dim> base) { return base; };
  return view;
}

Value* WithViewReplaced(CallComposer& c, View view, Value* value) {
  Value* self = c.Tensor("self");
  if (c.failed()) return nullptr;
  Call& call = c.call();
  const Abstract copy = call.NewTensor(self);
  const TensorRef& whole = *copy.As<TensorRef>();
  const TensorRef part = Heap::View(whole, ToStep(std::move(view), Strides::Unknown()));
  Value* seen = c.Take(call.heap().Read(call.builder(), part));
  value = c.Expand(c.CastLike(value, self), c.Shape(seen));
  if (c.failed()) return nullptr;
  c.Check(call.heap().Write(call.builder(), part, value));
  return c.Take(call.heap().Read(call.builder(), whole));
}

}  // namespace dragoman::torch
