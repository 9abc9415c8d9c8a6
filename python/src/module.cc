// SPDX-License-Identifier: Apache-2.0
// The extension module dragoman._dragoman, on which the package stands.
#include "python/src/bind.h"

NB_MODULE(_dragoman, m) {
  using namespace dragoman::binding;
  m.doc() = "The library of Dragoman, as Python has it.";
  m.attr("__version__") = DRAGOMAN_VERSION;
  BindAttributes(m);
  BindGraphs(m);
  nb::class_<ModelObject> model = BindModels(m);
  BindSessions(m, model);
  BindComparisons(m);
}
