// SPDX-License-Identifier: Apache-2.0
// What is put together along an axis, and what is read of that.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

std::string SliceAlong(Drawing& d, const std::string& x, std::int64_t begin, std::int64_t end,
                       std::int64_t axis, std::int64_t step = 1) {
  Names operands = {x, d.Ints({begin}), d.Ints({end})};
  if (axis != 0 || step != 1 || d.Chance(60)) operands.push_back(d.Ints({axis}));
  if (step != 1 || (operands.size() == 4 && d.Chance(20))) operands.push_back(d.Ints({step}));
  return d.Node("Slice", operands);
}

Sizes With(Sizes sizes, std::int64_t axis, std::int64_t size) {
  sizes[static_cast<std::size_t>(axis)] = size;
  return sizes;
}

// `now` with another row at `index`, by slices around it.
std::string PutBySlices(Drawing& d, const std::string& now, const Sizes& sizes, std::int64_t axis,
                        std::int64_t index) {
  const std::int64_t count = sizes[static_cast<std::size_t>(axis)];
  const std::int64_t off = d.Chance(6) ? d.Between(-1, 1) : 0;
  const std::int64_t wide = d.Chance(5) ? 2 : 1;
  Names parts;
  if (index > 0 || d.Chance(15)) {
    const std::int64_t begin = d.Chance(20) ? -count : 0;
    parts.push_back(
        SliceAlong(d, now, begin, d.Chance(20) && index > 0 ? index - count : index + off, axis));
  }
  parts.push_back(d.Input("f32", With(sizes, axis, wide)));
  if (d.Chance(20)) parts.back() = d.Node("Neg", {parts.back()});
  const std::int64_t after = index + 1 + (d.Chance(5) ? d.Between(-1, 1) : 0);
  if (index + 1 < count || d.Chance(15)) {
    const std::string source = d.Chance(5) ? d.Input("f32", sizes) : now;
    parts.push_back(SliceAlong(d, source, d.Chance(20) ? after - count : after,
                               d.Chance(50) ? kFar : count, axis, d.Chance(3) ? 2 : 1));
  }
  if (d.Chance(3)) std::swap(parts.front(), parts.back());
  const std::int64_t stated = d.Chance(20) ? axis - std::ssize(sizes) : axis;
  return d.Node("Concat", parts, fmt::format("axis = {}", stated));
}

std::string PutByScatter(Drawing& d, const std::string& now, const Sizes& sizes, std::int64_t axis,
                         std::int64_t index) {
  const std::int64_t stated = d.Chance(25) ? index - sizes[static_cast<std::size_t>(axis)] : index;
  const std::string reduction =
      d.Chance(8) ? "reduction = \"" + d.Of({"add", "mul", "max", "none"}) + "\"" : "";
  const Sizes row = With(sizes, axis, 1);
  const std::string update = d.Input("f32", row);
  if (axis == 0 && d.Chance(60)) {  // one place a row
    const std::string indices =
        d.Constant("i64", {1, 1}, [&] { return static_cast<double>(stated); });
    return d.Node("ScatterND", {now, indices, update}, reduction);
  }
  const bool open = std::ranges::any_of(row, [](std::int64_t size) { return size < 0; });
  if (open) return d.Node("Neg", {now});
  if (d.Chance(50)) {  // a place for each element
    std::int64_t swapped = d.Chance(10) ? 1 : 0;
    Sizes indices = row;
    indices.push_back(std::ssize(row));
    std::vector<std::int64_t> at(row.size(), 0);
    std::size_t next = 0;
    const std::string places = d.Constant("i64", indices, [&] {
      const std::size_t along = next++ % row.size();
      std::int64_t place = at[along];
      if (static_cast<std::int64_t>(along) == axis) place = stated;
      if (swapped != 0 && static_cast<std::int64_t>(along) != axis) place = swapped - 1;
      if (next % row.size() == 0) {
        for (std::size_t i = row.size(); i-- > 0;) {
          if (++at[i] < row[i]) break;
          at[i] = 0;
        }
      }
      return static_cast<double>(place);
    });
    return d.Node("ScatterND", {now, places, update}, reduction);
  }
  std::string places;
  if (d.Chance(50)) {
    places = d.Node("Expand", {d.Int(stated), d.Ints(row)});
  } else {
    places = d.Constant(
        "i64", row, [&] { return static_cast<double>(d.Chance(97) ? stated : d.Between(0, 1)); });
  }
  return d.Node("ScatterElements", {now, places, update},
                fmt::format("axis = {}{}{}", axis, reduction.empty() ? "" : ", ", reduction));
}

