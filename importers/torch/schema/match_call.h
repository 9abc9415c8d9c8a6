// SPDX-License-Identifier: Apache-2.0
// Overload resolution: the first schema, in order, that the arguments of a call fit, first without
// and then with implicit conversions (pytorch torch/csrc/jit/frontend/schema_matching.cpp).
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCHEMA_MATCH_CALL_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCHEMA_MATCH_CALL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/block_builder.h"
#include "importers/torch/script/program.h"

namespace dragoman::torch {

struct KeywordArgument {
  std::string name;
  Typed value;
};

// The arguments as written. `self` is that of a method call: x of x.add(y).
struct CallArguments {
  std::optional<Typed> self;
  std::vector<Typed> positional;
  std::vector<KeywordArgument> keywords;
};

struct MatchedCall {
  std::size_t overload = 0;     // which of the schemas
  std::vector<Typed> operands;  // one per schema argument, converted; then those of varargs
  std::vector<ScriptType> results;
};

class CallMatcher {
 public:
  CallMatcher(Program& program, BlockBuilder& builder) : program_(program), builder_(builder) {}

  // Appends the conversions and defaults that the match needs. Errors: none fits; the message lists
  // the arguments' types and each candidate.
  Result<MatchedCall> Match(const std::vector<const Schema*>& schemas,
                            const CallArguments& arguments);

  // `value` as a `type`, with the nodes that this needs; nullopt: it cannot be. As
  // `allow_conversions` says, tensors become numbers, numbers int or float, and strings devices.
  std::optional<Typed> Convert(const Typed& value, const ScriptType& type, bool allow_conversions);
  bool IsSubtype(const ScriptType& a, const ScriptType& b) const;
  std::optional<ScriptType> Unify(const ScriptType& a, const ScriptType& b) const;

 private:
  // An argument of a schema: a value, or its default.
  struct Actual {
    std::optional<Typed> value;
    const Attribute* default_value = nullptr;
  };
  struct Attempt {
    std::vector<Actual> actuals;
    std::vector<ScriptType> types;
    std::vector<ScriptType> results;
  };

  std::optional<Attempt> Try(const Schema& schema, const CallArguments& arguments,
                             bool allow_conversions);
  std::optional<Typed> TryArgument(const SchemaArgument& formal, Typed actual,
                                   TypeVariables& variables, bool allow_conversions);
  std::optional<Typed> TryVarargsList(const SchemaArgument& formal, const CallArguments& arguments,
                                      std::size_t first, TypeVariables& variables,
                                      bool allow_conversions);
  Typed ConvertImplicitly(const Typed& value, const ScriptType& type);
  bool ConvertibleToList(const ScriptType& type, const ScriptType& list) const;
  Implements MakeImplements() const;
  Error NoMatch(const std::vector<const Schema*>& schemas, const CallArguments& arguments) const;

  Program& program_;
  BlockBuilder& builder_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCHEMA_MATCH_CALL_H_
