// SPDX-License-Identifier: Apache-2.0
// Static types of TorchScript: what the front end resolves overloads with.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_TYPE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_TYPE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/type.h"
#include "core/support/result.h"
#include "importers/torch/script/ast.h"

namespace dragoman::torch {

// An immutable type; copying shares it. Nesting is bounded by Type::kMaxNesting.
class ScriptType {
 public:
  enum class Kind : std::uint8_t {
    kTensor,
    kInt,
    kFloat,
    kComplex,
    kBool,
    kString,
    kNone,
    kNumber,  // int, float or complex
    kDevice,
    kAny,
    kList,      // of element(0)
    kOptional,  // of element(0)
    kUnion,     // one of elements()
    kDict,      // from element(0) to element(1)
    kTuple,     // of elements(); with a name it is a NamedTuple
    kFuture,    // of element(0)
    kClass,     // name(): classes and modules
    kInterface,
    kEnum,
    kVariable,  // of a schema: "t"
    kOther,     // name(): Generator, Storage, …; and Await[…], RRef[…] of element(0)
  };

  ScriptType() : ScriptType(Kind::kTensor) {}
  explicit ScriptType(Kind kind);  // of a kind without parts
  static ScriptType Named(Kind kind, std::string name);
  static ScriptType List(ScriptType element);
  static ScriptType Optional(ScriptType element);  // of an Optional or None: itself
  static ScriptType Dict(ScriptType key, ScriptType value);
  static ScriptType Tuple(std::vector<ScriptType> elements);
  static ScriptType NamedTuple(std::string name, std::vector<ScriptType> elements);
  static ScriptType Of(Kind kind, std::vector<ScriptType> elements, std::string name = "");
  // Flattened, without what is a subtype of another; Optional where None and one more are left.
  static ScriptType Union(const std::vector<ScriptType>& members);

  Kind kind() const { return data_->kind; }
  bool Is(Kind kind) const { return data_->kind == kind; }
  const std::string& name() const { return data_->name; }
  const std::vector<ScriptType>& elements() const { return data_->elements; }
  const ScriptType& element(std::size_t i = 0) const { return data_->elements[i]; }
  int nesting() const { return data_->nesting; }
  bool has_variables() const { return data_->has_variables; }
  // The element of an Optional, else the type itself.
  const ScriptType& WithoutOptional() const { return Is(Kind::kOptional) ? element() : *this; }

  friend bool operator==(const ScriptType& a, const ScriptType& b);

  // As torch writes it: "Optional[Dict[str, Tensor]]".
  std::string ToString() const;

 private:
  struct Data {
    Kind kind;
    std::string name;
    std::vector<ScriptType> elements;
    int nesting;
    bool has_variables;
  };

  std::shared_ptr<const Data> data_;
};

// Which classes implement which interfaces; of names alone nothing is known.
using Implements = std::function<bool(const std::string& class_name, const std::string& interface)>;

// Whether every value of `a` is one of `b`: int of number, T of Optional[T], NamedTuple of its
// plain tuple; elements of lists and dicts must be equal.
bool IsSubtype(const ScriptType& a, const ScriptType& b, const Implements& implements);

// The least type that holds both, as torch finds it; nullopt: there is none but a Union.
std::optional<ScriptType> Unify(const ScriptType& a, const ScriptType& b,
                                const Implements& implements);

using TypeVariables = std::map<std::string, ScriptType>;
// Finds what the variables in `formal` stand for. False: the types do not match.
bool MatchVariables(const ScriptType& formal, const ScriptType& actual, TypeVariables& variables,
                    const Implements& implements);
// `formal` with the variables filled in; nullopt: one is unknown.
std::optional<ScriptType> Substitute(const ScriptType& formal, const TypeVariables& variables);

// The type of graph values, as README.md of this folder lists.
Type ToIrType(const ScriptType& type);

// What a qualified name ("__torch__.m.Net") stands for; nullopt: nothing.
using NameResolver = std::function<std::optional<ScriptType>(const std::string& name)>;

// Errors: no type; nested too deep. The message names what is wrong, without place.
Result<ScriptType> TypeOf(const Expr& expr, const NameResolver& resolve);
// "a.b.c" of a chain of attributes of a name, else nullopt.
std::optional<std::string> QualifiedName(const Expr& expr);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SCRIPT_TYPE_H_
