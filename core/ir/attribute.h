// SPDX-License-Identifier: Apache-2.0
// Attributes: the compile-time arguments of a node.
#ifndef DRAGOMAN_CORE_IR_ATTRIBUTE_H_
#define DRAGOMAN_CORE_IR_ATTRIBUTE_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace dragoman {

class Graph;
struct NamedAttribute;

// The name of something outside of the node: a called function, a class, an enumerator.
struct Symbol {
  std::string name;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// Inside a function body: the value of the function's attribute `name` at the place of the call.
// `kind` is the kind that the file states for it, in the file's own numbering.
struct AttributeRef {
  std::string name;
  int kind = 0;
  friend bool operator==(const AttributeRef&, const AttributeRef&) = default;
};

// One value of one of the kinds below. Copying shares tensors and graphs; a graph belongs to one
// node, so whoever copies a node clones its graphs (CloneInto in graph.h).
//
// ai.onnx needs int, float, string, tensor, sparse tensor, graph, type and lists of these. The rest
// is for source dialects.
class Attribute {
 public:
  struct None {
    friend bool operator==(None, None) { return true; }
  };
  using Ints = std::vector<std::int64_t>;
  using Floats = std::vector<float>;
  using Doubles = std::vector<double>;
  using Strings = std::vector<std::string>;
  using Tensors = std::vector<Tensor>;
  using SparseTensors = std::vector<SparseTensor>;
  using Graphs = std::vector<std::shared_ptr<Graph>>;
  using Types = std::vector<Type>;
  using List = std::vector<Attribute>;       // of mixed kinds
  using Dict = std::vector<NamedAttribute>;  // in order
  using TensorPtr = std::shared_ptr<const Tensor>;
  using SparseTensorPtr = std::shared_ptr<const SparseTensor>;
  using GraphPtr = std::shared_ptr<Graph>;
  using Complex = std::complex<double>;

  using Storage =
      std::variant<None, std::int64_t, float, double, bool, std::string, TensorPtr, SparseTensorPtr,
                   GraphPtr, Type, Symbol, AttributeRef, Complex, Ints, Floats, Doubles, Strings,
                   Tensors, SparseTensors, Graphs, Types, List, Dict>;
  // The alternatives of Storage by index.
  enum class Kind : std::uint8_t {
    kNone,
    kInt,
    kFloat,
    kDouble,
    kBool,
    kString,
    kTensor,
    kSparseTensor,
    kGraph,
    kType,
    kSymbol,
    kRef,
    kComplex,
    kInts,
    kFloats,
    kDoubles,
    kStrings,
    kTensors,
    kSparseTensors,
    kGraphs,
    kTypes,
    kList,
    kDict,
  };

  // In attribute.cc: inline, each file would compile them for all alternatives.
  Attribute() noexcept;
  Attribute(const Attribute&);
  Attribute(Attribute&&) noexcept;
  Attribute& operator=(const Attribute&);
  Attribute& operator=(Attribute&&) noexcept;
  ~Attribute();

  Attribute(std::int64_t v);
  Attribute(int v);
  Attribute(float v);
  Attribute(double v);
  Attribute(bool v);
  Attribute(std::string v);
  Attribute(const char* v);
  Attribute(Tensor v);
  Attribute(SparseTensor v);
  Attribute(GraphPtr v);
  Attribute(Type v);
  Attribute(Symbol v);
  Attribute(AttributeRef v);
  Attribute(Complex v);
  Attribute(Ints v);
  Attribute(Floats v);
  Attribute(Doubles v);
  Attribute(Strings v);
  Attribute(Tensors v);
  Attribute(SparseTensors v);
  Attribute(Graphs v);
  Attribute(Types v);
  Attribute(List v);
  Attribute(Dict v);

  Kind kind() const { return static_cast<Kind>(storage_.index()); }
  const Storage& storage() const { return storage_; }

  // The value if the attribute is of that kind, else nullptr: `if (const auto* ints =
  // a.As<Attribute::Ints>())`. Tensors and graphs through their own names.
  template <class T>
  const T* As() const {
    return std::get_if<T>(&storage_);
  }
  const Tensor* tensor() const;
  const SparseTensor* sparse_tensor() const;
  Graph* graph() const;

 private:
  Storage storage_;
};

// The words that stand for the kinds in messages: "int", "list of floats", …
std::string_view Name(Attribute::Kind kind);

// What has no typed home: unknown fields, presence, encodings, doc strings. An ordered list that
// only the reader and the writer of the format concerned interpret; keys start with the format's
// name ("onnx.doc_string").
using Extra = std::vector<NamedAttribute>;

struct NamedAttribute {
  NamedAttribute() noexcept;
  NamedAttribute(std::string n, Attribute v);
  NamedAttribute(const NamedAttribute&);
  NamedAttribute(NamedAttribute&&) noexcept;
  NamedAttribute& operator=(const NamedAttribute&);
  NamedAttribute& operator=(NamedAttribute&&) noexcept;
  ~NamedAttribute();

  std::string name;
  Attribute value;
  std::shared_ptr<const Extra> extra;  // nullptr: none
};

// Equal kinds and values, floats by bits; graphs are never equal but to themselves (core/compare
// knows more).
bool Identical(const Attribute& a, const Attribute& b);

// The first entry called `name`, or nullptr.
const Attribute* Find(const std::vector<NamedAttribute>& attributes, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_ATTRIBUTE_H_
