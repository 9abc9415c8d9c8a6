// SPDX-License-Identifier: Apache-2.0
// Statements that compute what is one operator of the common dialect, as codegen/relax/composed.h
// remarks on them: {"composed": [[["gv"], "Hardmax", ["x"], "{axis = 1}", "5c0a…"]]} in the
// attributes of a function says that gv is Hardmax of x. The digest is that of the statements
// (core/compare/composed_part.h).
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_

#include <map>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/composed.h"
#include "core/support/result.h"

namespace dragoman {

// The digests of the remarks of each function of a module, by its name and in their order; "" where
// what a remark names is not there, or takes more than its operands.
Result<std::map<std::string, std::vector<std::string>>> DigestsOfComposed(std::string text);

namespace tvmscript {

// The remarks of all functions that hold.
ComposedNodes FindComposed(const Model& source);

}  // namespace tvmscript
}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_
