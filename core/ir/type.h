// SPDX-License-Identifier: Apache-2.0
// Types of values: tensor, sparse tensor, sequence, optional, map, tuple, control, opaque. Any part
// may be unknown.
#ifndef DRAGOMAN_CORE_IR_TYPE_H_
#define DRAGOMAN_CORE_IR_TYPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dim.h"
#include "core/ir/dtype.h"

namespace dragoman {

// A tensor's sizes, outermost first; an unknown rank is nullopt where a Shape may be absent.
using Shape = std::vector<Dim>;

// The number of elements as a Dim; 1 for rank 0.
Dim NumElements(const Shape& shape);
// The sizes as numbers, if all are known.
std::optional<std::vector<std::int64_t>> KnownShape(const Shape& shape);

// An immutable type; copying shares it. A default-made Type says nothing (kUnknown).
//
// Nesting is bounded (kMaxNesting): readers refuse deeper types, so walks over a Type may recurse.
class Type {
 public:
  enum class Kind : std::uint8_t {
    kUnknown,
    kTensor,
    kSparseTensor,
    kSequence,  // of element(0)
    kOptional,  // of element(0)
    kMap,       // from map_key() to element(0)
    kTuple,     // of elements()
    kControl,   // the type of a control edge
    kOpaque,    // a named type of the source without tensor form
  };
  static constexpr int kMaxNesting = 32;

  Type() = default;
  static Type Tensor(DType dtype, std::optional<Shape> shape = std::nullopt);
  static Type Tensor(DType dtype, const std::vector<std::int64_t>& sizes);
  static Type SparseTensor(DType dtype, std::optional<Shape> shape = std::nullopt);
  static Type Sequence(Type element);
  static Type Optional(Type element);
  static Type Map(DType key, Type value);
  static Type Tuple(std::vector<Type> elements);
  static Type Control();
  static Type Opaque(std::string domain, std::string name);

  Kind kind() const { return data_ ? data_->kind : Kind::kUnknown; }
  bool known() const { return data_ != nullptr; }
  bool is_tensor() const { return kind() == Kind::kTensor; }

  // kTensor, kSparseTensor; kUnknown and nullptr for the other kinds.
  DType dtype() const { return data_ ? data_->dtype : DType::kUnknown; }
  const Shape* shape() const { return data_ && data_->shape ? &*data_->shape : nullptr; }
  std::optional<int> rank() const;

  const std::vector<Type>& elements() const;
  const Type& element(std::size_t i = 0) const { return elements()[i]; }
  DType map_key() const { return dtype(); }
  const std::string& opaque_domain() const;
  const std::string& opaque_name() const;

  // How many types nest in this one: 1 for a tensor.
  int nesting() const { return data_ ? data_->nesting : 1; }

  // The same kind with another part; for tensors.
  Type WithShape(std::optional<Shape> shape) const;
  Type WithDType(DType dtype) const;

  // Identical: unknown parts are equal to unknown parts, symbols to symbols of the same name.
  friend bool operator==(const Type& a, const Type& b);

  // "f32[1, n, ?]", "f32[*]" for an unknown rank, "f32[]" for rank 0, "?[*]" for an unknown element
  // type, "sparse f32[3]", "seq<f32[?]>", "opt<…>", "map<i64, …>", "tuple<…>", "control",
  // "opaque<\"domain\", \"name\">", "?".
  std::string ToString() const;

 private:
  struct Data {
    Kind kind = Kind::kUnknown;
    DType dtype = DType::kUnknown;
    int nesting = 1;
    std::optional<Shape> shape = std::nullopt;
    std::vector<Type> elements = {};
    std::string domain = {};
    std::string name = {};
  };
  static Type Make(Data data);

  std::shared_ptr<const Data> data_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TYPE_H_
