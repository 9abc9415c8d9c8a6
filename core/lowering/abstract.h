// SPDX-License-Identifier: Apache-2.0
// Abstract values: what an importer knows of each value of a source program while it builds the
// common graph.
//
// A number, a string, a tuple or None is itself. What a program shares and mutates, tensors, lists,
// dicts and objects, is a reference to a Cell: two references to one Cell are aliases, and a write
// through one is seen through the other. A tensor is a view of its cell: the cell holds the common
// value of the whole storage, `path` leads from there to the elements that the tensor names.
//
// What only one format has (a device, an enumerator) is a ForeignValue of that importer.
#ifndef DRAGOMAN_CORE_LOWERING_ABSTRACT_H_
#define DRAGOMAN_CORE_LOWERING_ABSTRACT_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/builder.h"
#include "core/ir/graph.h"
#include "core/ir/tensor.h"
#include "core/lowering/strides.h"
#include "core/support/result.h"

namespace dragoman {

struct Abstract;
struct Cell;
using CellPtr = std::shared_ptr<Cell>;

struct None {};

// A number of the program. Known, or a 0-d common value: bool, int64, float64 or complex128.
struct Number {
  enum class Kind : std::uint8_t { kBool, kInt, kFloat, kComplex };

  Kind kind = Kind::kInt;
  std::variant<std::int64_t, double, std::complex<double>, Value*> value;  // bool as int64 0 or 1

  static Number Bool(bool v) { return {Kind::kBool, std::int64_t{v}}; }
  static Number Int(std::int64_t v) { return {Kind::kInt, v}; }
  static Number Float(double v) { return {Kind::kFloat, v}; }
  static Number Complex(std::complex<double> v) { return {Kind::kComplex, v}; }

  bool known() const { return !std::holds_alternative<Value*>(value); }
  Value* symbolic() const { return known() ? nullptr : std::get<Value*>(value); }
  std::int64_t AsInt() const;              // if known; truncated towards zero
  double AsDouble() const;                 // if known
  std::complex<double> AsComplex() const;  // if known
  // The element type of a tensor made from it: bool, int64, float64 or complex128.
  DType dtype() const;
  friend bool operator==(const Number&, const Number&) = default;
};

// A string: known, or a 0-d common value of strings.
struct String {
  std::variant<std::string, Value*> value;

  bool known() const { return std::holds_alternative<std::string>(value); }
  const std::string& text() const { return std::get<std::string>(value); }
};

// One step from a tensor to a view of it.
struct ViewStep {
  // Reads the view off a value of its base.
  std::function<Result<Value*>(GraphBuilder&, Value* base)> get;
  // The base with the view's elements replaced by those of `value`. Empty: elements are found by
  // sending their positions through `get`, which must then only move elements.
  std::function<Result<Value*>(GraphBuilder&, Value* base, Value* value)> put;
  // Where the view's elements lie in the storage.
  Strides strides = Strides::Unknown();
};

// Shared by all views that go through it.
struct ViewPath {
  ViewStep step;
  std::shared_ptr<const ViewPath> base;  // nullptr: the storage itself

  // The value last read, and when that holds (heap.h).
  struct Cached {
    Value* value = nullptr;
    std::uint64_t version = 0;
    std::uint64_t scope = 0;
  };
  mutable Cached cached = {};
};

struct TensorRef {
  CellPtr storage;
  std::shared_ptr<const ViewPath> path;  // nullptr: the whole storage
};

struct ListRef {
  CellPtr cell;
};
struct DictRef {
  CellPtr cell;
};
struct ObjectRef {
  CellPtr cell;
};

// Immutable; a NamedTuple's too.
struct Tuple {
  std::shared_ptr<const std::vector<Abstract>> items;
};

// Something that a format has and the others have not: immutable, without parts that run time
// could choose.
class ForeignValue {
 public:
  virtual ~ForeignValue() = default;
  // For messages: "a device".
  virtual std::string Describe() const = 0;
  // Whether both are one and the same to the program. `other` may be of another class.
  virtual bool IsSame(const ForeignValue& other) const = 0;
};
using ForeignPtr = std::shared_ptr<const ForeignValue>;  // never nullptr

// Present or absent as `present`, a 0-d bool, says at run time; `payload` is meaningless if absent.
struct Maybe {
  Value* present = nullptr;
  std::shared_ptr<const Abstract> payload;
};

// The object of a list that run time chooses, all of one interface: number `index` (0-d, int64).
struct Choice {
  Value* index = nullptr;
  std::shared_ptr<const std::vector<Abstract>> objects;
};

// What a branch that cannot be taken would give; any value stands for it.
struct Uninitialized {};

// The result of something that was reported as unsupported: whatever depends on it is left out.
struct Poison {};

template <class T>
inline constexpr bool kIsForeign = std::is_base_of_v<ForeignValue, T>;

struct Abstract {
  using Storage = std::variant<None, Number, String, TensorRef, ListRef, DictRef, ObjectRef, Tuple,
                               ForeignPtr, Maybe, Choice, Uninitialized, Poison>;
  Storage value;

