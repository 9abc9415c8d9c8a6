// SPDX-License-Identifier: Apache-2.0
#include "python/src/errors.h"

#include <string>
#include <string_view>

#include "dragoman/session.h"

namespace dragoman::binding {
namespace {

std::string_view ClassOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidInput:
      return "Invalid";
    case ErrorKind::kUnsupported:
      return "Unsupported";
    case ErrorKind::kInternal:
      break;
  }
  return "Internal";
}

nb::object Attribute(std::string_view name) {
  return nb::module_::import_("dragoman._errors").attr(std::string(name).c_str());
}

}  // namespace

nb::object FindingObject(const Finding& finding) {
  return Attribute("Finding")(Text(ClassOf(finding.kind)), Text(Printable(finding.file)),
                              Text(Printable(finding.place)),
                              Text(PrintableMessage(finding.message)));
}

void Raise(const Error& error) {
  nb::list findings;
  std::string text;
  for (const Finding& finding : error.findings()) {
    findings.append(FindingObject(finding));
    if (!text.empty()) text += '\n';
    text += PrintableMessage(finding.ToString());
  }
  const nb::object type = Attribute(ClassOf(error.kind()));
  const nb::object exception = type(Text(text), findings);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

void Check(const Status& status) {
  if (!status.ok()) Raise(status.error());
}

void Warn(const Finding& warning) { Attribute("warn")(FindingObject(warning)); }

void SignalWatch::operator()() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(50);
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

Callback::Callback(nb::object function)
    : function_(new nb::object(std::move(function)), [](nb::object* object) {
        const nb::gil_scoped_acquire lock;
        delete object;
      }) {}

nb::str Text(std::string_view bytes) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

std::string Bytes(nb::handle text) {
  PyObject* const encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
  if (encoded == nullptr) throw nb::python_error();
  const nb::bytes bytes = nb::steal<nb::bytes>(encoded);
  return {bytes.c_str(), bytes.size()};
}

}  // namespace dragoman::binding