// One to four rows are put in a tensor one after the other, at times in order; `read` is called
// with what it is after each.
template <class Read>
void PutRows(Drawing& d, int in_order, const Read& read) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Between(0, std::ssize(sizes) - 1);
  const std::int64_t count = d.Between(1, 4);
  sizes[static_cast<std::size_t>(axis)] = count;
  std::string now = d.Input("f32", sizes);
  const bool scatters = d.Chance(50);
  for (std::int64_t i = 0, end = d.Between(1, 4); i < end; ++i) {
    const std::int64_t index = d.Chance(in_order) ? i % count : d.Between(0, count - 1);
    now = scatters ? PutByScatter(d, now, sizes, axis, index)
                   : PutBySlices(d, now, sizes, axis, index);
    read(now, sizes, axis);
  }
  d.MaybeRead(now);
}

void CollectRows(Drawing& d) {
  PutRows(d, 70, [&](std::string& now, const Sizes&, std::int64_t axis) {
    if (d.Chance(5)) now = d.Node("Neg", {now});
    if (d.Chance(5)) SliceAlong(d, now, 0, 1, axis);
  });
}

// One element along an axis of `x`, without that axis or with it.
std::string Part(Drawing& d, const std::string& x, const Sizes& sizes, std::int64_t axis,
                 std::int64_t index, bool keeps_axis) {
  const std::int64_t stated = d.Chance(15) ? index - sizes[static_cast<std::size_t>(axis)] : index;
  if (d.Chance(60)) {
    const std::string gather =
        keeps_axis ? d.Node("Gather", {x, d.Ints({stated})}, fmt::format("axis = {}", axis))
                   : d.Node("Gather", {x, d.Int(stated)}, fmt::format("axis = {}", axis));
    return gather;
  }
  const std::string slice = SliceAlong(d, x, index, index + 1, axis);
  return keeps_axis ? slice : d.Node("Squeeze", {slice, d.Ints({axis})});
}

// Rows of what rows were put in.
void ReadPutRows(Drawing& d) {
  PutRows(d, 0, [&](const std::string& now, const Sizes& sizes, std::int64_t axis) {
    const std::int64_t last = sizes[static_cast<std::size_t>(axis)] - 1;
    if (d.Chance(60)) d.MaybeRead(Part(d, now, sizes, axis, d.Between(0, last), d.Chance(30)));
  });
}

void CollectSlices(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Between(0, std::ssize(sizes) - 1);
  const std::int64_t count = d.Between(2, 4);
  sizes[static_cast<std::size_t>(axis)] = count;
  const std::string x = d.Input("f32", sizes);
  const bool keeps_axis = d.Chance(20);
  const bool new_axis = !keeps_axis && (sizes.size() == 1 || d.Chance(50));
  const std::int64_t rank = std::ssize(sizes) + (keeps_axis || new_axis ? 0 : -1);
  const std::int64_t to = d.Chance(50) ? std::min(axis, rank - 1) : d.Between(0, rank - 1);
  Names parts;
  for (std::int64_t i = 0; i < count; ++i) {
    if (d.Chance(3)) continue;
    const std::int64_t index = d.Chance(96) ? i : d.Between(0, count - 1);
    const std::string source = d.Chance(2) ? d.Input("f32", sizes, {.low = -2, .high = 2}) : x;
    std::string part = Part(d, source, sizes, axis, index, keeps_axis);
    if (new_axis) part = d.Node("Unsqueeze", {part, d.Ints({to})});
    parts.push_back(part);
  }
  if (parts.empty()) parts.push_back(x);
  d.MaybeRead(d.Node("Concat", parts, fmt::format("axis = {}", d.Chance(15) ? to - rank : to)));
}