  // In abstract.cc: inline, each file would compile them for all alternatives.
  Abstract() noexcept;
  Abstract(const Abstract&);
  Abstract(Abstract&&) noexcept;
  Abstract& operator=(const Abstract&);
  Abstract& operator=(Abstract&&) noexcept;
  ~Abstract();
  template <class T>
  requires(std::is_constructible_v<Storage, T> && !kIsForeign<T>) Abstract(T v)
      : value(std::move(v)) {}
  template <class T>
  requires kIsForeign<T> Abstract(T v) : value(std::make_shared<const T>(std::move(v))) {}

  // nullptr if it is something else. T may be a class of foreign values.
  template <class T>
  const T* As() const {
    if constexpr (kIsForeign<T>) {
      const auto* foreign = std::get_if<ForeignPtr>(&value);
      return foreign != nullptr ? dynamic_cast<const T*>(foreign->get()) : nullptr;
    } else {
      return std::get_if<T>(&value);
    }
  }
  template <class T>
  bool Is() const {
    return As<T>() != nullptr;
  }
};

// For messages: "a tensor", "a list", "None", …
std::string Describe(const Abstract& value);

// What a cell holds. Every change goes through the Heap (heap.h), which can undo it.
struct StorageContents {
  Value* value = nullptr;          // of the whole storage
  std::optional<Tensor> constant;  // instead, until its first use in a graph; neither: forgotten
  bool is_buffer = false;          // the source keeps `constant` apart from what learns
};
struct ListContents {
  std::vector<Abstract> items;
  Value* sequence = nullptr;            // instead of items: a list of run-time length
  std::optional<Number::Kind> numbers;  // of `sequence`: its elements are numbers, not tensors

  // Whether it is known to have no items.
  bool IsEmpty() const { return sequence == nullptr && items.empty(); }
};
struct DictContents {
  std::vector<std::pair<Abstract, Abstract>> items;  // in the order of insertion; keys are known
  // Instead of items, where only run time knows the keys: dict_entries.h.
  Value* keys = nullptr;
  Value* values = nullptr;
  std::optional<Number::Kind> numbers;  // of `values`: they are numbers, not tensors

  // Whether it is known to have no entries.
  bool IsEmpty() const { return keys == nullptr && items.empty(); }
};
struct ObjectContents {
  std::string class_name;
  std::vector<std::pair<std::string, Abstract>> attributes;
};

struct Cell {
  using Contents = std::variant<StorageContents, ListContents, DictContents, ObjectContents>;

  // In abstract.cc, as those of Abstract.
  Cell() noexcept;
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  ~Cell();

  Contents contents;
  std::uint64_t number = 0;   // in the order of making
  std::uint64_t version = 0;  // of the contents: another one after each change
  Strides strides;            // of a storage: where the elements of the whole lie
  std::int64_t offset = 0;    // of a storage of the file: how many elements lie in front of these
  bool has_views = false;     // of a storage: other tensors were made that share its elements
  // Of a storage: a list whose length only run time knows holds a copy of it, or of a part of it.
  bool is_item = false;
  // The place of a cell that was loaded from the file: "lstm.h0"; empty for others.
  std::string path;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ABSTRACT_H_
