// Statements that compute what is one operator of the common dialect, as codegen/relax/composed.h
// remarks on them: {"composed": [[["gv"], "Hardmax", ["x"], "{axis = 1}", "5c0a…"]]} in the
// attributes of a function says that gv is Hardmax of x. The digest is that of the statements
// (core/compare/composed_part.h).
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/compare/composed_part.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The digests of the remarks of each function of a module, by its name and in their order; "" where
// what a remark names is not there, or takes more than its operands.
Result<std::map<std::string, std::vector<std::string>>> DigestsOfComposed(std::string text);

namespace tvmscript {

struct ComposedStatements {
  ComposedOperator op;
  std::vector<const Node*> nodes;  // in the order of the text
};

// The remarks of all functions that hold; of two on the same statements, the first.
struct ComposedNodes {
  std::vector<std::unique_ptr<const ComposedStatements>> all;
  // By the first node that gives a result.
  std::unordered_map<const Node*, const ComposedStatements*> first;
  // Nodes that nothing but an operator takes.
  std::unordered_set<const Node*> left_out;
};

ComposedNodes FindComposed(const Model& source);

}  // namespace tvmscript
}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_COMPOSED_H_