// All of a tensor in slices, beside others.
void JoinSlices(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Between(0, std::ssize(sizes) - 1);
  const std::int64_t count = d.Between(2, 5);
  sizes[static_cast<std::size_t>(axis)] = count;
  const std::string x = d.Input("f32", sizes), other = d.Input("f32", sizes, {.low = -2});
  Names parts;
  if (d.Chance(30)) parts.push_back(other);
  for (std::int64_t begin = d.Chance(95) ? 0 : 1; begin < count;) {
    const std::int64_t end = std::min(begin + d.Between(1, 3), d.Chance(95) ? count : count - 1);
    parts.push_back(SliceAlong(d, d.Chance(97) ? x : other, d.Chance(20) ? begin - count : begin,
                               end == count && d.Chance(40) ? kFar : end, axis,
                               d.Chance(3) ? 2 : 1));
    if (d.Chance(4)) parts.push_back(parts.back());
    begin = std::max(begin + 1, end);
  }
  if (d.Chance(5)) std::swap(parts.front(), parts.back());
  if (d.Chance(30)) parts.push_back(other);
  d.MaybeRead(d.Node("Concat", parts,
                     fmt::format("axis = {}", d.Chance(15) ? axis - std::ssize(sizes) : axis)));
}

// Rows without their axis, which the Concat of them gets again.
void ReshapesOfParts(Drawing& d) {
  const Sizes row = d.AnySizes(1, 2);
  Sizes kept = row, back = row;
  kept.insert(kept.begin(), 1);
  const std::int64_t count = d.Between(1, 3), rows = d.Chance(90) ? 1 : 2;
  Names parts;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string x = d.Input("f32", kept);
    if (d.Chance(5)) {
      parts.push_back(d.Input("f32", row));
    } else if (row.size() == 1 && d.Chance(10)) {
      parts.push_back(d.Node("Squeeze", {d.Input("f32", {row[0], 1}), d.Ints({1})}));
    } else {
      parts.push_back(d.Node("Squeeze", {x, d.Ints({0})}));
    }
  }
  const std::string whole = d.MaybeRead(
      d.Node("Concat", parts, fmt::format("axis = {}", d.Chance(92) ? 0 : d.Axis(row.size()))));
  back.insert(back.begin(), count);
  if (rows != 1) std::swap(back[0], back[1]);
  for (std::int64_t& size : back) size = size < 0 ? -1 : size;
  d.MaybeRead(d.Node("Reshape", {whole, d.Ints(back)}));
}

struct Joined {
  std::string whole;
  Sizes sizes;                      // of the whole
  std::int64_t axis = 0;            // from the front
  std::vector<std::int64_t> parts;  // their sizes
};

Joined Join(Drawing& d, const std::string& dtype) {
  Joined joined;
  joined.sizes = d.AnySizes(1, 3);
  joined.axis = d.Between(0, std::ssize(joined.sizes) - 1);
  Names parts;
  std::int64_t whole = 0;
  for (std::int64_t i = d.Between(1, 4); i > 0; --i) {
    const std::int64_t size = d.Chance(96) ? (d.Chance(10) ? 0 : d.Between(1, 2)) : kN;
    joined.parts.push_back(size);
    whole = size < 0 || whole < 0 ? kOther : whole + size;
    const Sizes own = With(joined.sizes, joined.axis, size);
    parts.push_back(d.Weight(dtype, own));
    if (d.Chance(30)) parts.back() = d.Node("Neg", {parts.back()});
    if (d.Chance(5)) parts.back() = parts.front();
  }
  joined.sizes = With(joined.sizes, joined.axis, whole);
  const std::int64_t stated = d.Chance(25) ? joined.axis - std::ssize(joined.sizes) : joined.axis;
  joined.whole = d.Node("Concat", parts, fmt::format("axis = {}", stated));
  return joined;
}

