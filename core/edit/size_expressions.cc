// SPDX-License-Identifier: Apache-2.0
#include "core/edit/size_expressions.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dragoman {
namespace {

std::vector<NumberPair> PairSizes(const Tensor& first, const Tensor& second) {
  std::vector<NumberPair> pairs;
  for (std::size_t i = 0; i < first.sizes().size(); ++i)
    pairs.push_back({first.sizes()[i], second.sizes()[i]});
  return pairs;
}

// Lists of numbers are short.
constexpr std::int64_t kMaxNumbers = 64;

bool HasWholeBytes(const Tensor& tensor) {
  const int bits = Info(tensor.dtype()).bits;
  return bits > 0 && bits % 8 == 0 && tensor.dtype() != DType::kString;
}

std::size_t ElementBytes(const Tensor& tensor) {
  return static_cast<std::size_t>(Info(tensor.dtype()).bits / 8);
}

bool AllEqual(const Tensor& tensor, std::span<const std::byte> element) {
  const std::span<const std::byte> bytes = tensor.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += element.size()) {
    if (std::memcmp(bytes.data() + at, element.data(), element.size()) != 0) return false;
  }
  return true;
}

// Whether `small` is what `large` holds before the end of `small` along each axis.
bool IsBeginning(const Tensor& small, const Tensor& large) {
  const std::size_t width = ElementBytes(small);
  std::vector<std::int64_t> index(small.sizes().size(), 0);
  for (std::int64_t i = 0; i < small.size(); ++i) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      at = at * large.sizes()[axis] + index[axis];
    if (std::memcmp(small.bytes().data() + static_cast<std::size_t>(i) * width,
                    large.bytes().data() + static_cast<std::size_t>(at) * width, width) != 0)
      return false;
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < small.sizes()[axis]) break;
      index[axis] = 0;
    }
  }
  return true;
}

bool CountsUp(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.IntAt(i) != i) return false;
  }
  return true;
}

// What both numbers of `small` are multiplied by in `large`, above 1; nullopt: nothing.
std::optional<std::int64_t> Factor(const NumberPair& small, const NumberPair& large) {
  if (small.first <= 0 || small.second <= 0) return std::nullopt;
  const std::int64_t times = large.first / small.first;
  const bool fits = times > 1 && times * small.first == large.first &&
                    large.second / small.second == times && large.second % small.second == 0;
  return fits ? std::optional(times) : std::nullopt;
}

// Those that differ, the shortest first.
std::vector<SizeProduct> ProductsOf(std::span<const SizedValue> sources) {
  std::vector<SizeProduct> products;
  for (const SizedValue& source : sources) {
    for (std::size_t axis = 0; axis < source.sizes.size(); ++axis) {
      NumberPair value{1, 1};
      for (std::size_t end = axis + 1; end <= source.sizes.size(); ++end) {
        if (__builtin_mul_overflow(value.first, source.sizes[end - 1].first, &value.first) ||
            __builtin_mul_overflow(value.second, source.sizes[end - 1].second, &value.second))
          break;
        if (!value.equal()) products.push_back({&source, axis, end, value});
      }
    }
  }
  std::ranges::stable_sort(products, {}, [](const SizeProduct& p) { return p.end - p.axis; });
  return products;
}

std::string PlaceOf(const SizedValue& source, std::size_t axis) {
  return source.value->name() + ".shape[" + std::to_string(axis) + "]";
}

}  // namespace

SizeExpressions::SizeExpressions(NameScope& names, Node& position, std::vector<SizedValue> sources)
    : names_(names),
      position_(position),
      sources_(std::move(sources)),
      products_(ProductsOf(sources_)) {}

std::optional<std::vector<NumberPair>> PairSizes(const Type& first, const Type& second) {
  const Shape *a = first.shape(), *b = second.shape();
  if (a == nullptr || b == nullptr || a->size() != b->size()) return std::nullopt;
  std::vector<NumberPair> pairs;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (!(*a)[i].known() || !(*b)[i].known()) return std::nullopt;
    pairs.push_back({(*a)[i].value(), (*b)[i].value()});
  }
  return pairs;
}

