// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/validate.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/domain.h"
#include "core/ops/op_def.h"
#include "core/support/nearest_name.h"
#include "importers/onnx/lower.h"

namespace dragoman {
namespace {

// A foreign node of the default domain, at an operator set that is known whole.
Finding UnknownOperator(const Node& node) {
  std::vector<std::string> known;
  for (const OpDef* def : AllOps()) known.push_back(def->Label());
  return {ErrorKind::kInvalidInput,
          {},
          node.Describe(),
          "ONNX has no operator '" + node.op().type + "'" + DidYouMean(node.op().type, known)};
}

}  // namespace

Status ValidateOnnx(const Model& source) {
  std::vector<Finding> findings;
  const Result<Model> common =
      source.level == Level::kCommon ? Result<Model>(Clone(source)) : LowerOnnx(source);
  if (!common.ok()) {
    std::ranges::copy_if(
        common.error().findings(), std::back_inserter(findings),
        [](const Finding& finding) { return finding.kind == ErrorKind::kInvalidInput; });
  } else if (source.OpsetVersion("").value_or(0) <= kCommonOpset) {
    ForEachGraph(*common, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        if (node.op().dialect != "onnx" || !IsDefaultDomain(node.op().domain)) continue;
        if (FindOp(node) == nullptr) findings.push_back(UnknownOperator(node));
      }
    });
  }
  return findings.empty() ? Status() : Status(Error(std::move(findings)));
}

}  // namespace dragoman
