// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/script_functions.h"

#include <fmt/format.h>

#include <cassert>

#include "core/support/python/lexer.h"
#include "importers/torch/script/parser.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kUntil = "until_";

// "aten::div.Tensor" of "div__Tensor", "aten::div_.Scalar" of "div___Scalar", "aten::full" of
// "full".
std::string OperatorOf(const std::string& name) {
  const std::size_t separator = name.rfind("__");
  if (separator == std::string::npos || separator == 0) return "aten::" + name;
  return fmt::format("aten::{}.{}", name.substr(0, separator), name.substr(separator + 2));
}

}  // namespace

ScriptFunctions::ScriptFunctions(int version) : file_(std::make_unique<CodeFile>()) {
  auto source = ParseSource("", std::string(ScriptFunctionText()));
  assert(source.ok());
  if (!source.ok()) return;
  file_->source = *std::move(source);
  for (const ClassDef& group : file_->source.classes) {
    const bool upgrades = group.name.starts_with(kUntil);
    if (upgrades) {
      const auto limit = python::IntOf(std::string_view(group.name).substr(kUntil.size()));
      if (!limit || version >= *limit) continue;
    }
    for (const FunctionDef& def : group.methods) {
      if (upgrades) {
        const std::string name = OperatorOf(def.name);
        upgraders_.emplace(name, ScriptFunction{group.name + " " + name, &def, file_.get()});
        continue;
      }
      auto& overloads = overloads_[group.name + "::" + def.name];
      const std::string name = fmt::format("{}::{} {}", group.name, def.name, overloads.size());
      overloads.push_back({name, &def, file_.get()});
    }
  }
}

const std::vector<ScriptFunction>& ScriptFunctions::Overloads(const std::string& name) const {
  static const std::vector<ScriptFunction> kNone;
  const auto found = overloads_.find(name);
  return found == overloads_.end() ? kNone : found->second;
}

const ScriptFunction* ScriptFunctions::Upgrader(const std::string& full_name) const {
  const auto found = upgraders_.find(full_name);
  return found == upgraders_.end() ? nullptr : &found->second;
}

}  // namespace dragoman::torch
