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

}  // namespace

std::vector<Target> TargetsOf(Formats formats) {
  std::vector<Target> targets;
  for (const Format& format : formats) {
    if (format.check != nullptr) targets.push_back({format.name, format.check, format.has_op});
  }
  targets.push_back({"cpp", [](const Model& common) { return CheckCpp(common); }, CppHasOp});
  targets.push_back({"run", [](const Model& common) { return Outcome(Interpreter::Make(common)); },
                     RunsInInterpreter});
  return targets;
}

}  // namespace dragoman
