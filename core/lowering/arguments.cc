// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/arguments.h"

#include <algorithm>
#include <utility>

#include "core/support/text.h"

namespace dragoman {
namespace {

std::set<std::string> SymbolsIn(const Facts& facts) {
  std::set<std::string> symbols;
  for (const ShapeFact& fact : facts.shapes) {
    for (const std::optional<Dim>& dim : fact.dims) {
      for (std::string& symbol : dim.value_or(Dim()).Symbols()) symbols.insert(std::move(symbol));
    }
  }
  return symbols;
}

}  // namespace

ArgumentMaker::ArgumentMaker(const Facts& facts, Heap& heap, GraphBuilder& builder,
                             std::vector<std::string>& assumed)
    : facts_(facts),
      symbols_(SymbolsIn(facts)),
      heap_(heap),
      builder_(builder),
      assumed_(assumed) {}

Result<Abstract> ArgumentMaker::Make(const std::string& path, const Type& type,
                                     const Attribute* example) {
  switch (type.kind()) {
    case Type::Kind::kTensor:
    case Type::Kind::kUnknown:
      return MakeTensor(path, example);
    case Type::Kind::kOptional:
      if (!Given(path) && (example == nullptr || example->kind() == Attribute::Kind::kNone))
        return Abstract(None());
      return Make(path, type.element(), example);
    case Type::Kind::kTuple:
      return MakeTuple(path, type.elements(), example);
    case Type::Kind::kSequence:
      return MakeList(path, type.element(), example);
    case Type::Kind::kMap:
      return MakeDict(path, type, example);
    case Type::Kind::kOpaque:
      return MakeOpaque(path, type, example);
    default:
      return Unsupported("argument '" + path + "' has type " + type.ToString());
  }
}

bool ArgumentMaker::Given(const std::string& path) const {
  return std::any_of(facts_.shapes.begin(), facts_.shapes.end(), [&](const ShapeFact& fact) {
    return fact.input == path || fact.input.starts_with(path + ".");
  });
}

const ShapeFact* ArgumentMaker::FactOf(const std::string& path) const {
  for (const ShapeFact& fact : facts_.shapes) {
    if (fact.input == path) return &fact;
  }
  return nullptr;
}

bool ArgumentMaker::FromData() const {
  return std::any_of(facts_.shapes.begin(), facts_.shapes.end(),
                     [](const ShapeFact& fact) { return fact.from_data; });
}

Result<Value*> ArgumentMaker::AddInput(const std::string& path, Type type) {
  DRAGOMAN_ASSIGN(type, ApplyFacts(facts_, path, kNoPosition, type));
  if (FromData() && type.dtype() != DType::kUnknown)
    type = type.WithDType(TypeOfArray(type.dtype()));
  if (type.dtype() == DType::kUnknown) {
    type = type.WithDType(is_index_ ? DType::kI64 : DType::kF32);
    if (!is_index_) assumed_.push_back(path);
  }
  return builder_.graph().AddInput(builder_.UniqueName(path), WithNamedSizes(path, type));
}

// Of sizes that are not known nothing could be computed: each becomes a symbol.
Type ArgumentMaker::WithNamedSizes(const std::string& path, const Type& type) {
  if (type.shape() == nullptr) return type;
  Shape shape = *type.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].unknown()) continue;
    std::string symbol = Identifier(path) + "_" + std::to_string(i);
    while (!symbols_.insert(symbol).second) symbol += "_";
    shape[i] = Dim::Symbol(std::move(symbol)).Substitute(facts_.dims);
  }
  return type.WithShape(std::move(shape));
}

Result<Abstract> ArgumentMaker::MakeTensor(const std::string& path, const Attribute* example) {
  Type type = Type::Tensor(DType::kUnknown);
  const auto* traced = example != nullptr ? example->As<Type>() : nullptr;
  if (traced != nullptr && traced->is_tensor()) {
    const std::size_t rank = traced->shape() != nullptr ? traced->shape()->size() : 0;
    type = Type::Tensor(traced->dtype(), Shape(rank, Dim::Unknown()));
    if (const ShapeFact* fact = FactOf(path)) {
      if (fact->dims.size() != type.shape()->size()) type = Type::Tensor(traced->dtype());
    }
  }
  DRAGOMAN_ASSIGN(Value * input, AddInput(path, std::move(type)));
  return heap_.NewTensor(input);
}

