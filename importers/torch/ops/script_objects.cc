// SPDX-License-Identifier: Apache-2.0
// Objects, tuples, constants, and tests of what a value is.
#include <algorithm>

#include "core/lowering/heap.h"
#include "core/lowering/merge.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

Result<Abstract> First(Call& call) {
  if (call.arguments().empty()) return call.Invalid("has no operand");
  return call.arguments().front();
}

Result<std::string> NameAttribute(Call& call) {
  const Attribute* name = call.node().attribute("name");
  if (name == nullptr || name->As<std::string>() == nullptr)
    return call.Invalid("has no attribute name");
  return *name->As<std::string>();
}

const std::string& TypeName(const Type& type) {
  static const std::string kNone;
  return type.kind() == Type::Kind::kOpaque ? type.opaque_name() : kNone;
}

Result<Results> LowerGetAttr(Call& call) {
  DRAGOMAN_ASSIGN(Abstract object, First(call));
  DRAGOMAN_ASSIGN(std::string name, NameAttribute(call));
  const auto* reference = object.As<ObjectRef>();
  if (reference == nullptr)
    return call.Unsupported("attribute '" + name + "' of " + Describe(object));
  const auto& contents = std::get<ObjectContents>(reference->cell->contents);
  for (const auto& [key, value] : contents.attributes) {
    if (key == name) return Results{value};
  }
  return call.Unsupported("an object of " + contents.class_name + " has no attribute '" + name +
                          "'");
}

// The module at an index known only at run time, which an Assert holds within the list.
Result<Results> ChooseModule(Call& call, const Number& index, std::vector<Abstract> modules) {
  const auto count = static_cast<std::int64_t>(modules.size());
  Composer c(call.builder());
  Value* given = index.symbolic();
  Value* from_front = c.Where(c.Less(given, 0), c.Add(given, c.Int(count)), given);
  Value* inside = c.And(c.GreaterOrEqual(from_front, 0), c.Less(from_front, c.Int(count)));
  c.Assert(inside, "the index is beyond the modules");
  DRAGOMAN_TRY(c.status());
  return Results{
      Choice{from_front, std::make_shared<const std::vector<Abstract>>(std::move(modules))}};
}

// The module at an index, or under a key, of a ModuleList or ModuleDict.
Result<Results> LowerModuleIndex(Call& call) {
  DRAGOMAN_ASSIGN(Abstract object, First(call));
  const auto* reference = object.As<ObjectRef>();
  if (reference == nullptr || call.arguments().size() != 2)
    return call.Unsupported("of " + Describe(object));
  const auto* key = call.arguments()[1].As<String>();
  const auto* index = call.arguments()[1].As<Number>();
  if (index == nullptr && (key == nullptr || !key->known()))
    return call.Unsupported("a module under a key known only at run time");
  std::vector<Abstract> modules;
  for (const auto& [name, value] : std::get<ObjectContents>(reference->cell->contents).attributes) {
    if (!value.Is<ObjectRef>()) continue;
    if (key != nullptr && name == key->text()) return Results{value};
    modules.push_back(value);
  }
  const auto count = static_cast<std::int64_t>(modules.size());
  if (index != nullptr && !index->known()) return ChooseModule(call, *index, std::move(modules));
  std::int64_t i = index != nullptr ? index->AsInt() : count;
  if (i < 0) i += count;
  if (i < 0 || i >= count) return call.Invalid("there is no such module");
  return Results{modules[static_cast<std::size_t>(i)]};
}

Result<Results> LowerSetAttr(Call& call) {
  DRAGOMAN_ASSIGN(Abstract object, First(call));
  DRAGOMAN_ASSIGN(std::string name, NameAttribute(call));
  const auto* reference = object.As<ObjectRef>();
  if (reference == nullptr || call.arguments().size() != 2)
    return call.Unsupported("attribute '" + name + "' of " + Describe(object));
  auto& contents = call.heap().Mutable<ObjectContents>(reference->cell);
  for (auto& [key, value] : contents.attributes) {
    if (key != name) continue;
    value = call.arguments()[1];
    return Results{};
  }
  contents.attributes.emplace_back(name, call.arguments()[1]);
  return Results{};
}

