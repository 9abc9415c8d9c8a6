// SPDX-License-Identifier: Apache-2.0
// dragoman.Session: calls of a model, one after another.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/run.h"
#include "dragoman/session.h"
#include "python/src/arrays.h"
#include "python/src/bind.h"
#include "python/src/model_object.h"

namespace dragoman::binding {
namespace {

RunRequest RequestOf(const ModelObject& object, const std::string& engine, std::uint64_t seed) {
  if (engine != "interpreter" && engine != "native")
    throw nb::value_error("engine is 'interpreter' or 'native'");
  RunRequest request;
  request.engine = engine;
  request.facts = object.facts;
  request.seed = seed;
  // What the model prints, and warnings of its program.
  request.print = [](std::string_view line) {
    const nb::gil_scoped_acquire lock;
    nb::print(Text(Printable(line)));
  };
  return request;
}

// Calls from several threads wait for one another: each sees the states that the one before left.
class Calls {
 public:
  // Errors are in the file `path`.
  explicit Calls(std::string path) : path_(std::move(path)) {}

  // Without Python's lock.
  template <class Work>
  auto InTurn(Work&& work) {
    auto result = WithoutLock([&] {
      const std::scoped_lock lock(mutex_);
      return work();
    });
    if (!result.ok()) result.error().InFile(path_);
    return result;
  }

 private:
  std::string path_;
  std::mutex mutex_;
};

FlatArrays ToStates(nb::handle given) {
  FlatArrays states;
  for (const NamedArray& state : ToNamedArrays(given))
    states.emplace_back(state.name, ToArray(state));
  return states;
}

class SessionObject {
 public:
  SessionObject(const ModelObject& object, const std::string& engine, std::uint64_t seed)
      : engine_(engine),
        calls_(object.path),
        runner_(object.session, Clone(object.model()), RequestOf(object, engine, seed)) {
    CheckChanged(object);
    runner_.set_observer(
        [watch = SignalWatch()](const Node&, std::chrono::nanoseconds) mutable { watch(); });
  }

  nb::dict Run(nb::handle inputs, std::optional<std::string> entry) {
    const std::vector<NamedArray> arrays = ToNamedArrays(inputs);
    return ArraysObject(
        Unwrap(calls_.InTurn([&] { return runner_.Run(entry.value_or(""), arrays); })));
  }

  void Reset() {
    Check(calls_.InTurn([&] { return runner_.Reset(); }));
  }

  nb::dict States() {
    return ArraysObject(Unwrap(calls_.InTurn([&] { return runner_.States(); })));
  }

  void SetStates(nb::handle given) {
    const FlatArrays states = ToStates(given);
    Check(calls_.InTurn([&] { return runner_.SetStates(states); }));
  }

  const std::string& engine() const { return engine_; }

 private:
  std::string engine_;
  Calls calls_;
  Runner runner_;
};

// The library of a generated program. Inputs stay where they are.
class ProgramObject {
 public:
  ProgramObject(const std::string& library, const std::string& weights)
      : calls_(library), model_(Unwrap(CompiledModel::Open(library, weights, /*seed=*/0))) {}

  nb::dict Run(nb::handle inputs, std::optional<std::string> entry) {
    const std::vector<NamedArray> arrays = LendArrays(inputs);
    return ArraysObject(
        Unwrap(calls_.InTurn([&] { return model_->Run(entry.value_or(""), arrays); })));
  }
  void Reset() {
    Check(calls_.InTurn([&] { return model_->Reset(); }));
  }
  nb::dict States() {
    return ArraysObject(Unwrap(calls_.InTurn([&] { return model_->States(); })));
  }
  void SetStates(nb::handle given) {
    const FlatArrays states = ToStates(given);
    Check(calls_.InTurn([&] { return model_->SetStates(states); }));
  }

 private:
  Calls calls_;
  std::unique_ptr<CompiledModel> model_;
};

// All calls in one, on a fresh object: `dragoman run`.
nb::dict RunOnce(const ModelObject& object, nb::handle inputs, std::optional<std::string> steps,
                 const std::string& engine, std::uint64_t seed) {
  CheckChanged(object);
  const std::vector<NamedArray> arrays = ToNamedArrays(inputs);
  RunRequest request = RequestOf(object, engine, seed);
  request.steps = std::move(steps);
  return ArraysObject(Call(object, [&](const Session& session) {
                        return RunModel(session, object.model(), arrays, request);
                      })->outputs);
}

std::unique_ptr<SessionObject> MakeSession(const ModelObject& object, const std::string& engine,
                                           std::uint64_t seed) {
  return std::make_unique<SessionObject>(object, engine, seed);
}

#define DRAGOMAN_INPUTS \
  "dict[str, object] | collections.abc.Sequence[object] | object | None = None"

}  // namespace

void BindSessions(nb::module_& m, nb::class_<ModelObject>& model) {
  nb::class_<SessionObject>(m, "Session", "Calls of a model, whose states last between them.")
      .def(
          "run", &SessionObject::Run, nb::arg("inputs").none() = nb::none(), nb::kw_only(),
          nb::arg("entry") = nb::none(),
          nb::sig("def run(self, inputs: " DRAGOMAN_INPUTS
                  ", *, entry: str | None = None) -> dict[str, numpy.ndarray]"),
          "One call with arrays by name, by position, or with the only one; anything with DLPack\\n"
          "or the buffer protocol is an array, a list of arrays a sequence, a dict a map.")
      .def("reset", &SessionObject::Reset, "The states become what the model says.")
      .def_prop_rw("state", &SessionObject::States, &SessionObject::SetStates,
                   nb::for_getter(nb::sig("def state(self) -> dict[str, numpy.ndarray]")),
                   nb::for_setter(nb::sig("def state(self, states: dict[str, object], /) -> None")),
                   "The states as the last call left them.")
      .def_prop_ro("engine", [](const SessionObject& s) { return Text(s.engine()); });
  nb::class_<ProgramObject>(m, "_Program")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("library"),
           nb::arg("weights"))
      .def("run", &ProgramObject::Run, nb::arg("inputs").none(), nb::arg("entry") = nb::none())
      .def("reset", &ProgramObject::Reset)
      .def_prop_rw("state", &ProgramObject::States, &ProgramObject::SetStates);
  model
      .def("session", &MakeSession, nb::arg("engine") = "interpreter", nb::kw_only(),
           nb::arg("seed") = 0,
           nb::sig("def session(self, engine: typing.Literal['interpreter', 'native'] = "
                   "'interpreter', *, seed: int = 0) -> Session"),
           "An object that is called, by the interpreter or as a compiled C++ program. `seed` is\n"
           "that of random numbers.")
      .def("run", &RunOnce, nb::arg("inputs").none() = nb::none(), nb::kw_only(),
           nb::arg("steps") = nb::none(), nb::arg("engine") = "interpreter", nb::arg("seed") = 0,
           nb::sig("def run(self, inputs: " DRAGOMAN_INPUTS
                   ", *, steps: str | None = None, engine: typing.Literal['interpreter', "
                   "'native'] = 'interpreter', seed: int = 0) -> dict[str, numpy.ndarray]"),
           "Runs it from its initial states. `steps`, as \"10\" or \"forward*5,reset*1\", makes\n"
           "several calls, whose outputs are stacked.");
}

#undef DRAGOMAN_INPUTS

}  // namespace dragoman::binding
