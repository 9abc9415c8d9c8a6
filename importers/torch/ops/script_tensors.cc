// SPDX-License-Identifier: Apache-2.0
// What a program asks a tensor, and the ways between tensors and Python numbers.
#include <algorithm>
#include <cstring>

#include "core/lowering/heap.h"
#include "core/lowering/number_value.h"
#include "core/support/bytes.h"
#include "core/support/find_by_key.h"
#include "importers/torch/container/torch_dtype.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

Result<Value*> Self(Call& call) {
  const auto* tensor =
      call.arguments().empty() ? nullptr : call.arguments().front().As<TensorRef>();
  if (tensor == nullptr) {
    return call.Unsupported("of " + (call.arguments().empty()
                                         ? std::string("nothing")
                                         : Describe(call.arguments().front())));
  }
  return call.heap().Read(call.builder(), *tensor);
}

Result<Results> LowerSize(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  if (call.arguments().size() > 1 && !call.arguments()[1].Is<None>()) {
    const auto* dim = call.arguments()[1].As<Number>();
    if (dim == nullptr || !dim->known())
      return call.Unsupported("of an axis known only at run time");
    std::int64_t axis = dim->AsInt();
    if (axis < 0 || self->type().rank()) {
      DRAGOMAN_ASSIGN(const int rank, RankOf(self));
      DRAGOMAN_ASSIGN(axis, AxisFromFront(axis, rank));
    }
    DRAGOMAN_ASSIGN(Number size, call.SizeOf(self, axis));
    return Results{size};
  }
  if (!self->type().rank()) {
    DRAGOMAN_ASSIGN(Value * shape, call.Add("Shape", {self}));
    DRAGOMAN_ASSIGN(Value * sizes, call.Add("SplitToSequence", {shape}, {{"keepdims", 0}}));
    return Results{ListRef{call.heap().NewCell(ListContents{{}, sizes, Number::Kind::kInt})}};
  }
  std::vector<Abstract> sizes;
  for (int i = 0; i < *self->type().rank(); ++i) {
    DRAGOMAN_ASSIGN(Number size, call.SizeOf(self, i));
    sizes.emplace_back(size);
  }
  return Results{call.NewList(std::move(sizes))};
}

Result<Results> LowerStride(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(const int rank, RankOf(self));
  std::vector<Abstract> strides(static_cast<std::size_t>(rank));
  const auto* tensor = call.arguments().front().As<TensorRef>();
  if (tensor != nullptr && !Heap::StridesOf(*tensor).row_major) {
    const std::vector<Dim> steps = StepsOf(Heap::StridesOf(*tensor), *self->type().shape());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i].known()) return call.Unsupported("strides that are not known");
      strides[i] = Number::Int(steps[i].value());
    }
  } else {
    Value* stride = call.builder().Int(1);
    for (int i = rank; i-- > 0;) {
      strides[static_cast<std::size_t>(i)] = call.NewNumber(Number::Kind::kInt, stride);
      DRAGOMAN_ASSIGN(Number size, call.SizeOf(self, i));
      DRAGOMAN_ASSIGN(Value * count, call.NumberValue(size, DType::kI64));
      DRAGOMAN_ASSIGN(stride, call.Add("Mul", {stride, count}));
    }
  }
  if (call.arguments().size() < 2) return Results{call.NewList(std::move(strides))};
  DRAGOMAN_ASSIGN(const std::int64_t dim, call.Int("dim"));
  DRAGOMAN_ASSIGN(const int axis, AxisFromFront(dim, rank));
  return Results{strides[static_cast<std::size_t>(axis)]};
}

// The place of the first element in its storage.
Result<Results> LowerStorageOffset(Call& call) {
  DRAGOMAN_ASSIGN(const Value* self, Self(call));
  const auto* tensor = call.arguments().front().As<TensorRef>();
  const std::int64_t own = tensor->storage->offset;
  if (tensor->path == nullptr) return Results{Number::Int(own)};
  const Shape* shape = self->type().shape();
  if (shape == nullptr || std::ranges::find(*shape, Dim(0)) != shape->end())
    return call.Unsupported("of a view without elements, or of unknown rank");
  GraphBuilder& builder = call.builder();
  DRAGOMAN_ASSIGN(Value * places, call.heap().Places(builder, *tensor));
  const std::int64_t all[] = {-1};
  DRAGOMAN_ASSIGN(Value * flat, call.Add("Reshape", {places, builder.Ints(all)}));
  DRAGOMAN_ASSIGN(Value * first, call.Add("Gather", {flat, builder.Int(0)}));
  DRAGOMAN_ASSIGN(first, call.Add("Add", {first, builder.Int(own)}));
  return Results{call.NewNumber(Number::Kind::kInt, first)};
}

