// SPDX-License-Identifier: Apache-2.0
// An entry's arguments: structured values over flat inputs.
#ifndef DRAGOMAN_CORE_LOWERING_ARGUMENTS_H_
#define DRAGOMAN_CORE_LOWERING_ARGUMENTS_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/builder.h"
#include "core/analysis/facts.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman {

// Makes arguments from their declared types, the facts, and examples of a recorded call; each leaf
// becomes an input of the builder's graph. Leaves are called by their path: "x", "hc.0", "d.key".
//
// A tensor has the sizes and the element type that the facts state. Without them, an example gives
// rank and element type, and each size is a symbol ("x_0"); else the element type is float32, and
// the input's name is added to `assumed`. Lists are as long, and dicts have the keys, as facts or
// example state.
//
// An example is a type attribute for a tensor, a list or a dictionary of examples for what holds
// several values; nullptr if there is none.
//
// An importer derives from it for the opaque types of its format.
class ArgumentMaker {
 public:
  ArgumentMaker(const Facts& facts, Heap& heap, GraphBuilder& builder,
                std::vector<std::string>& assumed);
  virtual ~ArgumentMaker() = default;

  // Whether tensors of the argument to be made are integers if nothing states their element type.
  void set_is_index(bool is_index) { is_index_ = is_index; }
  Result<Abstract> Make(const std::string& path, const Type& type, const Attribute* example);
  // Whether a fact names the argument or a part of it.
  bool Given(const std::string& path) const;

 protected:
  // An argument of an opaque type.
  virtual Result<Abstract> MakeOpaque(const std::string& path, const Type& type,
                                      const Attribute* example) = 0;
  // The numbers that `type` stands for; nullopt if it stands for something else.
  virtual std::optional<Number::Kind> NumberKind(const Type& type) const = 0;
  // The element type of an argument whose data are an array of `dtype`.
  virtual DType TypeOfArray(DType dtype) const { return dtype; }

  Result<Abstract> MakeTensor(const std::string& path, const Attribute* example);
  Result<Abstract> MakeNumber(const std::string& path, Number::Kind kind);
  Result<Abstract> MakeString(const std::string& path);
  Result<Value*> AddInput(const std::string& path, Type type);
  const ShapeFact* FactOf(const std::string& path) const;
  static const Attribute* ItemOf(const Attribute* example, std::size_t i);

 private:
  bool FromData() const;
  Type WithNamedSizes(const std::string& path, const Type& type);
  Result<Abstract> MakeTuple(const std::string& path, const std::vector<Type>& types,
                             const Attribute* example);
  Result<Abstract> MakeList(const std::string& path, const Type& element, const Attribute* example);
  Result<Abstract> MakeSequence(const std::string& path, const Type& element);
  Result<Abstract> MakeDict(const std::string& path, const Type& type, const Attribute* example);
  std::vector<std::string> KeysOf(const std::string& path, bool nested,
                                  const Attribute::Dict* example) const;

  const Facts& facts_;
  std::set<std::string> symbols_;  // that mean something
  Heap& heap_;
  GraphBuilder& builder_;
  std::vector<std::string>& assumed_;
  bool is_index_ = false;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ARGUMENTS_H_
