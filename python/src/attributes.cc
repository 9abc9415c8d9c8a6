// SPDX-License-Identifier: Apache-2.0
#include "python/src/attributes.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "dragoman/session.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/errors.h"

namespace dragoman::binding {
namespace {

// The alternatives of Attribute::Storage, one call each.
class AttributeMaker {
 public:
  explicit AttributeMaker(const SharedModelPtr& owner) : owner_(owner) {}

  nb::object operator()(Attribute::None) const { return nb::none(); }
  nb::object operator()(std::int64_t value) const { return nb::int_(value); }
  nb::object operator()(float value) const { return nb::float_(value); }
  nb::object operator()(double value) const { return nb::float_(value); }
  nb::object operator()(bool value) const { return nb::bool_(value); }
  nb::object operator()(const std::string& value) const { return Text(value); }
  nb::object operator()(const Attribute::Complex& value) const {
    return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
  }
  nb::object operator()(const Tensor& value) const { return TensorObject(value); }
  nb::object operator()(const Attribute::TensorPtr& value) const { return TensorObject(*value); }
  nb::object operator()(const SparseTensor& value) const { return nb::cast(value); }
  nb::object operator()(const Attribute::SparseTensorPtr& value) const { return nb::cast(*value); }
  nb::object operator()(const Attribute::GraphPtr& value) const {
    return nb::cast(GraphHandle(owner_, value.get()));
  }
  nb::object operator()(const Type& value) const { return nb::cast(value); }
  nb::object operator()(const Symbol& value) const { return nb::cast(value); }
  nb::object operator()(const AttributeRef& value) const { return nb::cast(value); }
  nb::object operator()(const Attribute& value) const { return AttributeObject(value, owner_); }
  nb::object operator()(const Attribute::Dict& value) const {
    return AttributesObject(value, owner_);
  }
  template <class Item>
  nb::object operator()(const std::vector<Item>& items) const {
    nb::list list;
    for (const Item& item : items) list.append((*this)(item));
    return list;
  }

 private:
  const SharedModelPtr& owner_;
};

// Items of one kind as the list of that kind, others as a list of attributes.
template <class Item>
std::optional<Attribute> Uniform(const Attribute::List& items) {
  std::vector<Item> list;
  for (const Attribute& item : items) {
    const auto* value = item.As<Item>();
    if (value == nullptr) return std::nullopt;
    list.push_back(*value);
  }
  return Attribute(std::move(list));
}

std::optional<Attribute> UniformTensors(const Attribute::List& items) {
  Attribute::Tensors list;
  for (const Attribute& item : items) {
    if (item.tensor() == nullptr) return std::nullopt;
    list.push_back(*item.tensor());
  }
  return Attribute(std::move(list));
}

Attribute FromList(nb::handle object, bool wide) {
  Attribute::List items;
  for (nb::handle item : nb::borrow<nb::object>(object)) items.push_back(ToAttribute(item, wide));
  if (items.empty()) return Attribute::Ints();
  if (auto list = Uniform<std::int64_t>(items)) return *std::move(list);
  if (auto list = Uniform<float>(items)) return *std::move(list);
  if (auto list = Uniform<double>(items)) return *std::move(list);
  if (auto list = Uniform<std::string>(items)) return *std::move(list);
  if (auto list = Uniform<Type>(items)) return *std::move(list);
  if (auto list = UniformTensors(items)) return *std::move(list);
  return items;
}

std::optional<Attribute> FromNumber(nb::handle object, bool wide) {
  if (PyBool_Check(object.ptr())) return Attribute(nb::cast<bool>(object));
  if (PyLong_Check(object.ptr())) return Attribute(nb::cast<std::int64_t>(object));
  if (PyComplex_Check(object.ptr()))
    return Attribute(Attribute::Complex(PyComplex_RealAsDouble(object.ptr()),
                                        PyComplex_ImagAsDouble(object.ptr())));
  if (!PyFloat_Check(object.ptr())) return std::nullopt;
  const double number = nb::cast<double>(object);
  return wide ? Attribute(number) : Attribute(static_cast<float>(number));
}

nb::object ShapeObject(const Type& type) {
  if (type.shape() == nullptr) return nb::none();
  nb::list sizes;
  for (const Dim& dim : *type.shape()) sizes.append(DimObject(dim));
  return nb::tuple(sizes);
}

std::string_view KindName(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::kUnknown:
      return "unknown";
    case Type::Kind::kTensor:
      return "tensor";
    case Type::Kind::kSparseTensor:
      return "sparse_tensor";
    case Type::Kind::kSequence:
      return "sequence";
    case Type::Kind::kOptional:
      return "optional";
    case Type::Kind::kMap:
      return "map";
    case Type::Kind::kTuple:
      return "tuple";
    case Type::Kind::kControl:
      return "control";
    case Type::Kind::kOpaque:
      break;
  }
  return "opaque";
}

nb::object DTypeObject(DType dtype) {
  return dtype == DType::kUnknown ? nb::none() : nb::object(Text(NumpyName(dtype)));
}

Type MakeTensorType(const std::string& dtype, nb::object shape) {
  const std::optional<DType> element = DTypeFromName(dtype);
  if (!element) Raise(InvalidInput("there is no element type '" + dtype + "'"));
  if (shape.is_none()) return Type::Tensor(*element);
  Shape sizes;
  for (nb::handle size : shape) sizes.push_back(ToDim(size));
  return Type::Tensor(*element, std::move(sizes));
}

}  // namespace