// is_contiguous: whether the elements lie row-major.
Result<Results> LowerIsContiguous(Call& call) {
  DRAGOMAN_ASSIGN(const Value* self, Self(call));
  if (call.Has("memory_format")) {
    DRAGOMAN_ASSIGN(const std::int64_t format, call.Int("memory_format"));
    if (format != 0) return call.Unsupported("in a memory format");
  }
  const auto* tensor = call.arguments().front().As<TensorRef>();
  if (tensor == nullptr) return Results{Number::Bool(true)};
  const Truth answer = IsRowMajor(Heap::StridesOf(*tensor), self->type().shape());
  if (answer == Truth::kUnknown)
    return call.Unsupported("where the elements of the tensor lie is not known");
  return Results{Number::Bool(answer == Truth::kYes)};
}

// Whether the argument is a nested tensor, which is a tuple: padded rows, and what there is of
// them.
bool IsNested(const Call& call) {
  return !call.arguments().empty() && call.arguments().front().Is<Tuple>();
}

Result<Results> LowerIsNested(Call& call) { return Results{Number::Bool(IsNested(call))}; }

// The tensor; of a nested one its padded rows.
Result<Value*> Rows(Call& call) {
  if (!IsNested(call)) return Self(call);
  const Abstract& rows = call.arguments().front().As<Tuple>()->items->front();
  return call.heap().Read(call.builder(), *rows.As<TensorRef>());
}

Result<Results> LowerDim(Call& call) {
  DRAGOMAN_ASSIGN(const Value* rows, Rows(call));
  DRAGOMAN_ASSIGN(const int rank, RankOf(rows));
  return Results{Number::Int(rank)};
}

Result<Results> LowerNumel(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(Value * size, call.Add("Size", {self}));
  return Results{call.NewNumber(Number::Kind::kInt, size)};
}

Result<Results> LowerLength(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(Number size, call.SizeOf(self, 0));
  return Results{size};
}

Result<Results> LowerDTypeCode(Call& call) {
  DRAGOMAN_ASSIGN(Value * rows, Rows(call));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(rows));
  const std::optional<TorchDType> code = ToTorchDType(dtype);
  if (!code) return call.Unsupported("element type " + std::string(Name(dtype)));
  return Results{Number::Int(static_cast<std::int64_t>(*code))};
}

Result<Results> LowerResultType(Call& call) {
  std::vector<std::string_view> names;
  for (const std::string& name : call.names()) names.push_back(name);
  DRAGOMAN_ASSIGN(const DType dtype, call.ResultType(names));
  const std::optional<TorchDType> code = ToTorchDType(dtype);
  if (!code) return call.Unsupported("element type " + std::string(Name(dtype)));
  return Results{Number::Int(static_cast<std::int64_t>(*code))};
}

Result<Results> LowerIsKind(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(self));
  const std::string& type = call.op().type;
  if (type == "is_complex") return Results{Number::Bool(IsComplex(dtype))};
  if (type == "is_signed")
    return Results{
        Number::Bool(dtype != DType::kBool && (Info(dtype).is_signed || IsFloating(dtype)))};
  return Results{Number::Bool(IsFloating(dtype))};
}

// In bytes.
Result<Results> LowerElementSize(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(self));
  return Results{Number::Int(dtype == DType::kBool ? 1 : Info(dtype).bits / 8)};
}

Result<Results> LowerSameSize(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(Value * other, call.Tensor("other"));
  const Shape* a = self->type().shape();
  const Shape* b = other->type().shape();
  if (a == nullptr || b == nullptr) return call.Unsupported("of unknown ranks");
  Truth same = a->size() == b->size() ? Truth::kYes : Truth::kNo;
  for (std::size_t i = 0; i < a->size() && same == Truth::kYes; ++i) same = Equal((*a)[i], (*b)[i]);
  if (same == Truth::kUnknown) return call.Unsupported("of sizes known only at run time");
  return Results{Number::Bool(same == Truth::kYes)};
}