Result<Abstract> ArgumentMaker::MakeNumber(const std::string& path, Number::Kind kind) {
  const Number model{kind, std::int64_t{0}};
  DType dtype = model.dtype();
  if (const ShapeFact* fact = FactOf(path); fact != nullptr && fact->dtype) dtype = *fact->dtype;
  DRAGOMAN_ASSIGN(Value * input, AddInput(path, Type::Tensor(dtype, Shape{})));
  if (dtype != model.dtype()) {
    DRAGOMAN_ASSIGN(
        input, builder_.Add("Cast", {input}, {{"to", static_cast<std::int64_t>(model.dtype())}}));
  }
  return Abstract(Number{kind, input});
}

// A list whose length is known only at run time.
Result<Abstract> ArgumentMaker::MakeSequence(const std::string& path, const Type& element) {
  ListContents contents;
  Type type = Type::Tensor(DType::kF32);
  contents.numbers = NumberKind(element);
  if (contents.numbers) {
    type = Type::Tensor(Number{*contents.numbers, std::int64_t{0}}.dtype(), Shape{});
  } else if (!element.is_tensor()) {
    return Unsupported("argument '" + path + "' is a list of unknown length; name its items with " +
                       "--shape " + path + ".0=…");
  }
  contents.sequence =
      builder_.graph().AddInput(builder_.UniqueName(path), Type::Sequence(std::move(type)));
  return Abstract(ListRef{heap_.NewCell(std::move(contents))});
}

// Those that facts name, else those of the example.
std::vector<std::string> ArgumentMaker::KeysOf(const std::string& path, bool nested,
                                               const Attribute::Dict* example) const {
  std::vector<std::string> keys;
  for (const ShapeFact& fact : facts_.shapes) {
    if (!fact.input.starts_with(path + ".")) continue;
    std::string key = fact.input.substr(path.size() + 1);
    if (nested) key = key.substr(0, key.find('.'));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
  if (!keys.empty() || FromData() || example == nullptr) return keys;
  for (const NamedAttribute& item : *example) keys.push_back(item.name);
  return keys;
}

Result<Abstract> ArgumentMaker::MakeDict(const std::string& path, const Type& type,
                                         const Attribute* example) {
  const bool nested = !type.element().is_tensor() && type.element().kind() != Type::Kind::kOpaque;
  const auto* dict = example != nullptr ? example->As<Attribute::Dict>() : nullptr;
  const std::vector<std::string> keys = KeysOf(path, nested, dict);
  if (keys.empty() && !FromData()) {
    return Unsupported("argument '" + path +
                       "' is a dict whose keys are unknown; name them with --shape " + path +
                       ".KEY=…");
  }
  DictContents contents;
  for (const std::string& key : keys) {
    Abstract made = String{key};
    if (type.map_key() == DType::kI64) made = Number::Int(ParseInt64(key).value_or(0));
    DRAGOMAN_ASSIGN(Abstract value, Make(path + "." + key, type.element(),
                                         dict != nullptr ? Find(*dict, key) : nullptr));
    contents.items.emplace_back(std::move(made), std::move(value));
  }
  return Abstract(DictRef{heap_.NewCell(std::move(contents))});
}

Result<Abstract> ArgumentMaker::MakeString(const std::string& path) {
  DRAGOMAN_ASSIGN(Value * input, AddInput(path, Type::Tensor(DType::kString, Shape{})));
  return Abstract(String{input});
}

Result<Abstract> ArgumentMaker::MakeTuple(const std::string& path, const std::vector<Type>& types,
                                          const Attribute* example) {
  std::vector<Abstract> items;
  for (std::size_t i = 0; i < types.size(); ++i) {
    DRAGOMAN_ASSIGN(Abstract item,
                    Make(path + "." + std::to_string(i), types[i], ItemOf(example, i)));
    items.push_back(std::move(item));
  }
  return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))});
}

const Attribute* ArgumentMaker::ItemOf(const Attribute* example, std::size_t i) {
  const auto* list = example != nullptr ? example->As<Attribute::List>() : nullptr;
  return list != nullptr && i < list->size() ? &(*list)[i] : nullptr;
}

Result<Abstract> ArgumentMaker::MakeList(const std::string& path, const Type& element,
                                         const Attribute* example) {
  std::size_t count = 0;
  while (Given(path + "." + std::to_string(count))) ++count;
  const auto* list = example != nullptr ? example->As<Attribute::List>() : nullptr;
  if (count == 0 && list != nullptr && !FromData()) count = list->size();
  if (count > 0 || FromData()) {
    std::vector<Abstract> items;
    for (std::size_t i = 0; i < count; ++i) {
      DRAGOMAN_ASSIGN(Abstract item,
                      Make(path + "." + std::to_string(i), element, ItemOf(example, i)));
      items.push_back(std::move(item));
    }
    return heap_.NewList(std::move(items));
  }
  return MakeSequence(path, element);
}

}  // namespace dragoman
