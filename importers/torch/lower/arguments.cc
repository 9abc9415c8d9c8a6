// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/arguments.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ir/find_as.h"
#include "core/lowering/arguments.h"
#include "core/lowering/number_value.h"
#include "importers/torch/lower/loaded_cells.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/op_table.h"
#include "importers/torch/script/traced_inputs.h"

namespace dragoman::torch {
namespace {

bool IsTorch(const Type& type, std::string_view name) {
  return type.kind() == Type::Kind::kOpaque && type.opaque_domain() == "torch" &&
         type.opaque_name() == name;
}

class TorchArguments : public ArgumentMaker {
 public:
  TorchArguments(const Model& source, const Facts& facts, Heap& heap, GraphBuilder& builder,
                 std::vector<std::string>& assumed)
      : ArgumentMaker(facts, heap, builder, assumed), source_(source) {}

 protected:
  Result<Abstract> MakeOpaque(const std::string& path, const Type& type,
                              const Attribute* example) override {
    if (const std::optional<Number::Kind> kind = NumberKind(type)) return MakeNumber(path, *kind);
    if (IsTorch(type, "number")) {
      const ShapeFact* fact = FactOf(path);
      return MakeNumber(path,
                        KindOf(fact != nullptr ? fact->dtype.value_or(DType::kF64) : DType::kF64));
    }
    if (IsTorch(type, "NoneType")) return Abstract(None());
    if (IsTorch(type, "Device")) return Abstract(Device("cpu"));
    if (IsTorch(type, "str")) return MakeString(path);
    if (IsTorch(type, "Any")) {
      return Given(path) || example != nullptr ? MakeTensor(path, example)
                                               : Result<Abstract>(Abstract(None()));
    }
    if (const Attribute::Dict* fields = FieldsOf(type.opaque_name()))
      return MakeNamedTuple(path, *fields, example);
    return Unsupported("argument '" + path + "' has type " + type.opaque_name());
  }

  std::optional<Number::Kind> NumberKind(const Type& type) const override {
    if (IsTorch(type, "int")) return Number::Kind::kInt;
    if (IsTorch(type, "bool")) return Number::Kind::kBool;
    if (IsTorch(type, "float")) return Number::Kind::kFloat;
    if (IsTorch(type, "complex")) return Number::Kind::kComplex;
    return std::nullopt;
  }

  // Arrays hold bfloat16 as bits; torch's operators take no unsigned 16-bit integers.
  DType TypeOfArray(DType dtype) const override {
    return dtype == DType::kU16 ? DType::kBF16 : dtype;
  }

 private:
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
    const auto* word = FindAs<std::string>(*description, "kind");
    if (word == nullptr || *word != "namedtuple") return nullptr;
    return FindAs<Attribute::Dict>(*description, "attributes");
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
};

// Whether an operator reads `input` as indices.
bool IsIndex(const Value& input) {
  for (const Use* use = input.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr) continue;
    const OpName& op = use->user()->op();
    const OpRow* row = FindOpRow(op.dialect + "." + op.type);
    if (row != nullptr && row->facts.index == static_cast<int>(use->index())) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Abstract>> MakeArguments(const Model& source, const Graph& function,
                                            const Facts& facts, Heap& heap, GraphBuilder& builder,
                                            std::vector<std::string>& assumed) {
  TorchArguments maker(source, facts, heap, builder, assumed);
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

}  // namespace dragoman::torch
