// SPDX-License-Identifier: Apache-2.0
// Attributes, types and sizes between Python and the library.
#ifndef DRAGOMAN_PYTHON_SRC_ATTRIBUTES_H_
#define DRAGOMAN_PYTHON_SRC_ATTRIBUTES_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "dragoman/graph.h"
#include "python/src/handles.h"

namespace dragoman::binding {

// A size is an int, an expression over symbols as a str, or None if it is unknown.
nanobind::object DimObject(const Dim& dim);
Dim ToDim(nanobind::handle object);

// Numbers, texts, arrays, types and lists of them as Python has them; graphs of `owner` as handles.
nanobind::object AttributeObject(const Attribute& attribute, const SharedModelPtr& owner);
nanobind::dict AttributesObject(const std::vector<NamedAttribute>& attributes,
                                const SharedModelPtr& owner);
// None, bool, int, float (a double where `wide`, else of 32 bits), str, bytes, complex, arrays,
// types, and lists of one kind of these. Raises TypeError on others.
Attribute ToAttribute(nanobind::handle object, bool wide);

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_ATTRIBUTES_H_
