// SPDX-License-Identifier: Apache-2.0
// What our files of other formats remark on calls that compute one operator of the common dialect
// (core/compare/composed_part.h): which operator, of what, giving what, and the digest of the
// calls.
#ifndef DRAGOMAN_CORE_LOWERING_COMPOSED_H_
#define DRAGOMAN_CORE_LOWERING_COMPOSED_H_

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/builder.h"
#include "core/compare/composed_part.h"
#include "core/compare/composed_text.h"

namespace dragoman {

struct ComposedRemark {
  ComposedOperator op;
  bool is_resolved = false;  // all that it names is there
  std::string digest;        // as stated
};

// Names that two values have stand for neither.
std::vector<ComposedRemark> ResolveRemarks(const Graph& function,
                                           const std::vector<ComposedText>& texts);
// What the digest would have to be; "": the calls take more than the operands.
std::string DigestOfRemark(const ComposedRemark& remark, const NodeRemark& of_nodes,
                           const SizeRemark& of_sizes = nullptr);

struct ComposedStatements {
  ComposedOperator op;
  std::vector<const Node*> nodes;  // in the order of the text
};

// The remarks that hold; of two on the same calls, that on more of them, or the first.
struct ComposedNodes {
  std::vector<std::unique_ptr<const ComposedStatements>> all;
  // By the first node that gives a result.
  std::unordered_map<const Node*, const ComposedStatements*> first;
  // Nodes that nothing but an operator takes.
  std::unordered_set<const Node*> left_out;
};

// Whether a node of an operator does something beside it.
using DoesMore = std::function<bool(const ComposedOperator& op, const Node& node)>;

void AddComposed(const Graph& function, std::vector<ComposedRemark> remarks,
                 const NodeRemark& of_nodes, const DoesMore& does_more, ComposedNodes& found,
                 const SizeRemark& of_sizes = nullptr);

// Known sizes that the text states of a result, which else were known at run time only.
void StateKnownSizes(Value& made, const Type& stated);

// Appends the operator; `read` gives its operands. What stands for the results. Errors: it refuses
// them, or gives another element type or rank than the source states.
Result<std::vector<Value*>> AppendComposed(const ComposedOperator& op, GraphBuilder& builder,
                                           const std::function<Result<Value*>(const Value*)>& read);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_COMPOSED_H_
