// SPDX-License-Identifier: Apache-2.0
#include "driver/targets.h"

#include <string>
#include <utility>

#include "codegen/onednn/codegen.h"
#include "core/interpreter/interpreter.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

// What was made goes at once: the programs of a large model take much room.
template <class T>
Status Outcome(Result<T> made) {
  return made.ok() ? Status() : std::move(made).error();
}

OpSupport NativeIf(bool has) {
  if (has) return {OpSupport::Kind::kNative};
  return {OpSupport::Kind::kNone, "it has no kernel"};
}

}  // namespace

std::vector<Target> TargetsOf(Formats formats) {
  std::vector<Target> targets;
  for (const Format& format : formats) {
    if (format.check != nullptr) targets.push_back({format.name, format.check, format.support});
  }
  targets.push_back({"cpp", [](const Model& common) { return CheckCpp(common); },
                     [](const OpDef& def) { return NativeIf(CppHasOp(def)); }});
  targets.push_back({"run", [](const Model& common) { return Outcome(Interpreter::Make(common)); },
                     [](const OpDef& def) { return NativeIf(RunsInInterpreter(def)); }});
  return targets;
}

Result<Target> TargetByName(Formats formats, std::string_view name) {
  std::vector<std::string> names;
  for (const Target& target : TargetsOf(formats)) {
    if (target.name == name) return target;
    names.emplace_back(target.name);
  }
  return InvalidInput("there is no target '" + std::string(name) + "'" +
                      WhatThereIs(name, "targets are", names));
}

}  // namespace dragoman
