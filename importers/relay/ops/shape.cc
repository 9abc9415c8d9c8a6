// SPDX-License-Identifier: Apache-2.0
// Operators that change sizes and move elements.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/lowering/math.h"
#include "core/lowering/sums.h"

namespace dragoman::relay {
namespace {

// Reads newshape from left to right over the sizes of the operand.
class NewShape {
 public:
  NewShape(Call& c, Value* x, const Ints& codes, bool allow_zero)
      : c_(c), x_(x), codes_(codes), allow_zero_(allow_zero) {}

  Value* Run() {
    for (std::size_t i = 0; i < codes_.size() && !c_.failed(); ++i) {
      if (codes_[i] == -4) {
        if (i + 2 >= codes_.size()) return c_.Fail(InvalidInput("newshape ends after -4"));
        Split(codes_[i + 1], codes_[i + 2]);
        i += 2;
      } else {
        Step(codes_[i]);
      }
    }
    return c_.failed() ? nullptr : c_.ConcatSizes(std::move(parts_));
  }

 private:
  // The size of the next axis of the operand.
  Value* Next() {
    const int rank = c_.Rank(x_);
    if (!c_.failed() && at_ >= rank)
      return c_.Fail(InvalidInput("newshape reads more axes than there are"));
    return c_.SizeVector(x_, at_++, 1);
  }

  void Step(std::int64_t code) {
    if (code > 0 || (code == 0 && allow_zero_)) {
      parts_.push_back(c_.Ints({code}));
      ++at_;
    } else if (code == 0) {
      parts_.push_back(Next());
    } else if (code == -1) {
      parts_.push_back(c_.Ints({-1}));
      ++at_;
    } else if (code == -2) {
      const int rank = c_.Rank(x_);
      if (at_ < rank) parts_.push_back(c_.SizeVector(x_, at_, rank - at_));
      at_ = rank;
    } else if (code == -3) {
      Value* first = Next();
      parts_.push_back(c_.Mul(first, Next()));
    } else {
      c_.Fail(InvalidInput("newshape has the code " + std::to_string(code)));
    }
  }

  void Split(std::int64_t a, std::int64_t b) {
    Value* size = Next();
    if (c_.failed()) return;
    if ((a < 1 && a != -1) || (b < 1 && b != -1) || (a == -1 && b == -1)) {
      c_.Fail(InvalidInput("newshape splits an axis in " + std::to_string(a) + " and " +
                           std::to_string(b)));
      return;
    }
    parts_.push_back(a == -1 ? c_.Div(size, c_.Ints({b})) : c_.Ints({a}));
    parts_.push_back(b == -1 ? c_.Div(size, c_.Ints({a})) : c_.Ints({b}));
  }

