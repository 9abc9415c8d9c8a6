// SPDX-License-Identifier: Apache-2.0
// Reading attributes of a source model of dialect tf: an empty list has no kind of its own.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ATTR_VALUE_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ATTR_VALUE_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/attribute.h"

namespace dragoman::tf {

// nullopt: no type, or one without elements of ours (resource, variant, quantised).
std::optional<DType> AsDType(const Attribute& attribute);

std::optional<Attribute::Ints> AsInts(const Attribute& attribute);
std::optional<Attribute::Floats> AsFloats(const Attribute& attribute);
std::optional<Attribute::Strings> AsStrings(const Attribute& attribute);
std::optional<Attribute::Types> AsTypes(const Attribute& attribute);  // also of shapes

struct FuncRef {
  std::string name;
  const Attribute::Dict* attributes = nullptr;  // nullptr: none
};
std::optional<FuncRef> AsFunc(const Attribute& attribute);
std::optional<std::vector<FuncRef>> AsFuncs(const Attribute& attribute);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ATTR_VALUE_H_
