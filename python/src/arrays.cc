// SPDX-License-Identifier: Apache-2.0
#include "python/src/arrays.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "python/src/errors.h"

namespace dragoman::binding {
namespace {

using nb::dlpack::dtype_code;
using Imported = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// Of one element in an Array, where types of less than 8 bits take a byte.
std::size_t ElementBytes(DType dtype) {
  return static_cast<std::size_t>(std::max(Info(dtype).bits, 8)) / 8;
}

nb::module_ NumPy() { return nb::module_::import_("numpy"); }

// How NumPy is handed elements of `dtype`; bits as they are where NumPy has no such type.
nb::dlpack::dtype PlainType(DType dtype) {
  const DTypeInfo& info = Info(dtype);
  const auto bits = static_cast<std::uint8_t>(ElementBytes(dtype) * 8);
  dtype_code code = dtype_code::UInt;
  if (dtype == DType::kBool) code = dtype_code::Bool;
  if (IsComplex(dtype)) code = dtype_code::Complex;
  if (dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64)
    code = dtype_code::Float;
  if (info.is_integer && info.is_signed) code = dtype_code::Int;
  return {static_cast<std::uint8_t>(code), bits, 1};
}

// The name that ml_dtypes has for an element type; empty where NumPy has it itself.
std::string_view ExtendedName(DType dtype) {
  switch (dtype) {
    case DType::kBF16:
      return "bfloat16";
    case DType::kF8E4M3FN:
      return "float8_e4m3fn";
    case DType::kF8E4M3FNUZ:
      return "float8_e4m3fnuz";
    case DType::kF8E5M2:
      return "float8_e5m2";
    case DType::kF8E5M2FNUZ:
      return "float8_e5m2fnuz";
    case DType::kF8E8M0:
      return "float8_e8m0fnu";
    case DType::kF4E2M1:
      return "float4_e2m1fn";
    case DType::kI4:
      return "int4";
    case DType::kU4:
      return "uint4";
    case DType::kI2:
      return "int2";
    case DType::kU2:
      return "uint2";
    default:
      return "";
  }
}

nb::object WithExtendedType(nb::object array, DType dtype) {
  const std::string name(ExtendedName(dtype));
  if (name.empty()) return array;
  const nb::object type =
      nb::module_::import_("dragoman._arrays").attr("extended_type")(name.c_str());
  return type.is_none() ? array : array.attr("view")(type);
}

nb::object StringsObject(std::span<const std::string> strings,
                         const std::vector<std::size_t>& shape) {
  nb::list items;
  for (const std::string& text : strings) items.append(Text(text));
  const nb::object flat = NumPy().attr("array")(items, "O");
  nb::list sizes;
  for (const std::size_t size : shape) sizes.append(size);
  return flat.attr("reshape")(nb::tuple(sizes));
}

template <class Owner>
nb::capsule Keep(Owner owner) {
  return {new Owner(std::move(owner)),
          [](void* kept) noexcept { delete static_cast<Owner*>(kept); }};
}

// Memory for an array of no elements: NumPy wants an address.
std::byte no_elements[1];

template <class Access, class Pointer>
nb::object ArrayOf(Pointer data, const std::vector<std::size_t>& shape, DType dtype,
                   nb::capsule owner) {
  nb::ndarray<nb::numpy, Access, nb::c_contig> array(
      data, shape.size(), shape.data(), owner, nullptr, PlainType(dtype), nb::device::cpu::value);
  return WithExtendedType(nb::cast(array, nb::rv_policy::reference), dtype);
}

// NumPy's letter of an imported type; 'V' of one that NumPy lacks.
char KindOf(dtype_code code) {
  switch (code) {
    case dtype_code::Int:
      return 'i';
    case dtype_code::UInt:
      return 'u';
    case dtype_code::Float:
      return 'f';
    case dtype_code::Complex:
      return 'c';
    case dtype_code::Bool:
      return 'b';
    default:
      return 'V';
  }
}

// Raises TypeError on a type that the library lacks as well.
DType ExtendedTypeOf(const std::string& name) {
  for (const DTypeInfo& info : AllDTypes()) {
    if (!ExtendedName(info.dtype).empty() && ExtendedName(info.dtype) == name) return info.dtype;
  }
  throw nb::type_error(("no array of numbers or strings: " + name).c_str());
}

// Raises TypeError on types other than bfloat16, which is what PyTorch hands over so.
DType ExtendedTypeOf(nb::dlpack::dtype type) {
  const bool is_half = static_cast<dtype_code>(type.code) == dtype_code::Bfloat && type.bits == 16;
  if (!is_half) throw nb::type_error("an array of a type that NumPy lacks; view it as its bits");
  return DType::kBF16;
}

// Whether an array is copied, or used where it lies.
enum class Elements { kCopied, kLent };

NamedArray FromImported(const Imported& array, Elements elements) {
  NamedArray made;
  NpyArray& npy = made.array;
  npy.kind = KindOf(static_cast<dtype_code>(array.dtype().code));
  if (npy.kind == 'V') made.dtype = ExtendedTypeOf(array.dtype());
  npy.item_bytes = static_cast<std::int64_t>(array.itemsize());
  npy.shape.assign(array.shape_ptr(), array.shape_ptr() + array.ndim());
  if (array.size() == 0) return made;
  const auto* bytes = static_cast<const std::byte*>(array.data());
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(bytes) % static_cast<std::size_t>(array.itemsize()) == 0;
  if (elements == Elements::kLent && is_aligned) {
    made.lent = std::shared_ptr<const void>(bytes, [kept = array](const void*) {});
    return made;
  }
  npy.bytes.assign(bytes, bytes + array.nbytes());
  return made;
}

NpyArray FromStrings(const nb::object& array) {
  NpyArray npy;
  npy.kind = 'U';
  for (nb::handle size : array.attr("shape")) npy.shape.push_back(nb::cast<std::int64_t>(size));
  for (nb::handle item : array.attr("ravel")().attr("tolist")()) {
    if (PyBytes_Check(item.ptr())) {
      const auto bytes = nb::borrow<nb::bytes>(item);
      npy.strings.emplace_back(bytes.c_str(), bytes.size());
    } else if (PyUnicode_Check(item.ptr())) {
      npy.strings.push_back(Bytes(item));
    } else {
      throw nb::type_error("an array of objects holds something that is not a string");
    }
  }
  return npy;
}

// Elements of a type of another package, as bits.
NamedArray FromExtended(const nb::object& array) {
  const nb::object dtype = array.attr("dtype");
  const DType type = ExtendedTypeOf(Bytes(dtype.attr("name")));
  NamedArray made = FromImported(
      nb::cast<Imported>(array.attr("reshape")(-1).attr("view")("uint8")), Elements::kCopied);
  made.dtype = type;
  made.array.kind = 'V';
  made.array.item_bytes = nb::cast<std::int64_t>(dtype.attr("itemsize"));
  made.array.shape.clear();
  for (nb::handle size : array.attr("shape"))
    made.array.shape.push_back(nb::cast<std::int64_t>(size));
  return made;
}

// Of what DLPack and the buffer protocol do not give: other byte orders, strings, types of other
// packages.
NamedArray FromNumPy(nb::handle object) {
  const nb::object array = NumPy().attr("asarray")(object);
  const nb::object dtype = array.attr("dtype");
  const std::string kind = Bytes(dtype.attr("kind"));
  if (kind == "U" || kind == "S" || kind == "O" || kind == "T") return {{}, FromStrings(array)};
  const nb::object native = array.attr("astype")(dtype.attr("newbyteorder")("="), "C");
  Imported imported;
  if (nb::try_cast(native, imported)) return FromImported(imported, Elements::kCopied);
  return FromExtended(native);
}

bool IsArray(nb::handle object) {
  return nb::hasattr(object, "__dlpack__") || nb::hasattr(object, "__array__") ||
         PyObject_CheckBuffer(object.ptr());
}

bool IsSequenceOfArrays(nb::handle object) {
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return false;
  for (nb::handle item : nb::borrow<nb::object>(object)) {
    if (!IsArray(item)) return false;
  }
  return true;
}

NpyArray FromMap(nb::handle map) {
  NpyArray text;
  text.kind = 'U';
  text.strings.push_back(Bytes(nb::module_::import_("dragoman._arrays").attr("map_text")(map)));
  return text;
}

bool IsMap(nb::handle object) {
  if (PyList_Check(object.ptr())) {
    const auto list = nb::borrow<nb::list>(object);
    return list.size() > 0 && PyDict_Check(list[0].ptr());
  }
  return PyDict_Check(object.ptr());
}

NamedArray MakeNamedArray(std::string name, nb::handle object, Elements elements) {
  Imported imported;
  const bool is_plain = IsArray(object) && nb::try_cast(object, imported);
  NamedArray array = is_plain ? FromImported(imported, elements) : FromNumPy(object);
  array.name = std::move(name);
  return array;
}

void AddInput(std::string name, nb::handle object, Elements elements,
              std::vector<NamedArray>& arrays) {
  if (IsMap(object)) {
    arrays.push_back({std::move(name), FromMap(object)});
  } else if (IsSequenceOfArrays(object)) {
    std::size_t i = 0;
    for (nb::handle item : nb::borrow<nb::object>(object))
      arrays.push_back(MakeNamedArray(name + "." + std::to_string(i++), item, elements));
  } else {
    arrays.push_back(MakeNamedArray(std::move(name), object, elements));
  }
}

std::vector<NamedArray> MakeNamedArrays(nb::handle inputs, Elements elements) {
  std::vector<NamedArray> arrays;
  if (inputs.is_none()) return arrays;
  if (PyDict_Check(inputs.ptr())) {
    for (auto [name, object] : nb::borrow<nb::dict>(inputs))
      AddInput(Bytes(nb::str(name)), object, elements, arrays);
    return arrays;
  }
  if (PyList_Check(inputs.ptr()) || PyTuple_Check(inputs.ptr())) {
    std::size_t i = 0;
    for (nb::handle object : nb::borrow<nb::object>(inputs))
      AddInput(std::to_string(i++), object, elements, arrays);
    return arrays;
  }
  AddInput("0", inputs, elements, arrays);
  return arrays;
}

}  // namespace

nb::object ArrayObject(const Array& array) {
  std::vector<std::size_t> shape;
  for (const std::int64_t size : array.shape()) shape.push_back(static_cast<std::size_t>(size));
  const auto count = static_cast<std::size_t>(array.size());
  if (array.dtype() == DType::kString)
    return StringsObject({static_cast<const std::string*>(array.data()), count}, shape);
  const std::size_t bytes = count * ElementBytes(array.dtype());
  auto copy = std::make_unique<std::byte[]>(bytes + 1);
  std::memcpy(copy.get(), array.data(), bytes);
  std::byte* const data = copy.get();
  using Writable = nb::device::cpu;
  return ArrayOf<Writable>(static_cast<void*>(data), shape, array.dtype(), Keep(std::move(copy)));
}

nb::object TensorObject(const Tensor& tensor) {
  std::vector<std::size_t> shape;
  for (const std::int64_t size : tensor.sizes()) shape.push_back(static_cast<std::size_t>(size));
  if (tensor.dtype() == DType::kString) return StringsObject(tensor.strings(), shape);
  if (Info(tensor.dtype()).bits < 8 && tensor.dtype() != DType::kBool)
    return ArrayObject(Unwrap(Array::FromTensor(tensor)));
  auto owner = std::make_shared<const Tensor>(tensor);
  const void* data =
      owner->size() == 0 ? no_elements : owner->AlignedBytes(ElementBytes(tensor.dtype()));
  return ArrayOf<nb::ro>(data, shape, tensor.dtype(), Keep(std::move(owner)));
}

NamedArray ToNamedArray(std::string name, nb::handle object) {
  return MakeNamedArray(std::move(name), object, Elements::kCopied);
}

Array ToArray(const NamedArray& array) { return Unwrap(FromNpy(array.array, PlainDType(array))); }

Tensor ToTensor(nb::handle object) { return ToArray(ToNamedArray({}, object)).ToTensor(); }

std::vector<NamedArray> ToNamedArrays(nb::handle inputs) {
  return MakeNamedArrays(inputs, Elements::kCopied);
}

std::vector<NamedArray> LendArrays(nb::handle inputs) {
  return MakeNamedArrays(inputs, Elements::kLent);
}

nb::dict ArraysObject(const FlatArrays& arrays) {
  nb::dict outputs;
  for (const auto& [name, array] : arrays) outputs[Text(name)] = ArrayObject(array);
  return outputs;
}

}  // namespace dragoman::binding