nb::object DimObject(const Dim& dim) {
  if (dim.known()) return nb::int_(dim.value());
  return dim.unknown() ? nb::none() : nb::object(Text(dim.ToString()));
}

Dim ToDim(nb::handle object) {
  if (object.is_none()) return Dim::Unknown();
  if (PyUnicode_Check(object.ptr())) return Unwrap(ParseDim(Bytes(object)));
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const auto size = nb::cast<std::int64_t>(index);
  if (size < 0) Raise(InvalidInput("a size is negative: " + std::to_string(size)));
  return size;
}

nb::object AttributeObject(const Attribute& attribute, const SharedModelPtr& owner) {
  return std::visit(AttributeMaker(owner), attribute.storage());
}

nb::dict AttributesObject(const std::vector<NamedAttribute>& attributes,
                          const SharedModelPtr& owner) {
  nb::dict dict;
  for (const NamedAttribute& attribute : attributes)
    dict[Text(attribute.name)] = AttributeObject(attribute.value, owner);
  return dict;
}

Attribute ToAttribute(nb::handle object, bool wide) {
  if (object.is_none()) return {};
  if (auto number = FromNumber(object, wide)) return *std::move(number);
  if (PyUnicode_Check(object.ptr())) return Bytes(object);
  if (PyBytes_Check(object.ptr())) {
    const auto bytes = nb::borrow<nb::bytes>(object);
    return std::string(bytes.c_str(), bytes.size());
  }
  if (nb::isinstance<Type>(object)) return nb::cast<Type>(object);
  if (nb::isinstance<Symbol>(object)) return nb::cast<Symbol>(object);
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return FromList(object, wide);
  if (nb::hasattr(object, "__array__") || nb::hasattr(object, "__dlpack__"))
    return ToTensor(object);
  throw nb::type_error("an attribute is a number, a text, an array, a type, or a list of these");
}

void BindAttributes(nb::module_& m) {
  nb::class_<Type>(m, "Type", "The type of a value; any part may be unknown.")
      .def_static("tensor", &MakeTensorType, nb::arg("dtype"), nb::arg("shape").none() = nb::none(),
                  "A tensor's type; a size is an int, an expression as a str, or None.")
      .def_prop_ro("kind", [](const Type& type) { return Text(KindName(type.kind())); })
      .def_prop_ro(
          "dtype", [](const Type& type) { return DTypeObject(type.dtype()); },
          nb::sig("def dtype(self) -> str | None"),
          "NumPy's name of the element type; of a map, of its keys.")
      .def_prop_ro("shape", &ShapeObject,
                   nb::sig("def shape(self) -> tuple[int | str | None, ...] | None"),
                   "Sizes: numbers, expressions over symbols, or None; None for an unknown rank.")
      .def_prop_ro("elements", [](const Type& type) { return type.elements(); })
      .def("__eq__", [](const Type& a, const Type& b) { return a == b; })
      .def("__hash__", [](const Type& type) { return nb::hash(Text(type.ToString())); })
      .def("__str__", [](const Type& type) { return Text(type.ToString()); })
      .def("__repr__", [](const Type& type) {
        return Text(Printable("<dragoman.Type " + type.ToString() + ">"));
      });

  nb::class_<Symbol>(m, "Symbol", "The name of something outside of the node.")
      .def(nb::init<std::string>(), nb::arg("name"))
      .def_prop_ro("name", [](const Symbol& symbol) { return Text(symbol.name); })
      .def("__eq__", [](const Symbol& a, const Symbol& b) { return a == b; })
      .def("__hash__", [](const Symbol& symbol) { return nb::hash(Text(symbol.name)); })
      .def("__repr__", [](const Symbol& symbol) { return Text("Symbol('" + symbol.name + "')"); });

  nb::class_<AttributeRef>(m, "AttributeRef",
                           "In the body of a function: the attribute of the call.")
      .def_prop_ro("name", [](const AttributeRef& ref) { return Text(ref.name); });

  nb::class_<SparseTensor>(m, "SparseTensor", "Values at the places that indices list.")
      .def_prop_ro("values", [](const SparseTensor& t) { return TensorObject(t.values); })
      .def_prop_ro("indices", [](const SparseTensor& t) { return TensorObject(t.indices); })
      .def_prop_ro("shape", [](const SparseTensor& t) { return nb::tuple(nb::cast(t.sizes)); });
}

}  // namespace dragoman::binding
