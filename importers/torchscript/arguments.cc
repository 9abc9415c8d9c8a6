#include "importers/torchscript/arguments.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/support/text.h"
#include "importers/torchscript/loaded_cells.h"
#include "importers/torchscript/number_value.h"
#include "importers/torchscript/traced_inputs.h"

namespace dragoman::torchscript {
namespace {

bool IsTorch(const Type& type, std::string_view name) {
  return type.kind() == Type::Kind::kOpaque && type.opaque_domain() == "torch" &&
         type.opaque_name() == name;
}

std::set<std::string> SymbolsIn(const Facts& facts) {
  std::set<std::string> symbols;
  for (const ShapeFact& fact : facts.shapes) {
    for (const std::optional<Dim>& dim : fact.dims) {
      for (std::string& symbol : dim.value_or(Dim()).Symbols()) symbols.insert(std::move(symbol));
    }
  }
  return symbols;
}

class ArgumentMaker {
 public:
  ArgumentMaker(const Model& source, const Facts& facts, Heap& heap, GraphBuilder& builder,
                std::vector<std::string>& assumed)
      : source_(source),
        facts_(facts),
        symbols_(SymbolsIn(facts)),
        heap_(heap),
        builder_(builder),
        assumed_(assumed) {}

  // Whether tensors of the argument to be made are integers if nothing tells their element type.
  void set_is_index(bool is_index) { is_index_ = is_index; }

  // `example`: of a traced file; nullptr if there is none.
  Result<Abstract> Make(const std::string& path, const Type& type, const Attribute* example) {
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

  bool Given(const std::string& path) const {
    return std::any_of(facts_.shapes.begin(), facts_.shapes.end(), [&](const ShapeFact& fact) {
      return fact.input == path || fact.input.starts_with(path + ".");
    });
  }

 private:
  const ShapeFact* FactOf(const std::string& path) const {
    for (const ShapeFact& fact : facts_.shapes) {
      if (fact.input == path) return &fact;
    }
    return nullptr;
  }

  bool FromData() const {
    return std::any_of(facts_.shapes.begin(), facts_.shapes.end(),
                       [](const ShapeFact& fact) { return fact.from_data; });
  }

  Result<Value*> AddInput(const std::string& path, Type type) {
    DRAGOMAN_ASSIGN(type, ApplyFacts(facts_, path, kNoPosition, type));
    // Arrays hold bfloat16 as bits; torch's operators take no unsigned 16-bit integers.
    if (type.dtype() == DType::kU16 && FromData()) type = type.WithDType(DType::kBF16);
    if (type.dtype() == DType::kUnknown) {
      type = type.WithDType(is_index_ ? DType::kI64 : DType::kF32);
      if (!is_index_) assumed_.push_back(path);
    }
    return builder_.graph().AddInput(builder_.UniqueName(path), WithNamedSizes(path, type));
  }

  // Of sizes that are not known nothing could be computed: each becomes a symbol.
  Type WithNamedSizes(const std::string& path, const Type& type) {
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

  Result<Abstract> MakeTensor(const std::string& path, const Attribute* example) {
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

  Result<Abstract> MakeNumber(const std::string& path, Number::Kind kind) {
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

  Result<Abstract> MakeTuple(const std::string& path, const std::vector<Type>& types,
                             const Attribute* example) {
    std::vector<Abstract> items;
    for (std::size_t i = 0; i < types.size(); ++i) {
      DRAGOMAN_ASSIGN(Abstract item,
                      Make(path + "." + std::to_string(i), types[i], ItemOf(example, i)));
      items.push_back(std::move(item));
    }
    return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))});
  }

  static const Attribute* ItemOf(const Attribute* example, std::size_t i) {
    const auto* list = example != nullptr ? example->As<Attribute::List>() : nullptr;
    return list != nullptr && i < list->size() ? &(*list)[i] : nullptr;
  }