// Reads parts of `x`, mostly those that it was joined of.
void ReadParts(Drawing& d, const std::string& x, const Joined& joined) {
  const std::int64_t rank = std::ssize(joined.sizes);
  const std::int64_t axis = d.Chance(92) ? joined.axis : d.Between(0, rank - 1);
  const std::int64_t stated = d.Chance(25) ? axis - rank : axis;
  const std::int64_t kind = d.Between(0, 2);
  if (kind == 0) {
    std::vector<std::int64_t> parts = joined.parts;
    if (d.Chance(8)) std::swap(parts.front(), parts.back());
    const bool equal = std::ranges::adjacent_find(parts, std::not_equal_to<>()) == parts.end();
    const auto count = parts.size();
    const std::string along = fmt::format("axis = {}", stated);
    const Names results =
        equal && d.Chance(50)
            ? d.Nodes("Split", {x}, fmt::format("{}, num_outputs = {}", along, count), count)
            : d.Nodes("Split", {x, d.Ints(parts)}, along, count);
    d.MaybeRead(results[static_cast<std::size_t>(d.Between(0, std::ssize(results) - 1))]);
    return;
  }
  std::int64_t begin = 0;
  const std::int64_t whole = joined.sizes[static_cast<std::size_t>(joined.axis)];
  for (std::int64_t size : joined.parts) {
    if (size < 0) break;
    const std::int64_t at = begin + (d.Chance(5) ? 1 : 0);
    const std::int64_t end = begin + size;
    if (kind == 1 && d.Chance(80)) {
      const bool last = end == whole;
      SliceAlong(d, x, d.Chance(20) && whole > 0 ? at - whole : at,
                 last && d.Chance(40) ? kFar
                 : d.Chance(95)       ? end
                                      : end + 1,
                 stated, d.Chance(4) ? 2 : 1);
    } else if (kind == 2 && size == 1) {
      const std::string index = d.Chance(85) ? d.Int(d.Chance(20) ? at - whole : at) : d.Ints({at});
      d.MaybeRead(d.Node("Gather", {x, index}, fmt::format("axis = {}", stated)));
    }
    begin = end;
  }
}

void PartsOfConcat(Drawing& d) {
  const Joined joined = Join(d, d.NumberType());
  ReadParts(d, joined.whole, joined);
  if (d.Chance(30)) ReadParts(d, joined.whole, joined);
}

// A Split, and a Concat of neighbouring parts, or nearly.
void PartsPutTogether(Drawing& d) {
  const std::int64_t count = d.Between(2, 4), axis = d.Between(0, 1);
  Sizes sizes = {d.Size(), d.Size()};
  sizes[static_cast<std::size_t>(axis)] = 2 * count;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(count), 2);
  if (d.Chance(30)) ++lengths.front(), --lengths.back();
  const Names parts = d.Nodes("Split", {d.Input(d.NumberType(), sizes), d.Ints(lengths)},
                              fmt::format("axis = {}", axis), lengths.size());
  const std::int64_t first = d.Between(0, count - 2), last = d.Between(first + 1, count - 1);
  Names merged(parts.begin() + first, parts.begin() + last + 1);
  if (d.Chance(10)) std::swap(merged.front(), merged.back());
  if (d.Chance(10)) merged.push_back(merged.front());
  if (d.Chance(10)) d.Node("Neg", {parts[static_cast<std::size_t>(first)]});
  d.MaybeRead(d.Node("Concat", merged, fmt::format("axis = {}", d.Chance(92) ? axis : 1 - axis)));
  if (first > 0) d.MaybeRead(d.Node("Neg", {parts.front()}));
  if (last + 1 < count && d.Chance(60))
    d.MaybeRead(d.Node("Concat", {parts[static_cast<std::size_t>(last + 1)], parts.back()},
                       fmt::format("axis = {}", axis)));
}