Result<Results> LowerDevice(Call&) { return Results{Device{"cpu"}}; }
Result<Results> LowerDeviceType(Call&) { return Results{String{"cpu"}}; }
Result<Results> LowerLayout(Call&) { return Results{Number::Int(0)}; }
Result<Results> LowerFalse(Call&) { return Results{Number::Bool(false)}; }
Result<Results> LowerTrue(Call&) { return Results{Number::Bool(true)}; }
Result<Results> LowerMinusOne(Call&) { return Results{Number::Int(-1)}; }

// The one element of a tensor as a Python number.
Result<Results> LowerItem(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(self));
  const std::string& type = call.op().type;
  Number::Kind kind = KindOf(dtype);
  if (type.starts_with("Int")) kind = Number::Kind::kInt;
  if (type.starts_with("Float")) kind = Number::Kind::kFloat;
  if (type == "Bool" || type == "is_nonzero") kind = Number::Kind::kBool;
  if (type.starts_with("Complex")) kind = Number::Kind::kComplex;
  if (self->type().rank() != 0) {
    DRAGOMAN_ASSIGN(self, call.Reshape(self, {}));
  }
  DRAGOMAN_ASSIGN(Value * number, call.Cast(self, Number{kind, std::int64_t{0}}.dtype()));
  return Results{call.NewNumber(kind, number)};
}

// tolist() of a tensor of known sizes.
Result<Abstract> ListOfElements(Call& call, Value* flat, const std::vector<std::int64_t>& sizes,
                                std::size_t axis, std::int64_t& next, Number::Kind kind) {
  if (axis == sizes.size()) {
    DRAGOMAN_ASSIGN(Value * item, call.Add("Gather", {flat, call.builder().Int(next++)}));
    return call.NewNumber(kind, item);
  }
  std::vector<Abstract> items;
  for (std::int64_t i = 0; i < sizes[axis]; ++i) {
    DRAGOMAN_ASSIGN(Abstract item, ListOfElements(call, flat, sizes, axis + 1, next, kind));
    items.push_back(std::move(item));
  }
  return call.NewList(std::move(items));
}

Result<Results> LowerToList(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, Self(call));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(self));
  const Number::Kind kind = KindOf(dtype);
  DRAGOMAN_ASSIGN(Value * wide, call.Cast(self, Number{kind, std::int64_t{0}}.dtype()));
  constexpr std::int64_t kMostElements = 4096;
  const Shape* shape = self->type().shape();
  const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  std::int64_t count = 1;
  for (std::int64_t size : sizes.value_or(Ints())) count *= size;
  if (sizes && count <= kMostElements) {
    const std::int64_t all[] = {-1};
    DRAGOMAN_ASSIGN(Value * flat, call.Reshape(wide, all));
    std::int64_t next = 0;
    DRAGOMAN_ASSIGN(Abstract list, ListOfElements(call, flat, *sizes, 0, next, kind));
    return Results{std::move(list)};
  }
  if (shape == nullptr || shape->size() != 1)
    return call.Unsupported("of a tensor whose sizes are known only at run time; give --shape");
  DRAGOMAN_ASSIGN(Value * items, call.Add("SplitToSequence", {wide}, {{"keepdims", 0}}));
  return Results{ListRef{call.heap().NewCell(ListContents{{}, items, kind})}};
}

Result<Results> LowerNumberToTensor(Call& call) {
  if (call.arguments().empty()) return call.Unsupported("of nothing");
  const auto* number = call.arguments().front().As<Number>();
  if (number == nullptr) return call.Unsupported("of " + Describe(call.arguments().front()));
  DRAGOMAN_ASSIGN(
      const DType dtype,
      call.DTypeOr("dtype", call.op().type == "scalar_tensor" ? DType::kF32 : number->dtype()));
  DRAGOMAN_ASSIGN(Value * value, call.NumberValue(*number, dtype));
  return Results{call.NewTensor(value)};
}

