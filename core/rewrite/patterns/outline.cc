// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/patterns/outline.h"

#include <memory>
#include <unordered_set>
#include <utility>

#include "core/ops/op_def.h"

namespace dragoman {
namespace {

class Outlining {
 public:
  Outlining(std::span<Node* const> members, PassContext& context)
      : members_(members), context_(context), set_(members.begin(), members.end()) {
    body_->set_name("body");
  }

  Result<Node*> Run() {
    OriginPtr origin;
    for (Node* member : members_) {
      for (const Use& use : member->operands()) MapOperand(use.value());
      CloneNode(*member, *body_, nullptr, map_);
      origin = Origin::Merge(origin, member->origin());
    }
    Node* const last = members_.back();
    Node* const fused = last->graph()->Insert(last->next(), FindOp("dragoman.Fused")->name,
                                              operands_, last->name());
    fused->set_origin(std::move(origin));
    for (Node* member : members_) MoveResults(*member, *fused);
    fused->SetAttribute("body", body_);
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      context_.inference.Forget(**member);
      (*member)->graph()->Erase(*member);
    }
    DRAGOMAN_TRY(context_.inference.InferNode(*fused));
    return fused;
  }

 private:
  static bool GoesIntoBody(const Tensor& tensor) {
    return tensor.size() == 1 || IsInteger(tensor.dtype());
  }

  void MapOperand(Value* value) {
    if (value == nullptr || map_.contains(value)) return;
    const Tensor* tensor = ConstantOf(value);
    if (tensor != nullptr && GoesIntoBody(*tensor)) {
      map_[value] = context_.AddConstant(*body_, *tensor, value->name(), value->origin());
      return;
    }
    operands_.push_back(value);
    map_[value] = body_->AddInput(context_.UniqueName(value->name()), value->type());
  }

  bool IsReadOutside(const Value& value) const {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      if (use->user() == nullptr || !set_.contains(use->user())) return true;
    }
    return false;
  }

  // What others read keeps its name; the value of the body that gives it gets another.
  void MoveResults(Node& member, Node& fused) {
    for (std::size_t i = 0; i < member.num_results(); ++i) {
      Value* const old = member.result(i);
      if (old == nullptr || !IsReadOutside(*old)) continue;
      Value* const inner = map_.at(old);
      inner->set_name(context_.UniqueName(old->name()));
      body_->AddOutput(inner);
      old->ReplaceAllUsesWith(fused.AddResult(old->name(), old->type()));
    }
  }

  std::span<Node* const> members_;
  PassContext& context_;
  std::unordered_set<const Node*> set_;
  std::shared_ptr<Graph> body_ = std::make_shared<Graph>();
  std::vector<Value*> operands_;
  ValueMap map_;
};

}  // namespace

Result<Node*> OutlineAsFused(std::span<Node* const> members, PassContext& context) {
  return Outlining(members, context).Run();
}

}  // namespace dragoman
