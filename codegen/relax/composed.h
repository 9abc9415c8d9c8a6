// SPDX-License-Identifier: Apache-2.0
// Functions as text, with what they remark on statements that are one operator of the model:
//
//     R.func_attr({"composed": [[["gv"], "Hardmax", ["x"], "{axis = 1}", "5c0a…"]]})
//
// says that gv is Hardmax of x. A reader that knows operators of ONNX takes the operator in place
// of the statements, if the digest at the end is theirs (core/compare/composed_part.h). Only who
// reads the text can compute it, and so it is asked for when the module is complete
// (RelaxOptions::digests); else there are no remarks.
#ifndef DRAGOMAN_CODEGEN_RELAX_COMPOSED_H_
#define DRAGOMAN_CODEGEN_RELAX_COMPOSED_H_

#include <functional>
#include <string>
#include <vector>

#include "core/compare/composed_node.h"
#include "core/ir/graph.h"

namespace dragoman::relax {

struct FunctionText {
  std::string name = "";
  std::string head;
  std::string attributes = "";             // entries of R.func_attr
  std::vector<std::string> composed = {};  // remarks, up to the digest
  std::string body = "";

  // A remark without a digest is left out; `digests` is empty or has one, perhaps "", for each.
  std::string Text(const std::vector<std::string>& digests) const;
  // With all remarks, for who computes the digests.
  std::string TextWithoutDigests() const;
};

// What is remarked; `name_of` gives the name of a value in the text.
std::string RemarkText(const ComposedNode& node,
                       const std::function<std::string(const Value*)>& name_of);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_COMPOSED_H_
