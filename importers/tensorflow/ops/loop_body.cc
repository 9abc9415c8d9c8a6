// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/loop_body.h"

#include "core/lowering/name_body.h"

namespace dragoman::tf {

LoopBody::LoopBody(Call& c, const std::vector<std::pair<std::string, Type>>& types)
    : graph(std::make_shared<Graph>()), builder(*graph, c.builder().inference(), names) {
  builder.set_origin(c.builder().origin());
  number = graph->AddInput("iteration", Type::Tensor(DType::kI64, Shape()));
  go = graph->AddInput("go", Type::Tensor(DType::kBool, Shape()));
  for (const auto& [name, type] : types) carried.push_back(graph->AddInput(name, type));
}

std::vector<Value*> AppendLoop(Call& c, LoopBody& body, const Composer& done,
                               const std::vector<Value*>& results, std::vector<Value*> operands) {
  c.Check(done.status());
  const std::size_t count = results.size() - 1;
  if (c.failed()) return std::vector<Value*>(count);
  for (Value* result : results) body.graph->AddOutput(result);
  NameInModel(*body.graph, c.builder());
  return c.Ops("Loop", std::move(operands), {{"body", body.graph}}, count);
}

}  // namespace dragoman::tf
