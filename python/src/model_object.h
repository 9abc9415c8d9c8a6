// SPDX-License-Identifier: Apache-2.0
// dragoman.Model: a model, and what its user has stated about it.
#ifndef DRAGOMAN_PYTHON_SRC_MODEL_OBJECT_H_
#define DRAGOMAN_PYTHON_SRC_MODEL_OBJECT_H_

#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "dragoman/session.h"
#include "python/src/errors.h"
#include "python/src/handles.h"

namespace dragoman::binding {

struct ModelObject {
  SharedModelPtr owner;
  Session session;  // its settings
  Facts facts;      // that hold when it is lowered
  std::string path;
  // Of the ONNX file that a common model was made from.
  std::optional<std::int64_t> kept_opset;

  const Model& model() const { return owner->model(); }
  const Entry& entry() const { return ChosenEntry(model(), facts); }
};

// Calls the library with a session of the model's settings, without Python's lock, while nobody
// changes the model. The session's warnings become Python's when the call is over.
template <class Work>
auto Call(const ModelObject& object, Work&& work) {
  Session session = object.session;
  std::vector<Finding> warnings;
  session.warn = [&](const Finding& warning) {
    warnings.push_back(warning);
    if (warnings.back().file.empty()) warnings.back().file = object.path;
  };
  if (!session.after_pass) {
    session.after_pass = [watch = SignalWatch()](const PassRun&, const Model&) mutable {
      watch();
      return Status();
    };
  }
  auto result = WithoutLock([&] {
    const std::shared_lock reading(object.owner->in_use());
    return work(session);
  });
  for (const Finding& warning : warnings) Warn(warning);
  if (!result.ok()) Raise(result.error().InFile(object.path));
  return result;
}

// Raises what the verifier finds in a graph that was changed.
void CheckChanged(const ModelObject& object);

// "x": (1, "n", None) or "int64:1,?" by name.
Facts ToFacts(nb::handle shapes, nb::handle dims, nb::handle entry);

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_MODEL_OBJECT_H_