Result<Results> LowerCreateObject(Call& call) {
  const std::string name = TypeName(call.node().result()->type());
  return Results{ObjectRef{call.heap().NewCell(ObjectContents{name, {}})}};
}

Result<Results> LowerListConstruct(Call& call) {
  return Results{call.NewList({call.arguments().begin(), call.arguments().end()})};
}

Result<Results> LowerTupleConstruct(Call& call) {
  return Results{MakeTuple({call.arguments().begin(), call.arguments().end()})};
}

Result<Results> LowerDictConstruct(Call& call) {
  const CellPtr cell = call.heap().NewCell(DictContents());
  for (std::size_t i = 0; i + 1 < call.arguments().size(); i += 2)
    DRAGOMAN_TRY(SetInDict(call, cell, call.arguments()[i], call.arguments()[i + 1]));
  return Results{DictRef{cell}};
}

Result<Results> LowerUnpack(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  if (const auto* maybe = value.As<Maybe>()) value = *maybe->payload;
  const std::size_t count = call.node().num_results();
  if (value.Is<Uninitialized>() || value.Is<Poison>()) return Results(count, value);
  if (const std::vector<Abstract>* items = ItemsOf(value)) {
    if (items->size() != count)
      return call.Invalid("unpacks " + std::to_string(items->size()) + " items to " +
                          std::to_string(count) + " names");
    return Results(*items);
  }
  const auto* list = value.As<ListRef>();
  if (list == nullptr) return call.Unsupported("unpacks " + Describe(value));
  const auto& contents = std::get<ListContents>(list->cell->contents);
  Results results;
  for (std::size_t i = 0; i < count; ++i) {
    DRAGOMAN_ASSIGN(Value * item,
                    call.Add("SequenceAt", {contents.sequence,
                                            call.builder().Int(static_cast<std::int64_t>(i))}));
    DRAGOMAN_ASSIGN(results.emplace_back(), FromSequence(call, contents, item));
  }
  return results;
}

Result<Results> LowerTupleIndex(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const auto* index = call.arguments().size() > 1 ? call.arguments()[1].As<Number>() : nullptr;
  const std::vector<Abstract>* items = ItemsOf(value);
  if (value.Is<Uninitialized>() || value.Is<Poison>()) return Results{value};
  if (items == nullptr || index == nullptr || !index->known())
    return call.Unsupported("index " + std::string("into ") + Describe(value));
  const auto count = static_cast<std::int64_t>(items->size());
  const std::int64_t i = index->AsInt() < 0 ? index->AsInt() + count : index->AsInt();
  if (i < 0 || i >= count) return call.Invalid("index beyond the tuple");
  return Results{(*items)[static_cast<std::size_t>(i)]};
}

Result<Results> LowerTupleSlice(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const std::vector<Abstract>* items = ItemsOf(value);
  const Attribute* begin = call.node().attribute("beg");
  const Attribute* end = call.node().attribute("end");
  if (items == nullptr || begin == nullptr || end == nullptr || !begin->As<std::int64_t>() ||
      !end->As<std::int64_t>())
    return call.Unsupported("slice of " + Describe(value));
  const auto count = static_cast<std::int64_t>(items->size());
  const std::int64_t from = std::clamp<std::int64_t>(*begin->As<std::int64_t>(), 0, count);
  const std::int64_t to = std::clamp<std::int64_t>(*end->As<std::int64_t>(), from, count);
  return Results{MakeTuple({items->begin() + from, items->begin() + to})};
}

Result<Results> LowerUninitialized(Call&) { return Results{Uninitialized()}; }

Result<Results> LowerFirst(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  return Results{std::move(value)};
}

// A refinement: what may be absent is present here.
Result<Results> LowerUncheckedCast(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const auto* maybe = value.As<Maybe>();
  if (maybe == nullptr || call.node().result()->type().kind() == Type::Kind::kOptional)
    return Results{std::move(value)};
  return Results{*maybe->payload};
}