std::string SizeExpressions::NameFor(const char* what) {
  const std::string& node = position_.name();
  const std::string base = !node.empty() ? node : position_.result(0)->name();
  return names_.Unique(base + "/" + what);
}

Value* SizeExpressions::Const(Tensor tensor) {
  return position_.graph()->AddConstant(NameFor("number"), std::move(tensor));
}

Value* SizeExpressions::Add(const char* type, std::vector<Value*> operands,
                            std::vector<NamedAttribute> attributes) {
  const std::string name = NameFor(type);
  Node* node = position_.graph()->Insert(&position_, InternOp("onnx", type), operands, name);
  for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
  return node->AddResult(name);
}

// As a list of one number.
Value* SizeExpressions::Size(const SizeProduct& sizes) {
  Value* shape = Add("Shape", {sizes.source->value});
  Value* product = nullptr;
  for (std::size_t i = sizes.axis; i < sizes.end; ++i) {
    const std::int64_t index[] = {static_cast<std::int64_t>(i)};
    Value* size = Add("Gather", {shape, Const(Tensor::Ints(index))});
    product = product == nullptr ? size : Add("Mul", {product, size});
    text_ += (i > sizes.axis ? " * " : "") + PlaceOf(*sizes.source, i);
  }
  return product;
}

Value* SizeExpressions::Changed(const SizeProduct& sizes, const char* type, const char* sign,
                                std::int64_t number) {
  Value* size = Size(sizes);
  text_ += std::string(" ") + sign + " " + std::to_string(number);
  return Add(type, {size, Const(Tensor::Ints(std::vector{number}))});
}

// A size, sizes of neighbouring axes multiplied, a size times a number or divided by one, a size
// and a number more.
Value* SizeExpressions::Number(const NumberPair& pair) {
  for (const SizeProduct& sizes : products_) {
    if (sizes.value == pair) return Size(sizes);
  }
  for (const SizeProduct& sizes : products_) {
    const auto times = Factor(sizes.value, pair);
    if (times && sizes.is_single()) return Changed(sizes, "Mul", "*", *times);
    const auto parts = Factor(pair, sizes.value);
    if (parts && sizes.is_single()) return Changed(sizes, "Div", "/", *parts);
  }
  for (const SizeProduct& sizes : products_) {
    const std::int64_t more = pair.first - sizes.value.first;
    if (sizes.is_single() && pair.second - sizes.value.second == more)
      return Changed(sizes, "Add", "+", more);
  }
  return nullptr;
}

Value* SizeExpressions::Numbers(std::span<const NumberPair> pairs) {
  text_ = "[";
  std::vector<Value*> parts;
  std::vector<std::int64_t> constant;
  const auto flush = [&] {
    if (!constant.empty()) parts.push_back(Const(Tensor::Ints(constant)));
    constant.clear();
  };
  for (const NumberPair& pair : pairs) {
    if (&pair != pairs.data()) text_ += ", ";
    if (pair.equal()) {
      constant.push_back(pair.first);
      text_ += std::to_string(pair.first);
      continue;
    }
    flush();
    parts.push_back(Number(pair));
    if (parts.back() == nullptr) return nullptr;
  }
  flush();
  text_ += "]";
  if (parts.size() == 1) return parts[0];
  return Add("Concat", parts, {{"axis", Attribute(std::int64_t{0})}});
}

Value* SizeExpressions::Constant(const Tensor& first, const Tensor& second) {
  if (first.dtype() != second.dtype() || first.rank() != second.rank()) return nullptr;
  if (!HasWholeBytes(first)) return nullptr;
  if (first.sizes() == second.sizes()) return Ints(first, second);
  if (Value* repeated = Repeated(first, second)) return repeated;
  if (Value* range = Range(first, second)) return range;
  return Beginning(first, second);
}

