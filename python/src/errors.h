// SPDX-License-Identifier: Apache-2.0
// Errors of the library as Python's exceptions, and calls of the library without Python's lock.
#ifndef DRAGOMAN_PYTHON_SRC_ERRORS_H_
#define DRAGOMAN_PYTHON_SRC_ERRORS_H_

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/result.h"

namespace dragoman::binding {

namespace nb = nanobind;

// As dragoman.Invalid, dragoman.Unsupported or dragoman.Internal, by the error's kind, with its
// findings, as they may be printed.
[[noreturn]] void Raise(const Error& error);

template <class T>
T Unwrap(Result<T> result) {
  if (!result.ok()) Raise(result.error());
  return std::move(*result);
}
void Check(const Status& status);

// What `work` gives, which must not touch Python's objects: other threads of Python run meanwhile.
template <class Work>
auto WithoutLock(Work&& work) {
  const nb::gil_scoped_release release;
  return work();
}

// Ends a call by Python's exception when a signal has come whose handler raises one (Ctrl-C).
class SignalWatch {
 public:
  void operator()();

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

// A function of Python that the library may copy, call and forget without Python's lock.
class Callback {
 public:
  explicit Callback(nb::object function);

  // May raise: the exception passes through the library.
  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    const nb::gil_scoped_acquire lock;
    (*function_)(arguments...);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::shared_ptr<nb::object> function_;
};

// A finding as the Python object dragoman.Finding.
nb::object FindingObject(const Finding& finding);

// Gives the finding to Python's `warnings`, as dragoman.Warning. May raise.
void Warn(const Finding& warning);

// Texts of files may be any bytes: those that are not UTF-8 are surrogates in Python
// ("surrogateescape"), there and back.
nb::str Text(std::string_view bytes);
std::string Bytes(nb::handle text);

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_ERRORS_H_