// x is y, of values that have an identity or are None.
Result<Results> LowerIs(Call& call) {
  if (call.arguments().size() != 2) return call.Invalid("has two operands");
  Abstract a = call.arguments()[0];
  Abstract b = call.arguments()[1];
  if (a.Is<None>()) std::swap(a, b);
  const bool negated = call.op().type == "__isnot__";
  if (const auto* maybe = a.As<Maybe>(); maybe != nullptr && b.Is<None>()) {
    if (negated) return Results{Number{Number::Kind::kBool, maybe->present}};
    DRAGOMAN_ASSIGN(Value * absent, call.Add("Not", {maybe->present}));
    return Results{Number{Number::Kind::kBool, absent}};
  }
  bool same = a.Is<None>() && b.Is<None>();
  const auto* x = a.As<TensorRef>();
  const auto* y = b.As<TensorRef>();
  if (x != nullptr && y != nullptr) same = SameTensor(*x, *y);
  if (a.Is<ListRef>() && b.Is<ListRef>()) same = a.As<ListRef>()->cell == b.As<ListRef>()->cell;
  if (a.Is<DictRef>() && b.Is<DictRef>()) same = a.As<DictRef>()->cell == b.As<DictRef>()->cell;
  if (a.Is<ObjectRef>() && b.Is<ObjectRef>())
    same = a.As<ObjectRef>()->cell == b.As<ObjectRef>()->cell;
  return Results{Number::Bool(same != negated)};
}

bool IsListOf(const Abstract& value, const std::string& element) {
  const std::vector<Abstract>* items = ItemsOf(value);
  if (items == nullptr || items->empty()) return true;
  const Abstract& first = items->front();
  if (element == "Tensor") return first.Is<TensorRef>();
  if (element == "str") return first.Is<String>();
  const auto* number = first.As<Number>();
  if (element == "int") return number != nullptr && number->kind == Number::Kind::kInt;
  if (element == "float") return number != nullptr && number->kind == Number::Kind::kFloat;
  if (element == "bool") return number != nullptr && number->kind == Number::Kind::kBool;
  return number == nullptr && !first.Is<String>() && !first.Is<TensorRef>();
}

// Whether `value` is an instance of the type that `text` names.
bool IsInstance(const Abstract& value, const std::string& text) {
  const auto* number = value.As<Number>();
  if (text == "int") return number != nullptr && number->kind == Number::Kind::kInt;
  if (text == "float") return number != nullptr && number->kind == Number::Kind::kFloat;
  if (text == "bool") return number != nullptr && number->kind == Number::Kind::kBool;
  if (text == "complex") return number != nullptr && number->kind == Number::Kind::kComplex;
  if (text == "str") return value.Is<String>();
  if (text == "Tensor") return value.Is<TensorRef>();
  if (text == "NoneType") return value.Is<None>();
  if (text == "Device") return value.Is<Device>();
  if (text == "Any") return true;
  if (text.starts_with("List[") && value.Is<ListRef>())
    return IsListOf(value, text.substr(5, text.size() - 6));
  if (text.starts_with("list")) return value.Is<ListRef>();
  if (text.starts_with("Dict[")) return value.Is<DictRef>();
  if (text.starts_with("Tuple[") || text == "tuple") return value.Is<Tuple>();
  if (text.starts_with("Optional["))
    return value.Is<None>() || IsInstance(value, text.substr(9, text.size() - 10));
  if (const auto* object = value.As<ObjectRef>())
    return std::get<ObjectContents>(object->cell->contents).class_name == text;
  if (const auto* enumerator = value.As<Enumerator>()) return enumerator->class_name == text;
  return false;
}

Result<Results> LowerIsInstance(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const Attribute* types = call.node().attribute("types");
  const auto* names = types != nullptr ? types->As<Attribute::Strings>() : nullptr;
  if (names == nullptr) return call.Invalid("has no attribute types");
  const bool is = std::any_of(names->begin(), names->end(),
                              [&](const std::string& name) { return IsInstance(value, name); });
  return Results{Number::Bool(is)};
}

Result<Results> LowerEnumName(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const auto* enumerator = value.As<Enumerator>();
  if (enumerator == nullptr) return call.Unsupported("name of " + Describe(value));
  return Results{String{enumerator->name}};
}

Result<Results> LowerEnumValue(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const auto* enumerator = value.As<Enumerator>();
  if (enumerator == nullptr || enumerator->value == nullptr)
    return call.Unsupported("value of " + Describe(value));
  return Results{*enumerator->value};
}