// A Scan whose result lists a state, or nearly, and a row of what it lists.
void RowsOfScan(Drawing& d) {
  const Sizes row = {d.Size(), 2};
  Sizes rows = row;
  rows.insert(rows.begin(), d.Size());
  const std::string listed = d.Of({"%n", "%n", "%n", "%t"});
  const std::string body = fmt::format(
      "body = graph body(%s: {0}, %r: {0}) -> (%n: {0}, {1}: {0}) {{ %t = onnx.Add(%s, %r) %n = "
      "onnx.Tanh(%t) }}, num_scan_inputs = 1, scan_output_directions = [{2}]",
      TypeText("f32", row), listed, d.Chance(20) ? 1 : 0);
  const Names results = d.Nodes("Scan", {d.Weight("f32", row), d.Input("f32", rows)}, body, 2);
  const std::int64_t count = rows.front();
  const std::int64_t last = count > 0 && d.Chance(40) ? count - 1 : -1;
  const std::string index = d.Int(d.Chance(70) ? last : d.Chance(50) ? 0 : 1);
  d.MaybeRead(
      d.Node("Gather", {results[1], index}, fmt::format("axis = {}", d.Chance(90) ? 0 : 1)));
  if (d.Chance(50)) d.MaybeRead(results[0]);
}

void CutElementwise(Drawing& d) {
  const Joined joined = Join(d, "f32");
  std::string x = joined.whole;
  const auto other = [&]() -> std::string {
    switch (d.Between(0, 4)) {
      case 0: {
        Sizes sizes = joined.sizes;
        for (std::int64_t& size : sizes) {
          if (size == kOther || d.Chance(30)) size = 1;
        }
        const std::ptrdiff_t dropped = d.Between(0, std::ssize(sizes));
        if (d.Chance(40)) sizes.erase(sizes.begin(), sizes.begin() + dropped);
        if (d.Chance(5)) sizes.insert(sizes.begin(), d.Between(1, 2));
        return d.Weight("f32", sizes);
      }
      case 1:
        return d.Numbers("f32", {});
      case 2:
        return joined.whole;
      case 3:
        return x;
      default:
        return Join(d, "f32").whole;
    }
  };
  for (std::int64_t i = d.Between(1, 3); i > 0; --i) {
    const std::string op = d.Of({"Add", "Mul", "Sub", "Where", "Div"});
    Names operands = {x, other()};
    if (d.Chance(40)) std::swap(operands[0], operands[1]);
    if (op == "Where") {
      Sizes sizes = joined.sizes;
      for (std::int64_t& size : sizes) {
        if (size == kOther || d.Chance(40)) size = 1;
      }
      operands.insert(operands.begin(), d.Input("bool", sizes));
    }
    x = d.Node(op, operands);
    if (d.Chance(50)) ReadParts(d, x, joined);
  }
  ReadParts(d, x, joined);
}

