// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/ops/call.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/lowering/number_value.h"
#include "core/support/gather_rows.h"

namespace dragoman::tvmscript {

const Argument* Call::Find(std::string_view name) const {
  const auto found = arguments_.find(name);
  return found != arguments_.end() ? &found->second : nullptr;
}

bool Call::IsNone(std::string_view name) const {
  const Argument* argument = Find(name);
  return argument == nullptr ||
         (argument->attribute && argument->attribute->kind() == Attribute::Kind::kNone);
}

bool Call::IsList(std::string_view name) const {
  const Argument* argument = Find(name);
  return argument != nullptr && argument->attribute &&
         (argument->attribute->As<Attribute::Ints>() != nullptr ||
          argument->attribute->As<Attribute::List>() != nullptr);
}

void Call::WrongKind(std::string_view name) {
  Fail(fmt::format("argument '{}' is not of a kind that is supported", name));
}

namespace {

// What R.prim_value, R.str and R.shape say, where it is known.
std::optional<Attribute> KnownAttribute(const Abstract& value) {
  if (const auto* number = value.As<Number>(); number != nullptr && number->known()) {
    if (number->kind == Number::Kind::kBool) return Attribute(number->AsInt() != 0);
    if (number->kind == Number::Kind::kInt) return Attribute(number->AsInt());
    return Attribute(number->AsDouble());
  }
  if (const auto* text = value.As<String>(); text != nullptr && text->known())
    return Attribute(text->text());
  const auto* tuple = value.As<Tuple>();
  if (tuple == nullptr) return std::nullopt;
  Attribute::Ints ints;
  for (const Abstract& item : *tuple->items) {
    const auto* number = item.As<Number>();
    if (number == nullptr || !number->known() || number->kind != Number::Kind::kInt)
      return std::nullopt;
    ints.push_back(number->AsInt());
  }
  return Attribute(std::move(ints));
}

}  // namespace

const Attribute* Call::Required(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) Fail(fmt::format("argument '{}' is missing", name));
  if (argument == nullptr) return nullptr;
  if (argument->attribute) return &*argument->attribute;
  std::optional<Attribute> known = KnownAttribute(argument->value);
  if (!known) Fail(fmt::format("argument '{}' is known at run time only", name));
  return known ? &known_.emplace_back(*std::move(known)) : nullptr;
}

Value* Call::TensorOf(const Abstract& value) {
  if (failed()) return nullptr;
  if (const auto* tensor = value.As<TensorRef>()) return Take(heap_->Read(builder(), *tensor));
  return Fail("an operand is " + Describe(value) + ", not a tensor");
}

Value* Call::X(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return Fail(fmt::format("operand '{}' is missing", name));
  if (argument->attribute) return Fail(fmt::format("operand '{}' is not a tensor", name));
  return TensorOf(argument->value);
}

std::vector<Value*> Call::Tensors(std::string_view name) {
  const Argument* argument = Find(name);
  const auto* tuple = argument != nullptr ? argument->value.As<Tuple>() : nullptr;
  std::vector<Value*> values;
  if (tuple == nullptr) {
    Fail(fmt::format("operand '{}' is not a tuple", name));
    return values;
  }
  for (const Abstract& item : *tuple->items) values.push_back(TensorOf(item));
  if (values.empty()) Fail(fmt::format("operand '{}' is an empty tuple", name));
  return values;
}

Value* Call::NumberOf(const Abstract& number, DType dtype) {
  const auto* known = number.As<dragoman::Number>();
  if (known == nullptr) return Fail("an argument is " + Describe(number) + ", not a number");
  return Take(NumberValue(builder(), *known, dtype));
}

Value* Call::Scalar(std::string_view name, DType dtype) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return Fail(fmt::format("argument '{}' is missing", name));
  if (!argument->attribute) {
    if (argument->value.Is<dragoman::Number>()) return NumberOf(argument->value, dtype);
    return TensorOf(argument->value);
  }
  if (const auto* symbol = argument->attribute->As<Symbol>())
    return NumberOf(Take(find_size_(symbol->name)), dtype);
  if (const auto* integer = argument->attribute->As<std::int64_t>())
    return NumberOf(dragoman::Number::Int(*integer), dtype);
  return Number(Float(name), dtype);
}

DType Call::NumberType(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return DType::kF32;
  if (argument->attribute) {
    if (const auto* symbol = argument->attribute->As<Symbol>()) {
      const dragoman::Number number = Take(find_size_(symbol->name));
      return number.kind == dragoman::Number::Kind::kFloat ? DType::kF32 : DType::kI64;
    }
    return argument->attribute->As<double>() != nullptr ? DType::kF32 : DType::kI64;
  }
  if (const auto* number = argument->value.As<dragoman::Number>())
    return number->kind == dragoman::Number::Kind::kFloat ? DType::kF32 : DType::kI64;
  const Value* tensor = TensorOf(argument->value);
  return tensor != nullptr ? dtype(tensor) : DType::kF32;
}