  Call& c_;
  Value* x_;
  const Ints& codes_;
  bool allow_zero_;
  int at_ = 0;
  std::vector<Value*> parts_;
};

// Sizes and one -1 are as in ai.onnx.
Value* ReshapeTo(Call& c, Value* x, const Ints& codes, bool allow_zero) {
  const bool special =
      std::any_of(codes.begin(), codes.end(), [](std::int64_t code) { return code < -1; });
  if (std::count(codes.begin(), codes.end(), -1) > 1 && !special)
    return c.Fail(InvalidInput("newshape has several sizes to be inferred"));
  const bool zeros = std::find(codes.begin(), codes.end(), 0) != codes.end();
  if (!special && !zeros) return c.Reshape(x, codes);
  // A size that is 0 at run time is not a code.
  const bool inferred = std::find(codes.begin(), codes.end(), -1) != codes.end();
  Value* shape = NewShape(c, x, codes, allow_zero).Run();
  return c.Op("Reshape", {x, shape}, {{"allowzero", std::int64_t{!inferred}}});
}

Ints Reversed(Ints values) {
  std::reverse(values.begin(), values.end());
  return values;
}

// From the right: with both read backwards.
Value* ReverseReshape(Call& c, Value* x, const Ints& codes) {
  const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(x);
  if (!sizes) return c.Fail("a reshape from the right of sizes that are not known");
  if (std::any_of(codes.begin(), codes.end(), [](std::int64_t code) { return code < -3; }))
    return c.Fail("newshape of a reshape from the right with -4");
  Ints shape;
  std::size_t at = 0;
  const Ints backwards = Reversed(*sizes);
  for (std::int64_t code : Reversed(codes)) {
    if (code > 0 || code == -1) {
      shape.push_back(code);
      ++at;
      continue;
    }
    if (code == -2) {
      while (at < backwards.size()) shape.push_back(backwards[at++]);
      continue;
    }
    if (at + (code == -3 ? 1 : 0) >= backwards.size())
      return c.Fail(InvalidInput("newshape reads more axes than there are"));
    shape.push_back(code == 0 ? backwards[at] : backwards[at] * backwards[at + 1]);
    at += code == 0 ? 1 : 2;
  }
  return c.Reshape(x, Reversed(std::move(shape)));
}

// Codes that an attribute has, read from the front or from the back; or an operand.
enum class Reshaping { kForwards, kBackwards, kOperand };

Value* LowerReshape(Call& c, Reshaping reshaping) {
  Value* x = c.Tensor(0);
  c.Ignore({"reverse"});
  const bool allow_zero = c.Bool("allowzero", false);
  if (reshaping == Reshaping::kOperand) {
    c.Ignore({"newshape"});
    const std::optional<Ints> known = c.MaybeKnownInts(1);
    if (known) return ReshapeTo(c, x, *known, allow_zero);
    // Sizes known only at run time are read as ai.onnx does; codes would not be written so.
    return c.Op("Reshape", {x, c.Index(1)}, {{"allowzero", std::int64_t{allow_zero}}});
  }
  const Ints codes = c.RequiredInts("newshape");
  if (c.failed()) return nullptr;
  return reshaping == Reshaping::kBackwards ? ReverseReshape(c, x, codes)
                                            : ReshapeTo(c, x, codes, allow_zero);
}

Value* LowerReshapeLike(Call& c) {
  Value* x = c.Tensor(0);
  Value* like = c.Tensor(1);
  const int rank = c.Rank(x);
  const int like_rank = c.Rank(like);
  const auto place = [&](std::string_view name, std::int64_t otherwise, int of) {
    std::int64_t at = c.MaybeInt(name).value_or(otherwise);
    if (at < 0) at += of;
    if (!c.failed() && (at < 0 || at > of))
      c.Fail(InvalidInput(std::string(name) + " is out of range"));
    return static_cast<int>(at);
  };
  const int begin = place("lhs_begin", 0, rank);
  const int end = place("lhs_end", rank, rank);
  const int like_begin = place("rhs_begin", 0, like_rank);
  const int like_end = place("rhs_end", like_rank, like_rank);
  if (c.failed()) return nullptr;
  if (begin > end || like_begin > like_end)
    return c.Fail(InvalidInput("axes that end before they begin"));
  std::vector<Value*> parts;
  if (begin > 0) parts.push_back(c.SizeVector(x, 0, begin));
  if (like_end > like_begin) parts.push_back(c.SizeVector(like, like_begin, like_end - like_begin));
  if (end < rank) parts.push_back(c.SizeVector(x, end, rank - end));
  return c.Reshape(x, parts.empty() ? c.Ints({}) : c.ConcatSizes(std::move(parts)));
}

Value* LowerBatchFlatten(Call& c) {
  Value* x = c.Tensor(0);
  return c.Reshape(x, c.ConcatSizes({c.SizeVector(x, 0, 1), c.Ints({-1})}));
}

Value* LowerTranspose(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  Ints order = c.IntList("axes", Reversed(AllAxes(rank)));
  // An empty list reverses too.
  if (order.empty()) order = Reversed(AllAxes(rank));
  for (std::int64_t& axis : order) axis = c.Axis(axis, rank);
  return c.failed() ? nullptr : c.Transpose(x, std::move(order));
}

// `count` axes side by side at a place known at run time only, counted from either end.
Value* UnsqueezeAt(Call& c, Value* x, Value* axis, std::int64_t count) {
  const int rank = c.Rank(x);
  if (c.failed() || count < 1) return x;
  Value* first = c.Where(c.Less(axis, 0), c.Add(axis, rank + 1), axis);
  return c.Op("Unsqueeze", {x, c.Add(c.Vector(first), c.Iota(c.Int(count)))});
}

Value* LowerExpandDims(Call& c, Given given) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  std::int64_t axis = 0;
  const std::int64_t count = c.Int("num_newaxis", 1);
  if (given == Given::kAsOperand) {
    c.Ignore({"axis"});
    const std::optional<Ints> known = c.MaybeKnownInts(1);
    if (!known) return UnsqueezeAt(c, x, c.Reshape(c.Index(1), Ints()), count);
    axis = known->empty() ? 0 : known->front();
  } else {
    axis = c.RequiredInt("axis");
  }
  if (c.failed()) return nullptr;
  if (axis < 0) axis += rank + 1;
  if (axis < 0 || axis > rank || count < 0 || count > 64)
    return c.Fail(InvalidInput("axis or num_newaxis is out of range"));
  Ints axes;
  for (std::int64_t i = 0; i < count; ++i) axes.push_back(axis + i);
  return axes.empty() ? x : c.Unsqueeze(x, std::move(axes));
}

// No list squeezes all axes of size 1, an empty one none.
Value* LowerSqueeze(Call& c, Given given) {
  Value* x = c.Tensor(0);
  std::optional<Ints> axes;
  if (given == Given::kAsOperand) {
    c.Ignore({"axis"});
    axes = c.MaybeKnownInts(1);
    if (!axes) return c.Op("Squeeze", {x, c.Flatten(c.Index(1))});
  } else {
    axes = c.MaybeInts("axis");
  }
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (!axes) {
    const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(x);
    if (!sizes) return c.Fail("a squeeze of all axes of size 1, but sizes are not known");
    axes.emplace();
    for (int i = 0; i < rank; ++i) {
      if ((*sizes)[static_cast<std::size_t>(i)] == 1) axes->push_back(i);
    }
  }
  for (std::int64_t& axis : *axes) axis = c.Axis(axis, rank);
  if (axes->empty()) return c.Op("Identity", {x});
  return c.Squeeze(x, *std::move(axes));
}

Value* LowerConcat(Call& c) {
  std::vector<Value*> tensors = c.Tensors(0);
  const std::int64_t axis = c.Int("axis", 0);
  if (c.failed()) return nullptr;
  if (tensors.empty()) return c.Fail(InvalidInput("a tuple without elements"));
  return c.Concat(tensors, c.AxisOf(axis, tensors.front()));
}

Value* LowerStack(Call& c) {
  std::vector<Value*> tensors = c.Tensors(0);
  const std::int64_t axis = c.Int("axis", 0);
  if (c.failed()) return nullptr;
  if (tensors.empty()) return c.Fail(InvalidInput("a tuple without elements"));
  const int rank = c.Rank(tensors.front());
  const int along = c.Axis(axis, rank + 1);
  for (Value*& tensor : tensors) tensor = c.Unsqueeze(tensor, {along});
  return c.Concat(std::move(tensors), along);
}

std::vector<Value*> LowerSplit(Call& c) {
  Value* x = c.Tensor(0);
  const int axis = c.AxisOf(c.Int("axis", 0), x);
  const Attribute* stated = c.Get("indices_or_sections");
  const std::optional<Ints> cuts = c.MaybeInts("indices_or_sections");
  const bool equal = stated != nullptr && stated->kind() == Attribute::Kind::kInt;
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  if (c.failed()) return {};
  if (!cuts) {
    c.Fail("indices_or_sections is missing, since it is in a metadata section that was omitted");
    return {};
  }
  if (equal) {
    const std::int64_t count = cuts->front();
    if (count < 1 || count > 65536 || (size && *size % count != 0)) {
      c.Fail(
          InvalidInput(std::to_string(count) + " equal parts of an axis that they do not divide"));
      return {};
    }
    if (count == 1) return {c.Op("Identity", {x})};
    return c.Ops("Split", {x}, {{"axis", std::int64_t{axis}}, {"num_outputs", count}},
                 static_cast<std::size_t>(count));
  }
  if (!size) {
    c.Fail("a split at places of an axis whose size is not known");
    return {};
  }
  Ints sizes;
  std::int64_t at = 0;
  for (std::int64_t cut : *cuts) {
    if (cut < at || cut > *size) {
      c.Fail(InvalidInput("a cut at " + std::to_string(cut) + " of " + std::to_string(*size)));
      return {};
    }
    sizes.push_back(cut - at);
    at = cut;
  }
  sizes.push_back(*size - at);
  const std::size_t count = sizes.size();
  if (count == 1) return {c.Op("Identity", {x})};
  return c.Ops("Split", {x, c.Ints(std::move(sizes))}, {{"axis", std::int64_t{axis}}}, count);
}

// What says the sizes of the result; a tensor has them itself.
enum class SizesOf { kAttribute, kOperand, kTensor };

Value* LowerBroadcastTo(Call& c, SizesOf sizes_of) {
  Value* x = c.Tensor(0);
  c.Ignore({"dtype"});
  if (sizes_of == SizesOf::kTensor) return c.Expand(x, c.Shape(c.Tensor(1)));
  if (sizes_of == SizesOf::kOperand) {
    c.Ignore({"shape"});
    return c.Expand(x, c.Index(1));
  }
  return c.Expand(x, c.Ints(c.RequiredInts("shape")));
}

// Sums over the axes that broadcasting would have made.
Value* LowerCollapseSum(Call& c, SizesOf sizes_of) {
  Value* x = c.Tensor(0);
  Ints wanted;
  if (sizes_of == SizesOf::kTensor) {
    const std::optional<std::vector<std::int64_t>> sizes = c.KnownSizes(c.Tensor(1));
    if (!sizes && !c.failed()) c.Fail("sizes that are not known");
    wanted = sizes.value_or(Ints());
  } else {
    c.Ignore({"shape"});
    wanted = c.KnownInts(1, "a shape");
  }
  return SumTo(c, x, std::move(wanted));
}

Value* LowerRepeat(Call& c) {
  Value* x = c.Tensor(0);
  const std::int64_t count = c.RequiredInt("repeats");
  const std::optional<std::int64_t> given = c.MaybeInt("axis");
  if (c.failed()) return nullptr;
  if (count < 1) return c.Fail(InvalidInput("repeats is " + std::to_string(count)));
  if (!given) x = c.Flatten(x);
  const int rank = c.Rank(x);
  const int axis = c.Axis(given.value_or(0), rank);
  Value* apart = c.Unsqueeze(x, {axis + 1});
  Ints times(static_cast<std::size_t>(rank) + 1, 1);
  times[static_cast<std::size_t>(axis) + 1] = count;
  Value* tiled = c.Op("Tile", {apart, c.Ints(std::move(times))});
  std::vector<Value*> sizes;
  if (axis > 0) sizes.push_back(c.SizeVector(x, 0, axis));
  sizes.push_back(c.Mul(c.SizeVector(x, axis, 1), c.Ints({count})));
  if (axis + 1 < rank) sizes.push_back(c.SizeVector(x, axis + 1, rank - axis - 1));
  return c.Reshape(tiled, c.ConcatSizes(std::move(sizes)));
}

// The shorter of repetitions and sizes is filled with 1 on the left.
Value* LowerTile(Call& c, Given given) {
  Value* x = c.Tensor(0);
  Ints times;
  if (given == Given::kAsOperand) {
    c.Ignore({"reps"});
    const std::optional<Ints> known = c.MaybeKnownInts(1);
    if (!known) return c.Op("Tile", {x, c.Index(1)});
    times = *known;
  } else {
    times = c.RequiredInts("reps");
  }
  const auto rank = static_cast<std::size_t>(c.Rank(x));
  if (c.failed()) return nullptr;
  if (times.size() < rank) times.insert(times.begin(), rank - times.size(), 1);
  if (times.size() > rank) {
    Ints axes;
    for (std::size_t i = 0; i < times.size() - rank; ++i) axes.push_back(static_cast<int>(i));
    x = c.Unsqueeze(x, std::move(axes));
  }
  return c.Op("Tile", {x, c.Ints(std::move(times))});
}

Value* LowerPad(Call& c, Given given) {
  Value* x = c.Tensor(0);
  const std::string mode = c.Text("pad_mode", "constant");
  Value* fill = nullptr;
  Value* pads = nullptr;
  if (given == Given::kAsOperand) {
    c.Ignore({"pad_width"});
    Value* width = c.Transpose(c.Index(1), {1, 0});
    pads = c.Flatten(width);
    fill = c.Tensor(2);
  } else {
    Ints before;
    Ints after;
    for (const Ints& pair : c.IntPairs("pad_width")) {
      before.push_back(pair[0]);
      after.push_back(pair[1]);
    }
    before.insert(before.end(), after.begin(), after.end());
    pads = c.Ints(std::move(before));
    fill = c.num_operands() > 1 ? c.Tensor(1) : c.Number(c.Float("pad_value", 0), c.dtype(x));
  }
  if (mode != "constant") return c.Op("Pad", {x, pads}, {{"mode", mode}});
  return c.Op("Pad", {x, pads, c.CastLike(fill, x)}, {{"mode", mode}});
}

Value* LowerMirrorPad(Call& c) {
  Value* x = c.Tensor(0);
  const bool symmetric = c.Text("mode", "SYMMETRIC") == "SYMMETRIC";
  const std::vector<Ints> pairs = c.IntPairs("pad_width");
  for (std::size_t i = 0; i < pairs.size() && !c.failed(); ++i) {
    const std::int64_t before = pairs[i][0];
    const std::int64_t after = pairs[i][1];
    if (before == 0 && after == 0) continue;
    const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(i));
    if (!size) return c.Fail("an axis whose size is not known");
    const std::int64_t skip = symmetric ? 0 : 1;
    if (before < 0 || after < 0 || std::max(before, after) > *size - skip)
      return c.Fail(InvalidInput("pads beyond what can be mirrored"));
    Ints places;
    for (std::int64_t at = before; at-- > 0;) places.push_back(at + skip);
    for (std::int64_t at = 0; at < *size; ++at) places.push_back(at);
    for (std::int64_t at = 0; at < after; ++at) places.push_back(*size - 1 - skip - at);
    x = c.Gather(x, c.Ints(std::move(places)), static_cast<int>(i));
  }
  return x;
}