// The sizes of nested lists, taken from their first items, and their items in order.
Status FlattenItems(Call& call, const Abstract& value, std::size_t depth, Ints& sizes,
                    std::vector<Abstract>& flat) {
  constexpr std::size_t kMostDepth = 16;
  const std::vector<Abstract>* items = ItemsOf(value);
  if (items == nullptr) {
    if (value.Is<ListRef>())
      return call.Unsupported("of a list whose length is known only at run time");
    flat.push_back(value);
    return {};
  }
  if (depth >= kMostDepth) return call.Unsupported("of lists that nest too deep");
  const auto count = static_cast<std::int64_t>(items->size());
  if (sizes.size() == depth) sizes.push_back(count);
  if (sizes[depth] != count) return call.Invalid("is given lists of different length");
  for (const Abstract& item : *items)
    DRAGOMAN_TRY(FlattenItems(call, item, depth + 1, sizes, flat));
  return {};
}

DType DefaultDType(Number::Kind kind) {
  if (kind == Number::Kind::kFloat) return DType::kF32;
  if (kind == Number::Kind::kComplex) return DType::kC64;
  return Number{kind, std::int64_t{0}}.dtype();
}

// What torch.tensor's items are together: the widest kind, and whether each is a known number.
struct ItemKinds {
  Number::Kind widest = Number::Kind::kFloat;
  bool known = true;
};

Result<ItemKinds> KindsOf(Call& call, std::span<const Abstract> items) {
  ItemKinds kinds;
  if (!items.empty()) kinds.widest = Number::Kind::kBool;
  for (const Abstract& item : items) {
    const auto* number = item.As<Number>();
    const auto* tensor = item.As<TensorRef>();
    if (number == nullptr && tensor == nullptr) return call.Unsupported("of " + Describe(item));
    kinds.known = kinds.known && number != nullptr && number->known();
    if (number != nullptr) kinds.widest = std::max(kinds.widest, number->kind);
    if (tensor == nullptr) continue;
    DRAGOMAN_ASSIGN(Value * value, call.heap().Read(call.builder(), *tensor));
    kinds.widest = std::max(kinds.widest, KindOf(value->type().dtype()));
  }
  return kinds;
}

// A constant of known numbers.
Result<Value*> ConstantOf(Call& call, std::span<const Abstract> numbers, const Ints& sizes,
                          DType dtype) {
  std::string bytes;
  for (const Abstract& number : numbers) {
    DRAGOMAN_ASSIGN(Value * element, NumberValue(call.builder(), *number.As<Number>(), dtype));
    bytes += AsText(element->tensor()->bytes());
  }
  DRAGOMAN_ASSIGN(dragoman::Tensor whole,
                  dragoman::Tensor::Make(dtype, sizes, Buffer::Own(std::move(bytes))));
  return call.builder().Constant(std::move(whole));
}

// The items, of one element each, joined as a tensor of sizes `sizes`.
Result<Value*> JoinItems(Call& call, std::span<const Abstract> items, const Ints& sizes,
                         DType dtype) {
  std::vector<Value*> elements;
  const std::int64_t one[] = {1};
  for (const Abstract& item : items) {
    Value* element = nullptr;
    if (const auto* number = item.As<Number>()) {
      DRAGOMAN_ASSIGN(element, call.NumberValue(*number, dtype));
    } else {
      DRAGOMAN_ASSIGN(element, call.heap().Read(call.builder(), *item.As<TensorRef>()));
      DRAGOMAN_ASSIGN(element, call.Cast(element, dtype));
    }
    if (!sizes.empty()) {
      DRAGOMAN_ASSIGN(element, call.Reshape(element, one));
    }
    elements.push_back(element);
  }
  Value* whole = elements.front();
  if (sizes.empty()) return whole;
  if (elements.size() > 1) {
    DRAGOMAN_ASSIGN(whole, call.Add("Concat", std::move(elements), {{"axis", 0}}));
  }
  return call.Reshape(whole, sizes);
}