std::optional<dragoman::Number> Call::KnownNumber(const Attribute& attribute) {
  if (const auto* number = attribute.As<std::int64_t>()) return dragoman::Number::Int(*number);
  if (const auto* flag = attribute.As<bool>()) return dragoman::Number::Int(*flag ? 1 : 0);
  if (const auto* number = attribute.As<double>()) return dragoman::Number::Float(*number);
  const auto* symbol = attribute.As<Symbol>();
  if (symbol == nullptr) return std::nullopt;
  const Result<dragoman::Number> found = find_size_(symbol->name);
  return found.ok() && found->known() ? std::optional(*found) : std::nullopt;
}

std::int64_t Call::Int(std::string_view name) {
  const Attribute* attribute = Required(name);
  if (attribute == nullptr) return 0;
  const std::optional<dragoman::Number> number = KnownNumber(*attribute);
  const bool whole = number && number->kind == dragoman::Number::Kind::kInt;
  if (!whole) WrongKind(name);
  return whole ? number->AsInt() : 0;
}

double Call::Float(std::string_view name) {
  const Attribute* attribute = Required(name);
  if (attribute == nullptr) return 0;
  const std::optional<dragoman::Number> number = KnownNumber(*attribute);
  if (!number) WrongKind(name);
  return number ? number->AsDouble() : 0;
}

bool Call::Bool(std::string_view name) { return Int(name) != 0; }

std::string Call::Text(std::string_view name) {
  const Attribute* attribute = Required(name);
  const auto* text = attribute != nullptr ? attribute->As<std::string>() : nullptr;
  if (text == nullptr) WrongKind(name);
  return text != nullptr ? *text : std::string();
}

Ints Call::IntsOf(std::string_view name) {
  const Attribute* attribute = Required(name);
  if (attribute == nullptr) return {};
  if (const auto* ints = attribute->As<Attribute::Ints>()) return *ints;
  const auto* list = attribute->As<Attribute::List>();
  if (list == nullptr) return {Int(name)};
  tvmscript::Ints ints;
  for (const Attribute& item : *list) {
    const std::optional<dragoman::Number> number = KnownNumber(item);
    if (!number || number->kind != dragoman::Number::Kind::kInt) WrongKind(name);
    ints.push_back(number ? number->AsInt() : 0);
  }
  return ints;
}

DType Call::Type(std::string_view name, DType absent) {
  if (IsNone(name)) return absent;
  const std::string text = Text(name);
  if (text.empty() || text == "void") return absent;
  const std::optional<DType> dtype = DTypeFromName(text);
  if (!dtype) Fail(fmt::format("the element type '{}' is not supported", text));
  return dtype.value_or(absent);
}

Value* Call::Sizes(std::string_view name, bool* literal) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return Fail(fmt::format("argument '{}' is missing", name));
  std::vector<Abstract> items;
  if (argument->attribute) {
    if (literal != nullptr) *literal = true;
    Attribute::List list;
    if (const auto* mixed = argument->attribute->As<Attribute::List>()) {
      list = *mixed;
    } else if (argument->attribute->As<Attribute::Ints>() != nullptr) {
      return Ints(IntsOf(name));
    } else {
      list.push_back(*argument->attribute);
    }
    for (const Attribute& item : list) {
      if (const auto* number = item.As<std::int64_t>()) {
        items.emplace_back(dragoman::Number::Int(*number));
      } else if (const auto* symbol = item.As<Symbol>()) {
        items.emplace_back(Take(find_size_(symbol->name)));
      } else {
        WrongKind(name);
      }
    }
  } else if (const auto* tuple = argument->value.As<Tuple>()) {
    items = *tuple->items;
  } else {
    return Fail(fmt::format("argument '{}' is {}, not a shape", name, Describe(argument->value)));
  }
  if (failed()) return nullptr;
  if (items.empty()) return Ints(tvmscript::Ints());
  std::vector<Value*> parts;
  for (const Abstract& item : items) {
    Value* number = NumberOf(item, DType::kI64);
    parts.push_back(failed() ? nullptr : Vector(number));
  }
  return failed() ? nullptr : ConcatSizes(std::move(parts));
}

void Call::Expect(std::string_view name, std::initializer_list<std::string_view> allowed) {
  if (IsNone(name)) return;
  const std::string text = Text(name);
  if (failed() || text.empty() || std::ranges::count(allowed, text) > 0) return;
  Fail(fmt::format("{} \"{}\" is not supported", name, text));
}

Abstract Call::NewTuple(const std::vector<Value*>& values) {
  std::vector<Abstract> items;
  for (Value* value : values) items.push_back(value != nullptr ? NewTensor(value) : Abstract());
  return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
}

std::span<const LoweringRow> AllLowerings() {
  static constexpr RowsOfFile<LoweringRow> kFiles[] = {ElementwiseRows, ImageRows,    IndexingRows,
                                                       LossRows,        MovementRows, NeuralRows};
  static const std::vector<LoweringRow> rows = GatherRows(kFiles, &LoweringRow::op);
  return rows;
}

const LoweringRow* FindLowering(std::string_view op) {
  return FindByKey(AllLowerings(), op, &LoweringRow::op);
}

}  // namespace dragoman::tvmscript