void NestedConcats(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t rank = std::ssize(sizes);
  const std::int64_t axis = d.Between(0, rank - 1);
  const auto stated = [&] {
    return fmt::format("axis = {}", d.Chance(4)    ? d.Axis(sizes.size())
                                    : d.Chance(25) ? axis - rank
                                                   : axis);
  };
  Names open;
  for (std::int64_t i = d.Between(3, 6); i > 0; --i) {
    open.push_back(d.Weight("f32", With(sizes, axis, d.Size())));
  }
  while (open.size() > 1) {
    const auto begin = d.Between(0, std::ssize(open) - 2);
    const auto end = std::min<std::int64_t>(std::ssize(open), begin + d.Between(2, 3));
    Names parts(open.begin() + begin, open.begin() + end);
    if (d.Chance(6)) parts.push_back(parts.front());
    open.erase(open.begin() + begin + 1, open.begin() + end);
    open[static_cast<std::size_t>(begin)] = d.Node("Concat", parts, stated());
    if (d.Chance(5))
      open[static_cast<std::size_t>(begin)] =
          d.Node("Neg", {open[static_cast<std::size_t>(begin)]});
  }
  d.MaybeRead(open.front());
}

Sizes Narrowed(Drawing& d, Sizes sizes, int percent) {
  for (std::int64_t& size : sizes) {
    if (d.Chance(percent)) size = 1;
  }
  return sizes;
}

void NegatedChoices(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  std::string mask = d.Input("bool", Narrowed(d, sizes, 30));
  if (d.Chance(90)) mask = d.Node("Not", {mask});
  if (d.Chance(10)) mask = d.Node("Not", {mask});
  const std::string dtype = d.NumberType();
  d.MaybeRead(
      d.Node("Where", {mask, d.Input(dtype, Narrowed(d, sizes, 20)), d.Input(dtype, sizes)}));
}

// A row of one tensor, or one that is repeated for all rows, in the place of a row of another.
void ChosenRows(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t rank = std::ssize(sizes);
  const std::int64_t axis = d.Between(0, rank - 1);
  const std::int64_t count = d.Between(2, 4);
  sizes = With(sizes, axis, count);
  std::vector<double> bits(static_cast<std::size_t>(count), 0);
  for (std::int64_t rows = d.Chance(85) ? 1 : d.Between(0, 3); rows > 0; --rows)
    bits[static_cast<std::size_t>(d.Between(0, count - 1))] = 1;
  if (d.Chance(30)) {
    for (double& bit : bits) bit = 1 - bit;
  }
  Sizes mask_sizes = With(Sizes(sizes.size(), 1), axis, count);
  mask_sizes.erase(mask_sizes.begin(), mask_sizes.begin() + d.Between(0, axis));
  if (d.Chance(8)) {  // of two axes
    mask_sizes = sizes;
    for (std::int64_t& size : mask_sizes) size = std::max<std::int64_t>(size, 1);
  }
  const std::string mask = d.Constant(
      "bool", mask_sizes, [&, i = std::size_t{0}]() mutable { return bits[i++ % bits.size()]; });
  Sizes row = With(sizes, axis, 1);
  std::string written = d.Input("f32", sizes);
  if (d.Chance(60)) {
    const std::string like = d.Input("f32", sizes);
    written = d.Node("Expand", {d.Weight("f32", d.Chance(80) ? row : Narrowed(d, row, 50)),
                                d.Node("Shape", {like})});
  }
  if (d.Chance(8)) written = d.Weight("f32", d.Chance(50) ? Sizes{} : row);
  Names operands = {mask, written, d.Input("f32", d.Chance(92) ? sizes : Narrowed(d, sizes, 40))};
  if (d.Chance(30)) std::swap(operands[1], operands[2]);
  d.MaybeRead(d.Node("Where", operands));
}

void KnownChoices(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const Sizes mask = d.Chance(50) ? Sizes{} : Narrowed(d, d.KnownSizes(1, 3), 50);
  const std::int64_t odd = d.Chance(85) ? -1 : 0;
  const bool is_true = d.Chance(50);
  const std::string known = d.Constant(
      "bool", mask, [=, i = std::int64_t{0}]() mutable { return (i++ == odd) != is_true; });
  const std::string dtype = d.NumberType();
  d.MaybeRead(d.Node("Where", {known, d.Input(dtype, Narrowed(d, sizes, 10)),
                               d.Input(dtype, Narrowed(d, sizes, 10))}));
}

