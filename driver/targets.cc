// SPDX-License-Identifier: Apache-2.0
#include "driver/targets.h"

#include <utility>

#include "codegen/onednn/codegen.h"
#include "core/interpreter/interpreter.h"

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

}  // namespace dragoman