// torch.tensor(data), of numbers and lists of them. A program makes it of its default element type,
// and converts that: floats have the digits of float32, whatever `dtype`.
Result<Value*> TensorOf(Call& call, const Abstract& data) {
  if (data.Is<TensorRef>()) {
    DRAGOMAN_ASSIGN(Value * value, Self(call));
    DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOr("dtype", value->type().dtype()));
    return call.Cast(value, dtype);
  }
  if (const auto* list = data.As<ListRef>(); list != nullptr && ItemsOf(data) == nullptr) {
    const auto& contents = std::get<ListContents>(list->cell->contents);
    DRAGOMAN_ASSIGN(Value * stacked, StackItems(call, contents));
    const DType made = DefaultDType(KindOf(stacked->type().dtype()));
    DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOr("dtype", made));
    DRAGOMAN_ASSIGN(stacked, call.Cast(stacked, made));
    return call.Cast(stacked, dtype);
  }
  Ints sizes;
  std::vector<Abstract> items;
  DRAGOMAN_TRY(FlattenItems(call, data, 0, sizes, items));
  DRAGOMAN_ASSIGN(const ItemKinds kinds, KindsOf(call, items));
  const DType made = DefaultDType(kinds.widest);
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOr("dtype", made));
  DRAGOMAN_ASSIGN(Value * value, kinds.known ? ConstantOf(call, items, sizes, made)
                                             : JoinItems(call, items, sizes, made));
  return call.Cast(value, dtype);
}

Result<Results> LowerTensor(Call& call) {
  if (call.arguments().empty()) return call.Invalid("has no data");
  DRAGOMAN_ASSIGN(Value * value, TensorOf(call, call.arguments().front()));
  return Results{call.NewTensor(value)};
}

// Of a tensor of that element type already: the tensor itself.
Result<Results> LowerAsTensor(Call& call) {
  const Abstract* data = call.arguments().empty() ? nullptr : &call.arguments().front();
  const auto* tensor = data != nullptr ? data->As<TensorRef>() : nullptr;
  if (tensor == nullptr) return LowerTensor(call);
  DRAGOMAN_ASSIGN(const Value* value, call.heap().Read(call.builder(), *tensor));
  DRAGOMAN_ASSIGN(const DType wanted, call.DTypeOr("dtype", value->type().dtype()));
  return wanted == value->type().dtype() ? Results{*data} : LowerTensor(call);
}

Result<Results> LowerData(Call& call) { return Results{call.arguments().front()}; }