  Result<Abstract> MakeList(const std::string& path, const Type& element,
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

  // A list whose length only run time tells.
  Result<Abstract> MakeSequence(const std::string& path, const Type& element) {
    ListContents contents;
    Type type = Type::Tensor(DType::kF32);
    if (IsTorch(element, "int")) contents.numbers = Number::Kind::kInt;
    if (IsTorch(element, "float")) contents.numbers = Number::Kind::kFloat;
    if (IsTorch(element, "bool")) contents.numbers = Number::Kind::kBool;
    if (contents.numbers) {
      type = Type::Tensor(Number{*contents.numbers, std::int64_t{0}}.dtype(), Shape{});
    } else if (!element.is_tensor()) {
      return Unsupported("argument '" + path +
                         "' is a list of unknown length; name its items with --shape " + path +
                         ".0=…");
    }
    contents.sequence =
        builder_.graph().AddInput(builder_.UniqueName(path), Type::Sequence(std::move(type)));
    return Abstract(ListRef{heap_.NewCell(std::move(contents))});
  }

  Result<Abstract> MakeDict(const std::string& path, const Type& type, const Attribute* example) {
    std::vector<std::string> keys;
    const bool nested = !type.element().is_tensor() && type.element().kind() != Type::Kind::kOpaque;
    for (const ShapeFact& fact : facts_.shapes) {
      if (!fact.input.starts_with(path + ".")) continue;
      std::string key = fact.input.substr(path.size() + 1);
      if (nested) key = key.substr(0, key.find('.'));
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
    }
    const auto* dict = example != nullptr ? example->As<Attribute::Dict>() : nullptr;
    for (std::size_t i = 0; keys.empty() && !FromData() && dict != nullptr && i < dict->size(); ++i)
      keys.push_back((*dict)[i].name);
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

  Result<Abstract> MakeOpaque(const std::string& path, const Type& type, const Attribute* example) {
    if (IsTorch(type, "int")) return MakeNumber(path, Number::Kind::kInt);
    if (IsTorch(type, "bool")) return MakeNumber(path, Number::Kind::kBool);
    if (IsTorch(type, "float")) return MakeNumber(path, Number::Kind::kFloat);
    if (IsTorch(type, "complex")) return MakeNumber(path, Number::Kind::kComplex);
    if (IsTorch(type, "number")) {
      const ShapeFact* fact = FactOf(path);
      return MakeNumber(path,
                        KindOf(fact != nullptr ? fact->dtype.value_or(DType::kF64) : DType::kF64));
    }
    if (IsTorch(type, "NoneType")) return Abstract(None());
    if (IsTorch(type, "Device")) return Abstract(Device{"cpu"});
    if (IsTorch(type, "str")) {
      DRAGOMAN_ASSIGN(Value * input, AddInput(path, Type::Tensor(DType::kString, Shape{})));
      return Abstract(String{input});
    }
    if (IsTorch(type, "Any")) {
      return Given(path) || example != nullptr ? MakeTensor(path, example)
                                               : Result<Abstract>(Abstract(None()));
    }
    if (const Attribute::Dict* fields = FieldsOf(type.opaque_name()))
      return MakeNamedTuple(path, *fields, example);
    return Unsupported("argument '" + path + "' has type " + type.opaque_name());
  }

  Result<Abstract> MakeNamedTuple(const std::string& path, const Attribute::Dict& fields,
                                  const Attribute* example) {
    std::vector<Abstract> items;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto* text = fields[i].value.As<std::string>();
      DRAGOMAN_ASSIGN(Type field, FieldType(path, text != nullptr ? *text : ""));
      const std::string by_name = path + "." + fields[i].name;
      DRAGOMAN_ASSIGN(Abstract item, Make(Given(by_name) ? by_name : path + "." + std::to_string(i),
                                          field, ItemOf(example, i)));
      items.push_back(std::move(item));
    }
    return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))});
  }

  // The fields of a NamedTuple, or nullptr.
  const Attribute::Dict* FieldsOf(const std::string& class_name) const {
    const Attribute::Dict* description = FindClass(source_, class_name);
    if (description == nullptr) return nullptr;
    const Attribute* kind = Find(*description, "kind");
    const auto* word = kind != nullptr ? kind->As<std::string>() : nullptr;
    if (word == nullptr || *word != "namedtuple") return nullptr;
    const Attribute* fields = Find(*description, "attributes");
    return fields != nullptr ? fields->As<Attribute::Dict>() : nullptr;
  }

  static Result<Type> FieldType(const std::string& path, const std::string& text) {
    const Type tensor = Type::Tensor(DType::kUnknown);
    if (text == "Tensor") return tensor;
    if (text == "Optional[Tensor]") return Type::Optional(tensor);
    if (text == "List[Tensor]") return Type::Sequence(tensor);
    for (const char* plain : {"int", "float", "bool", "str", "complex"}) {
      if (text == plain) return Type::Opaque("torch", text);
    }
    return Unsupported("argument '" + path + "' has a field of type " + text);
  }

  const Model& source_;
  const Facts& facts_;
  std::set<std::string> symbols_;  // that mean something
  Heap& heap_;
  GraphBuilder& builder_;
  std::vector<std::string>& assumed_;
  bool is_index_ = false;
};

struct IndexOperand {
  std::string_view type;
  std::size_t index;
};

constexpr IndexOperand kIndexOperands[] = {
    {"bincount", 0},    {"embedding", 1},    {"embedding_bag", 1},  {"gather", 2},
    {"index_add", 2},   {"index_select", 2}, {"one_hot", 0},        {"scatter", 2},
    {"scatter_add", 2}, {"take", 1},         {"take_along_dim", 1},
};

// Whether an operator reads `input` as indices.
bool IsIndex(const Value& input) {
  for (const Use* use = input.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || use->user()->op().dialect != "aten") continue;
    const bool reads = std::ranges::any_of(kIndexOperands, [use](const IndexOperand& operand) {
      return operand.type == use->user()->op().type && operand.index == use->index();
    });
    if (reads) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Abstract>> MakeArguments(const Model& source, const Graph& function,
                                            const Facts& facts, Heap& heap, GraphBuilder& builder,
                                            std::vector<std::string>& assumed) {
  ArgumentMaker maker(source, facts, heap, builder, assumed);
  std::vector<Abstract> arguments;
  for (std::size_t i = 1; i < function.num_inputs(); ++i) {
    Value& input = *function.input(i);
    if (input.data() != nullptr && !maker.Given(input.name())) {
      DRAGOMAN_ASSIGN(Abstract value, ConstantValue(source, *input.data(), heap));
      arguments.push_back(std::move(value));
      continue;
    }
    const Extra* extra = input.extra_if_any();
    const Attribute* example = extra != nullptr ? Find(*extra, kTraced) : nullptr;
    maker.set_is_index(IsIndex(input));
    DRAGOMAN_ASSIGN(Abstract value, maker.Make(input.name(), input.type(), example));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

}  // namespace dragoman::torchscript
