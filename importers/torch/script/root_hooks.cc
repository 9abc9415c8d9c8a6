// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/root_hooks.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "importers/torch/script/parser.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

Result<ScriptType> ResultOf(Program& program, const ScriptClass& owner, const std::string& method) {
  const auto function = program.FindMethod(owner.name, method);
  if (!function) return InvalidInput(fmt::format("{} has no hook '{}'", owner.name, method));
  DRAGOMAN_ASSIGN(const Schema* signature, program.SignatureOf(*function));
  return signature->results.front().type;
}

}  // namespace

bool HasHooks(const ScriptClass& owner) {
  return !owner.def->forward_hooks.empty() || !owner.def->forward_pre_hooks.empty();
}

// Written as source text, with names that no Python parameter has.
Result<FunctionDef> HookedForward(Program& program, const ScriptClass& owner,
                                  const FunctionDef& forward) {
  std::string names;
  for (std::size_t i = 1; i < forward.parameters.size(); ++i) {
    names += forward.parameters[i].name + ", ";
  }
  std::string body = fmt::format("  hook__input = ({})\n", names);
  for (const std::string& hook : owner.def->forward_pre_hooks) {
    DRAGOMAN_ASSIGN(const ScriptType type, ResultOf(program, owner, hook));
    body += fmt::format("  hook__result = (self).{}(hook__input, )\n", hook);
    if (type.Is(Kind::kTuple)) body += "  hook__input = hook__result\n";
    if (!type.Is(Kind::kTuple) && !type.Is(Kind::kNone)) {
      body += "  hook__input = (hook__result, )\n";
    }
  }
  if (!names.empty()) body += fmt::format("  {} = hook__input\n", names);
  body += fmt::format("  hook__output = (self).{}({})\n", forward.name, names);
  for (const std::string& hook : owner.def->forward_hooks) {
    DRAGOMAN_ASSIGN(const ScriptType type, ResultOf(program, owner, hook));
    const char* target = type.Is(Kind::kNone) ? "hook__result" : "hook__output";
    body += fmt::format("  {} = (self).{}(hook__input, hook__output, )\n", target, hook);
  }
  DRAGOMAN_ASSIGN(SourceFile file,
                  ParseSource("", "def hooked():\n" + body + "  return hook__output\n"));
  FunctionDef result = std::move(file.functions.front());
  result.name = forward.name;
  result.parameters = forward.parameters;
  if (owner.def->forward_hooks.empty()) result.result = forward.result;
  return result;
}

}  // namespace dragoman::torch
