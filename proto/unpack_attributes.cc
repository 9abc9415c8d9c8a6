// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "core/support/text.h"
#include "proto/unpacker.h"

namespace dragoman {

Result<std::vector<NamedAttribute>> Unpacker::UnpackAttributes(const Attributes& from,
                                                               std::int64_t owner, int nesting,
                                                               std::int64_t list) {
  std::vector<NamedAttribute> attributes;
  attributes.reserve(static_cast<std::size_t>(from.size()));
  for (const pb::Attribute& attribute : from) {
    DRAGOMAN_ASSIGN(NamedAttribute made, UnpackNamed(attribute, owner, nesting, list));
    attributes.push_back(std::move(made));
  }
  return attributes;
}

Result<NamedAttribute> Unpacker::UnpackNamed(const pb::Attribute& from, std::int64_t owner,
                                             int nesting, std::int64_t list) {
  NamedAttribute attribute;
  DRAGOMAN_ASSIGN(attribute.name, Unescape(from.name()));
  DRAGOMAN_ASSIGN(attribute.value, UnpackAttribute(from, owner, nesting, list));
  if (from.extra() == 0) return attribute;
  DRAGOMAN_ASSIGN(const pb::AttributeList* extra, TakeList(from.extra() - 1, nesting, list));
  DRAGOMAN_ASSIGN(Extra items, UnpackAttributes(extra->items(), -1, nesting + 1, from.extra() - 1));
  attribute.extra = std::make_shared<const Extra>(std::move(items));
  return attribute;
}

Result<const pb::AttributeList*> Unpacker::TakeList(std::uint32_t number, int nesting,
                                                    std::int64_t list) {
  const std::string label = "list " + std::to_string(number);
  if (number >= taken_lists_.size()) return InvalidInput(label + " does not exist");
  if (taken_lists_[number]) return InvalidInput(label + " is in two places");
  if (static_cast<std::int64_t>(number) <= list)
    return InvalidInput(label + " comes before its list");
  if (nesting >= kMaxListNesting) return InvalidInput("lists nest too deep");
  taken_lists_[number] = true;
  return &in_.lists(static_cast<int>(number));
}

Result<Attribute> Unpacker::UnpackAttribute(const pb::Attribute& from, std::int64_t owner,
                                            int nesting, std::int64_t list) {
  switch (from.value_case()) {
    case pb::Attribute::VALUE_NOT_SET:
      return Attribute();
    case pb::Attribute::kInt:
      return Attribute(static_cast<std::int64_t>(from.int_()));
    case pb::Attribute::kFloat:
      return Attribute(std::bit_cast<float>(from.float_()));
    case pb::Attribute::kDouble:
      return Attribute(std::bit_cast<double>(std::uint64_t{from.double_()}));
    case pb::Attribute::kBool:
      return Attribute(from.bool_());
    case pb::Attribute::kText:
      return Attribute(UnpackText(from.text()));
    case pb::Attribute::kTensor: {
      DRAGOMAN_ASSIGN(Tensor tensor, UnpackTensor(from.tensor()));
      return Attribute(std::move(tensor));
    }
    case pb::Attribute::kSparseTensor: {
      DRAGOMAN_ASSIGN(SparseTensor tensor, UnpackSparseTensor(from.sparse_tensor()));
      return Attribute(std::move(tensor));
    }
    case pb::Attribute::kGraph: {
      DRAGOMAN_ASSIGN(Attribute::GraphPtr graph, TakeGraph(from.graph(), owner));
      return Attribute(std::move(graph));
    }
    case pb::Attribute::kType: {
      DRAGOMAN_ASSIGN(Type type, At(types_, from.type(), "type"));
      return Attribute(std::move(type));
    }
    case pb::Attribute::kSymbol: {
      DRAGOMAN_ASSIGN(std::string name, Unescape(from.symbol()));
      return Attribute(Symbol{std::move(name)});
    }
    case pb::Attribute::kReference: {
      DRAGOMAN_ASSIGN(std::string name, Unescape(from.reference().name()));
      return Attribute(AttributeRef{std::move(name), from.reference().kind()});
    }
    case pb::Attribute::kComplex:
      return Attribute(
          Attribute::Complex(std::bit_cast<double>(std::uint64_t{from.complex().real()}),
                             std::bit_cast<double>(std::uint64_t{from.complex().imaginary()})));
    case pb::Attribute::kGraphs:
      return UnpackGraphList(from, owner);
    case pb::Attribute::kList: {
      DRAGOMAN_ASSIGN(const pb::AttributeList* items, TakeList(from.list(), nesting, list));
      Attribute::List made;
      for (const pb::Attribute& item : items->items()) {
        DRAGOMAN_ASSIGN(Attribute value, UnpackAttribute(item, -1, nesting + 1, from.list()));
        made.push_back(std::move(value));
      }
      return Attribute(std::move(made));
    }
    case pb::Attribute::kDict: {
      DRAGOMAN_ASSIGN(const pb::AttributeList* items, TakeList(from.dict(), nesting, list));
      DRAGOMAN_ASSIGN(Attribute::Dict made,
                      UnpackAttributes(items->items(), -1, nesting + 1, from.dict()));
      return Attribute(std::move(made));
    }
    default:
      return UnpackList(from);
  }
}

// Of one kind each.
Result<Attribute> Unpacker::UnpackList(const pb::Attribute& from) {
  switch (from.value_case()) {
    case pb::Attribute::kInts: {
      const auto& items = from.ints().items();
      return Attribute(Attribute::Ints(items.begin(), items.end()));
    }
    case pb::Attribute::kFloats: {
      Attribute::Floats made;
      for (const std::uint32_t item : from.floats().items())
        made.push_back(std::bit_cast<float>(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kDoubles: {
      Attribute::Doubles made;
      for (const std::uint64_t item : from.doubles().items())
        made.push_back(std::bit_cast<double>(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kTexts: {
      Attribute::Strings made;
      for (const pb::Text& item : from.texts().items()) made.push_back(UnpackText(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kTensors: {
      Attribute::Tensors made;
      for (const pb::Tensor& item : from.tensors().items()) {
        DRAGOMAN_ASSIGN(Tensor tensor, UnpackTensor(item));
        made.push_back(std::move(tensor));
      }
      return Attribute(std::move(made));
    }
    case pb::Attribute::kSparseTensors: {
      Attribute::SparseTensors made;
      for (const pb::SparseTensor& item : from.sparse_tensors().items()) {
        DRAGOMAN_ASSIGN(SparseTensor tensor, UnpackSparseTensor(item));
        made.push_back(std::move(tensor));
      }
      return Attribute(std::move(made));
    }
    default: {
      Attribute::Types made;
      for (const std::uint32_t item : from.types().items()) {
        DRAGOMAN_ASSIGN(Type type, At(types_, item, "type"));
        made.push_back(std::move(type));
      }
      return Attribute(std::move(made));
    }
  }
}

Result<Attribute> Unpacker::UnpackGraphList(const pb::Attribute& from, std::int64_t owner) {
  Attribute::Graphs made;
  for (const std::uint32_t item : from.graphs().items()) {
    DRAGOMAN_ASSIGN(Attribute::GraphPtr graph, TakeGraph(item, owner));
    made.push_back(std::move(graph));
  }
  return Attribute(std::move(made));
}

Result<Tensor> Unpacker::UnpackTensor(const pb::Tensor& from) {
  DRAGOMAN_ASSIGN(const DType dtype, UnpackDType(from.dtype()));
  std::vector<std::int64_t> sizes(from.sizes().begin(), from.sizes().end());
  if (dtype == DType::kUnknown) return Tensor();
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const pb::Text& string : from.strings()) strings.push_back(UnpackText(string));
    return Tensor::MakeStrings(std::move(sizes), std::move(strings));
  }
  DRAGOMAN_ASSIGN(Buffer buffer, At(buffers_, std::uint64_t{from.buffer()} - 1, "buffer"));
  return Tensor::Make(dtype, std::move(sizes), std::move(buffer));
}

Result<SparseTensor> Unpacker::UnpackSparseTensor(const pb::SparseTensor& from) {
  SparseTensor tensor;
  DRAGOMAN_ASSIGN(tensor.values, UnpackTensor(from.values()));
  DRAGOMAN_ASSIGN(tensor.indices, UnpackTensor(from.indices()));
  tensor.sizes.assign(from.sizes().begin(), from.sizes().end());
  return tensor;
}

}  // namespace dragoman