constexpr ScriptRow kRows[] = {
    {"aten.Bool", LowerItem},
    {"aten.Complex", LowerItem},
    {"aten.ComplexImplicit", LowerItem},
    {"aten.Float", LowerItem},
    {"aten.FloatImplicit", LowerItem},
    {"aten.Int", LowerItem},
    {"aten.IntImplicit", LowerItem},
    {"aten.ScalarImplicit", LowerItem},
    {"aten.__is_contiguous", LowerIsContiguous},
    {"aten._local_scalar_dense", LowerItem},
    {"aten.as_tensor", LowerAsTensor},
    {"aten.dim", LowerDim},
    {"aten.element_size", LowerElementSize},
    {"aten.get_device", LowerMinusOne},
    {"aten.is_complex", LowerIsKind},
    {"aten.is_contiguous", LowerIsContiguous},
    {"aten.is_floating_point", LowerIsKind},
    {"aten.is_nonzero", LowerItem},
    {"aten.is_same_size", LowerSameSize},
    {"aten.is_signed", LowerIsKind},
    {"aten.item", LowerItem},
    {"aten.len", LowerLength},
    {"aten.numel", LowerNumel},
    {"aten.result_type", LowerResultType},
    {"aten.scalar_tensor", LowerNumberToTensor},
    {"aten.size", LowerSize},
    {"aten.storage_offset", LowerStorageOffset},
    {"aten.stride", LowerStride},
    {"aten.tensor", LowerTensor},
    {"prim.NumToTensor", LowerNumberToTensor},
    {"prim.data", LowerData},
    {"prim.device", LowerDevice},
    {"prim.dtype", LowerDTypeCode},
    {"prim.is_cpu", LowerTrue},
    {"prim.is_cuda", LowerFalse},
    {"prim.is_ipu", LowerFalse},
    {"prim.is_maia", LowerFalse},
    {"prim.is_meta", LowerFalse},
    {"prim.is_mkldnn", LowerFalse},
    {"prim.is_mps", LowerFalse},
    {"prim.is_nested", LowerIsNested},
    {"prim.is_ort", LowerFalse},
    {"prim.is_quantized", LowerIsQuantized},
    {"prim.is_sparse", LowerFalse},
    {"prim.is_sparse_csr", LowerFalse},
    {"prim.is_vulkan", LowerFalse},
    {"prim.is_xla", LowerFalse},
    {"prim.is_xpu", LowerFalse},
    {"prim.layout", LowerLayout},
    {"prim.requires_grad", LowerFalse},
    {"prim.shape", LowerSize},
    {"prim.tolist", LowerToList},
    {"prim.type", LowerDeviceType},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

// No empty sequence can be joined, so that a first number is put in and taken off again.
Result<Value*> StackItems(Call& call, const ListContents& contents) {
  const std::vector<NamedAttribute> stack = {{"axis", 0}, {"new_axis", 1}};
  if (!contents.numbers) return call.Add("ConcatFromSequence", {contents.sequence}, stack);
  const Number model{*contents.numbers, std::int64_t{0}};
  DRAGOMAN_ASSIGN(Value * zero, call.NumberValue(model, model.dtype()));
  Value* front = call.builder().Int(0);
  DRAGOMAN_ASSIGN(Value * longer, call.Add("SequenceInsert", {contents.sequence, zero, front}));
  DRAGOMAN_ASSIGN(Value * stacked, call.Add("ConcatFromSequence", {longer}, stack));
  Composer c(call.builder());
  return c.Done(c.Slice(stacked, 0, 1, kEnd));
}

std::span<const ScriptRow> TensorQueryRows() { return kRows; }

Result<Number> ValuesEqual(Call& call, const Abstract& a, const Abstract& b) {
  if (a.Is<None>() || b.Is<None>()) return Number::Bool(a.Is<None>() && b.Is<None>());
  const auto* s = a.As<String>();
  const auto* t = b.As<String>();
  if (s != nullptr && t != nullptr && s->known() && t->known())
    return Number::Bool(s->text() == t->text());
  if (s != nullptr && t != nullptr) return TextsEqual(call, a, b);
  const auto* x = a.As<Number>();
  const auto* y = b.As<Number>();
  if (x != nullptr && y != nullptr) {
    if (x->known() && y->known()) {
      if (x->kind <= Number::Kind::kInt && y->kind <= Number::Kind::kInt)
        return Number::Bool(x->AsInt() == y->AsInt());
      return Number::Bool(x->AsComplex() == y->AsComplex());
    }
    const DType dtype = Number{std::max(x->kind, y->kind), std::int64_t{0}}.dtype();
    DRAGOMAN_ASSIGN(Value * p, call.NumberValue(*x, dtype));
    DRAGOMAN_ASSIGN(Value * q, call.NumberValue(*y, dtype));
    DRAGOMAN_ASSIGN(Value * equal, call.Add("Equal", {p, q}));
    return NumberFrom(call.builder(), Number::Kind::kBool, equal);
  }
  const auto* e = a.As<Enumerator>();
  const auto* f = b.As<Enumerator>();
  if (e != nullptr && f != nullptr)
    return Number::Bool(e->class_name == f->class_name && e->name == f->name);
  if ((a.Is<Device>() && (b.Is<Device>() || t != nullptr)) || (b.Is<Device>() && s != nullptr))
    return Number::Bool(true);
  const std::vector<Abstract>* items_a = ItemsOf(a);
  const std::vector<Abstract>* items_b = ItemsOf(b);
  if (items_a == nullptr || items_b == nullptr)
    return call.Unsupported("of " + Describe(a) + " and " + Describe(b));
  if (items_a->size() != items_b->size()) return Number::Bool(false);
  Number all = Number::Bool(true);
  for (std::size_t i = 0; i < items_a->size(); ++i) {
    DRAGOMAN_ASSIGN(Number equal, ValuesEqual(call, (*items_a)[i], (*items_b)[i]));
    if (equal.known() && equal.AsInt() == 0) return equal;
    if (equal.known()) continue;
    if (all.known()) {
      all = equal;
      continue;
    }
    DRAGOMAN_ASSIGN(Value * both, call.Add("And", {all.symbolic(), equal.symbolic()}));
    all = {Number::Kind::kBool, both};
  }
  return all;
}

}  // namespace dragoman::torch
