// SPDX-License-Identifier: Apache-2.0
// The parts of the module, each in a file of its name.
#ifndef DRAGOMAN_PYTHON_SRC_BIND_H_
#define DRAGOMAN_PYTHON_SRC_BIND_H_

#include <nanobind/nanobind.h>

#include "python/src/model_object.h"

namespace dragoman::binding {

void BindAttributes(nb::module_& m);
void BindGraphs(nb::module_& m);
// dragoman.Model, to which the others add their methods.
nb::class_<ModelObject> BindModels(nb::module_& m);
void BindSessions(nb::module_& m, nb::class_<ModelObject>& model);
void BindComparisons(nb::module_& m);

}  // namespace dragoman::binding

#endif  // DRAGOMAN_PYTHON_SRC_BIND_H_