Result<Results> LowerEqual(Call& call) {
  if (call.arguments().size() != 2) return call.Invalid("has two operands");
  const Abstract& a = call.arguments()[0];
  const Abstract& b = call.arguments()[1];
  DRAGOMAN_ASSIGN(Number equal, ValuesEqual(call, a, b));
  if (call.op().type == "eq") return Results{equal};
  if (equal.known()) return Results{Number::Bool(equal.AsInt() == 0)};
  DRAGOMAN_ASSIGN(Value * different, call.Add("Not", {equal.symbolic()}));
  return Results{Number{Number::Kind::kBool, different}};
}

Result<Results> LowerDevice(Call&) { return Results{Device{"cpu"}}; }

Result<Results> LowerStr(Call& call) {
  DRAGOMAN_ASSIGN(Abstract value, First(call));
  const auto* number = value.As<Number>();
  if (number != nullptr && !number->known() && number->kind == Number::Kind::kInt) {
    DRAGOMAN_ASSIGN(Value * digits, call.Add("Cast", {number->symbolic()},
                                             {{"to", static_cast<std::int64_t>(DType::kString)}}));
    return Results{String{digits}};
  }
  DRAGOMAN_ASSIGN(std::string text, TextOf(value));
  return Results{String{std::move(text)}};
}

Result<Results> LowerNothing(Call& call) { return Results(call.node().num_results(), None()); }

Result<Results> LowerFalse(Call&) { return Results{Number::Bool(false)}; }

Result<Results> LowerPrint(Call& call) {
  std::string message;
  std::vector<Value*> data;
  for (const Abstract& value : call.arguments()) {
    if (!message.empty()) message += " ";
    Result<std::string> text = TextOf(value);
    if (text.ok() || value.Is<String>()) {
      message += text.ok() ? *text : "?";
      continue;
    }
    message += "{}";
    if (const auto* tensor = value.As<TensorRef>()) {
      DRAGOMAN_ASSIGN(Value * read, call.heap().Read(call.builder(), *tensor));
      data.push_back(read);
    } else if (const auto* number = value.As<Number>()) {
      data.push_back(number->symbolic());
    } else {
      return call.Unsupported("prints " + Describe(value));
    }
  }
  DRAGOMAN_ASSIGN(
      [[maybe_unused]] Node * made,
      call.builder().Append("dragoman.Print", data, {{"message", Attribute(message)}}, {}));
  return Results{};
}

constexpr ScriptRow kRows[] = {
    {"aten.__is__", LowerIs},
    {"aten.__isnot__", LowerIs},
    {"aten._unwrap_optional", LowerUncheckedCast},
    {"aten.device", LowerDevice},
    {"aten.eq", LowerEqual},
    {"aten.get_autocast_dtype", LowerFalse},
    {"aten.is_autocast_cpu_enabled", LowerFalse},
    {"aten.is_autocast_enabled", LowerFalse},
    {"aten.is_grad_enabled", LowerFalse},
    {"aten.ne", LowerEqual},
    {"aten.set_grad_enabled", LowerNothing},
    {"aten.str", LowerStr},
    {"aten.wait", LowerFirst},
    {"aten.warn", LowerNothing},
    {"prim.AutogradAnomalyMode", LowerNothing},
    {"prim.CreateObject", LowerCreateObject},
    {"prim.DictConstruct", LowerDictConstruct},
    {"prim.EnumName", LowerEnumName},
    {"prim.EnumValue", LowerEnumValue},
    {"prim.GetAttr", LowerGetAttr},
    {"prim.ListConstruct", LowerListConstruct},
    {"prim.ListUnpack", LowerUnpack},
    {"prim.ModuleContainerIndex", LowerModuleIndex},
    {"prim.Print", LowerPrint},
    {"prim.SetAttr", LowerSetAttr},
    {"prim.TupleConstruct", LowerTupleConstruct},
    {"prim.TupleIndex", LowerTupleIndex},
    {"prim.TupleSlice", LowerTupleSlice},
    {"prim.TupleUnpack", LowerUnpack},
    {"prim.Uninitialized", LowerUninitialized},
    {"prim.isinstance", LowerIsInstance},
    {"prim.unchecked_cast", LowerUncheckedCast},
    {"prim.unchecked_unwrap_optional", LowerUncheckedCast},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

std::span<const ScriptRow> ObjectRows() { return kRows; }

}  // namespace dragoman::torch
