// SPDX-License-Identifier: Apache-2.0
// Functions of a program that group what one operator of another library computes: each call stays
// a group, dragoman.Fused, with the name and the attributes that the program gives it.
#ifndef DRAGOMAN_CORE_LOWERING_GROUP_H_
#define DRAGOMAN_CORE_LOWERING_GROUP_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/entry_builder.h"

namespace dragoman {

struct SourceGroup {
  std::string name;
  Attribute::Dict attributes;  // kept as extra `key` of the group
  std::string key;
  std::vector<Abstract> arguments;
  std::vector<std::string> parameters;  // names, as many
  std::function<Abstract(std::vector<Abstract> arguments)> run;
};

// nullopt: it takes or gives something else than tensors, and is to be run in place. What it reads
// of the graphs around it becomes further operands.
Result<std::optional<Abstract>> RunGroup(EntryBuilder& entry, const SourceGroup& group);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_GROUP_H_
