// SPDX-License-Identifier: Apache-2.0
// Inference on graphs written in text, its outcome as one line.
#ifndef DRAGOMAN_TESTS_UNIT_OPS_INFER_TEXT_H_
#define DRAGOMAN_TESTS_UNIT_OPS_INFER_TEXT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/parse.h"
#include "core/ops/elements.h"
#include "core/ops/infer_context.h"

namespace dragoman {

inline Knowledge KnowledgeOf(const Value* value,
                             const std::map<const Value*, Knowledge>& inferred) {
  if (value == nullptr) return {};
  if (auto found = inferred.find(value); found != inferred.end()) return found->second;
  Knowledge knowledge;
  knowledge.type = value->type();
  knowledge.tensor = value->is_constant() ? value->tensor() : nullptr;
  const Tensor* tensor = knowledge.tensor;
  if (tensor != nullptr && (IsInteger(tensor->dtype()) || tensor->dtype() == DType::kBool)) {
    knowledge.elements = IntegerElements(*tensor);
  }
  return knowledge;
}

inline Status InferOne(const Node& node, std::map<const Value*, Knowledge>& inferred) {
  std::vector<Knowledge> operands;
  for (const Use& use : node.operands()) operands.push_back(KnowledgeOf(use.value(), inferred));
  const OpDef* def = FindOp(node);
  if (def == nullptr) return Internal("no such operator");
  auto no_body = [](Graph&, std::span<const Knowledge>) -> Result<std::vector<Knowledge>> {
    return Internal("no bodies here");
  };
  auto fresh = [](std::string_view hint) { return Dim::Symbol("fresh_" + std::string(hint)); };
  DRAGOMAN_ASSIGN(InferContext context,
                  InferContext::Make(node, *def, std::move(operands), no_body, fresh));
  DRAGOMAN_TRY(def->infer(context));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) inferred[node.result(i)] = context.results()[i];
  }
  return {};
}

// What inference says of each output: "f32[n, 3]", with elements "i64[2] = n, 3"; several are
// joined by "; ". Or the message of the error.
inline std::string Infer(const std::string& inputs, const std::string& body,
                         const std::string& outputs = "%y") {
  const Result<Model> model =
      ParseText("graph main(" + inputs + ") -> (" + outputs + ") {\n" + body + "\n}\n");
  if (!model.ok()) return model.error().ToString();
  std::map<const Value*, Knowledge> inferred;
  for (const Node& node : model->main().nodes()) {
    const Status status = InferOne(node, inferred);
    if (!status.ok()) return status.error().findings()[0].message;
  }
  std::string text;
  for (const Use& output : model->main().outputs()) {
    const Knowledge knowledge = KnowledgeOf(output.value(), inferred);
    text += (text.empty() ? "" : "; ") + knowledge.type.ToString();
    for (std::size_t i = 0; knowledge.elements && i < knowledge.elements->size(); ++i)
      text += (i == 0 ? " = " : ", ") + (*knowledge.elements)[i].ToString();
  }
  return text;
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_OPS_INFER_TEXT_H_