Value* LowerReverse(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  for (std::int64_t axis : c.IntList("axis", {0}))
    x = c.Slice(x, c.Axis(axis, rank), -1, INT64_MIN, -1);
  return x;
}

Value* LowerReverseSequence(Call& c) {
  const std::int64_t time = c.Int("seq_axis", 1);
  const std::int64_t batch = c.Int("batch_axis", 0);
  Value* x = c.Tensor(0);
  return c.Op("ReverseSequence", {x, c.Index(1)},
              {{"batch_axis", std::int64_t{c.AxisOf(batch, x)}},
               {"time_axis", std::int64_t{c.AxisOf(time, x)}}});
}

Value* LowerShapeOf(Call& c) {
  const DType dtype = c.Type("dtype", DType::kI32);
  return c.Cast(c.Shape(c.Tensor(0)), dtype);
}

Value* LowerNumElements(Call& c) {
  const DType dtype = c.Type("dtype", DType::kI32);
  return c.Cast(c.NumElements(c.Tensor(0)), dtype);
}

}  // namespace

std::span<const OpRow> ShapeRows() {
  static constexpr OpRow kRows[] = {
      {"_contrib_reverse_reshape", With<LowerReshape, Reshaping::kBackwards>},
      {"broadcast_to", With<LowerBroadcastTo, SizesOf::kAttribute>},
      {"broadcast_to_like", With<LowerBroadcastTo, SizesOf::kTensor>},
      {"collapse_sum_like", With<LowerCollapseSum, SizesOf::kTensor>},
      {"collapse_sum_to", With<LowerCollapseSum, SizesOf::kAttribute>},
      {"concatenate", LowerConcat},
      {"contrib.ndarray_size", LowerNumElements},
      {"contrib_reverse_reshape", With<LowerReshape, Reshaping::kBackwards>},
      {"dyn.broadcast_to", With<LowerBroadcastTo, SizesOf::kOperand>},
      {"dyn.expand_dims", With<LowerExpandDims, Given::kAsOperand>},
      {"dyn.nn.pad", With<LowerPad, Given::kAsOperand>},
      {"dyn.reshape", With<LowerReshape, Reshaping::kOperand>},
      {"dyn.squeeze", With<LowerSqueeze, Given::kAsOperand>},
      {"dyn.tile", With<LowerTile, Given::kAsOperand>},
      {"expand_dims", With<LowerExpandDims, Given::kAsAttribute>},
      {"ndarray_size", LowerNumElements},
      {"nn.batch_flatten", LowerBatchFlatten},
      {"nn.mirror_pad", LowerMirrorPad},
      {"nn.pad", With<LowerPad, Given::kAsAttribute>},
      {"repeat", LowerRepeat},
      {"reshape", With<LowerReshape, Reshaping::kForwards>},
      {"reshape_like", LowerReshapeLike},
      {"reverse", LowerReverse},
      {"reverse_sequence", LowerReverseSequence},
      {"shape_of", LowerShapeOf},
      {"split", LowerSplit},
      {"squeeze", With<LowerSqueeze, Given::kAsAttribute>},
      {"stack", LowerStack},
      {"tile", With<LowerTile, Given::kAsAttribute>},
      {"transpose", LowerTranspose},
  };
  return kRows;
}

}  // namespace dragoman::relay
