// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/entry_builder.h"

#include <utility>

namespace dragoman {

EntryBuilder::EntryBuilder(Heap& heap, Graph& graph, Inference& inference)
    : heap_(heap), inference_(inference), root_(graph, inference, names_), builder_(&root_) {
  heap_.SetRoot(root_);
}

Side::~Side() {
  if (inference != nullptr && body != nullptr && body.use_count() == 1) inference->Forget(*body);
}

Side EntryBuilder::NewSide() {
  Side side;
  side.inference = &inference_;
  side.body = std::make_shared<Graph>();
  side.builder = std::make_unique<GraphBuilder>(*side.body, inference_, names_);
  side.builder->set_origin(builder_->origin());
  return side;
}

Side EntryBuilder::RunSide(const RunStretch& run) {
  Side side = NewSide();
  RunInto(side, run);
  return side;
}

void EntryBuilder::RunInto(Side& side, const RunStretch& run) {
  GraphBuilder* outer = std::exchange(builder_, side.builder.get());
  heap_.Enter();
  side.flow = run(side.results);
  side.raised = raised;
  side.changes = heap_.Leave();
  builder_ = outer;
}

Result<std::vector<Value*>> EntryBuilder::ReadSide(Side& side, std::span<const Leaf> leaves,
                                                   bool of_a, std::span<const Type> types) {
  GraphBuilder* outer = std::exchange(builder_, side.builder.get());
  heap_.Enter();
  for (const CellChange& change : side.changes) heap_.Replace(change.cell, change.contents);
  Result<std::vector<Value*>> values = LeafSideValues(heap_, *builder_, leaves, of_a, types);
  heap_.Leave();
  builder_ = outer;
  return values;
}

Status EntryBuilder::AddOutputs(Side& side, std::span<Value* const> values) {
  std::unordered_set<const Value*> given;  // looked up, never iterated
  for (Value* value : values) {
    const bool own = value->kind() == Value::Kind::kResult && value->graph() == side.body.get();
    if (!own || !given.insert(value).second) {
      DRAGOMAN_ASSIGN(value, side.builder->Add("Identity", {value}));
    }
    side.body->AddOutput(value);
  }
  return {};
}

void EntryBuilder::EraseAfter(Node* last) {
  Graph& graph = builder_->graph();
  while (graph.last_node() != last) {
    inference_.Forget(*graph.last_node());
    graph.Erase(graph.last_node());
  }
}

}  // namespace dragoman