// A list of integers, or one.
Value* SizeExpressions::Ints(const Tensor& first, const Tensor& second) {
  const bool is_list = first.dtype() == DType::kI64 || first.dtype() == DType::kI32;
  if (!is_list || first.rank() > 1 || first.size() > kMaxNumbers) return nullptr;
  std::vector<NumberPair> pairs;
  for (std::int64_t i = 0; i < first.size(); ++i)
    pairs.push_back({first.IntAt(i), second.IntAt(i)});
  Value* numbers = Numbers(pairs);
  if (numbers != nullptr && first.rank() == 0)
    numbers = Add("Squeeze", {numbers, Const(Tensor::Ints(std::vector<std::int64_t>{0}))});
  if (numbers == nullptr || first.dtype() == DType::kI64) return numbers;
  return Add("Cast", {numbers}, {{"to", Attribute(static_cast<std::int64_t>(first.dtype()))}});
}

Value* SizeExpressions::Repeated(const Tensor& first, const Tensor& second) {
  if (first.size() == 0 || second.size() == 0) return nullptr;
  const std::size_t width = ElementBytes(first);
  const std::span<const std::byte> element = first.bytes().first(width);
  if (!AllEqual(first, element) || !AllEqual(second, element)) return nullptr;
  Value* sizes = Numbers(PairSizes(first, second));
  if (sizes == nullptr) return nullptr;
  Result<Tensor> one = Tensor::Make(first.dtype(), {}, Buffer::Copy(element));
  if (!one.ok()) return nullptr;
  text_ = "one element repeated to " + text_;
  return Add("Expand", {Const(std::move(*one)), sizes});
}

// 0, 1, 2, …, as a list that may have axes of size 1 before and after it.
Value* SizeExpressions::Range(const Tensor& first, const Tensor& second) {
  if (first.dtype() != DType::kI64 || !CountsUp(first) || !CountsUp(second)) return nullptr;
  const std::vector<NumberPair> sizes = PairSizes(first, second);
  const NumberPair count{first.size(), second.size()};
  const auto is_other = [](const NumberPair& size) { return size != NumberPair{1, 1}; };
  if (std::ranges::count_if(sizes, is_other) != 1) return nullptr;
  Value* end = Numbers(std::span(&count, 1));
  if (end == nullptr) return nullptr;
  const std::string text = "0, 1, … up to " + text_;
  end = Add("Squeeze", {end, Const(Tensor::Ints(std::vector<std::int64_t>{0}))});
  Value* range = Add("Range", {Const(Tensor::Int(0)), end, Const(Tensor::Int(1))});
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!is_other(sizes[i])) axes.push_back(static_cast<std::int64_t>(i));
  }
  text_ = text;
  return axes.empty() ? range : Add("Unsqueeze", {range, Const(Tensor::Ints(axes))});
}

Value* SizeExpressions::Beginning(const Tensor& first, const Tensor& second) {
  const std::vector<NumberPair> sizes = PairSizes(first, second);
  const bool second_is_large = second.size() > first.size();
  const Tensor& small = second_is_large ? first : second;
  const Tensor& large = second_is_large ? second : first;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (small.sizes()[i] > large.sizes()[i]) return nullptr;
  }
  if (!IsBeginning(small, large)) return nullptr;
  std::vector<NumberPair> ends;
  std::vector<std::int64_t> axes;
  std::string limits;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].equal()) continue;
    ends.push_back(sizes[i]);
    axes.push_back(static_cast<std::int64_t>(i));
    limits += (limits.empty() ? "" : ", ") + std::to_string(large.sizes()[i]);
  }
  Value* end = Numbers(ends);
  if (end == nullptr) return nullptr;
  text_ = "its elements before " + text_ + ", which is at most [" + limits + "]";
  return Add("Slice", {Const(large), Const(Tensor::Ints(std::vector<std::int64_t>(axes.size(), 0))),
                       end, Const(Tensor::Ints(axes))});
}

}  // namespace dragoman