void AllElements(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Between(0, std::ssize(sizes) - 1);
  if (d.Chance(85)) sizes = With(sizes, axis, d.Chance(60) ? 1 : d.Between(2, 4));
  std::vector<std::int64_t> places = {d.Between(-1, d.Chance(90) ? 0 : 1)};
  for (std::int64_t i = 1; i < sizes[static_cast<std::size_t>(axis)]; ++i)
    places.push_back(d.Chance(92) ? i : 0);
  std::string index;
  if (places.size() == 1 && d.Chance(70)) {
    index = d.Int(places.front());
  } else if (d.Chance(60)) {
    index = d.Ints(places);
  } else {  // of several axes, one of them long, or two
    Sizes axes = {std::ssize(places)};
    if (places.size() % 2 == 0 && d.Chance(30)) axes = {2, std::ssize(places) / 2};
    while (axes.size() < 3 && d.Chance(60))
      axes.insert(axes.begin() + d.Between(0, std::ssize(axes)), 1);
    index = d.Constant("i64", axes,
                       [places, i = 0u]() mutable { return static_cast<double>(places[i++]); });
  }
  d.MaybeRead(d.Node("Gather", {d.Input(d.NumberType(), sizes), index},
                     fmt::format("axis = {}", d.Chance(70) ? axis : axis - std::ssize(sizes))));
}

void OneElement(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t rank = std::ssize(sizes), axis = d.Between(0, rank - 1);
  sizes = With(sizes, axis, d.Chance(95) ? d.Between(1, 4) : kN);
  const std::int64_t begin = d.Between(-1, 3);
  const std::string slice =
      SliceAlong(d, d.Input(d.NumberType(), sizes), begin, d.Chance(90) ? begin + 1 : begin + 2,
                 d.Chance(80) ? axis : axis - rank, d.Chance(95) ? 1 : 2);
  d.MaybeRead(d.Node("Squeeze", {slice, d.Ints({d.Chance(70) ? axis : d.Axis(sizes.size())})}));
}

// Parts of a Split, mostly of one element, without the axis that is cut.
void OnePart(Drawing& d) {
  Sizes sizes = d.KnownSizes(1, 3);
  const std::int64_t axis = d.Axis(sizes.size()),
                     front = axis < 0 ? axis + std::ssize(sizes) : axis;
  const std::int64_t parts = d.Between(2, 3);
  sizes[static_cast<std::size_t>(front)] = parts * (d.Chance(90) ? 1 : 2);
  const Names cut = d.Nodes("Split", {d.Input("f32", sizes)},
                            fmt::format("axis = {}, num_outputs = {}", axis, parts),
                            static_cast<std::size_t>(parts));
  for (const std::string& part : cut) {
    if (d.Chance(70)) d.MaybeRead(d.Node("Squeeze", {part, d.Ints({d.Chance(90) ? front : 0})}));
  }
}

}  // namespace

std::span<const DrawnPattern> DrawnRows() {
  static constexpr DrawnPattern kDrawn[] = {
      {"collect-rows", CollectRows},
      {"read-put-row", ReadPutRows},
      {"collect-slices", CollectSlices},
      {"join-slices", JoinSlices},
      {"merge-reshapes-of-parts", ReshapesOfParts},
      {"flatten-concat", NestedConcats},
      {"cut-elementwise-of-concat", CutElementwise},
      {"read-slice-of-concat", PartsOfConcat},
      {"read-gather-of-concat", PartsOfConcat},
      {"read-split-of-concat", PartsOfConcat},
      {"merge-parts", PartsPutTogether},
      {"read-last-of-scan", RowsOfScan},
      {"swap-negated-choice", NegatedChoices},
      {"join-chosen-row", ChosenRows},
      {"take-known-choice", KnownChoices},
      {"take-all-elements", AllElements},
      {"take-one-element", OneElement},
      {"take-one-part", OnePart},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
