// A branch whose condition is known, in place of the If.
#include <algorithm>
#include <vector>

#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// The values of a branch where the If stands, which all get names of their own.
class TakenBranch {
 public:
  TakenBranch(Node& branching, const Graph& branch, PassContext& context)
      : branching_(branching), branch_(branch), context_(context) {}

  Status Copy() {
    for (const auto& constant : branch_.constants()) {
      map_[constant.get()] = context_.AddConstant(*branching_.graph(), *constant->tensor(),
                                                  constant->name(), constant->origin());
    }
    for (const Node& node : branch_.nodes()) {
      Node* copy = CloneNode(node, *branching_.graph(), &branching_, map_);
      for (std::size_t i = 0; i < copy->num_results(); ++i) {
        if (Value* result = copy->result(i)) result->set_name(context_.UniqueName(result->name()));
      }
      DRAGOMAN_TRY(context_.inference.InferNode(*copy));
    }
    return {};
  }

  // What stands for the results of the If.
  std::vector<Value*> Outputs() const {
    std::vector<Value*> outputs;
    for (const Use& use : branch_.outputs()) {
      const auto copied = map_.find(use.value());
      outputs.push_back(copied != map_.end() ? copied->second : use.value());
    }
    return outputs;
  }

 private:
  Node& branching_;
  const Graph& branch_;
  PassContext& context_;
  ValueMap map_;
};

bool HasTensorsAlone(const Graph& branch) {
  return std::all_of(branch.constants().begin(), branch.constants().end(),
                     [](const auto& constant) { return constant->tensor() != nullptr; });
}

// If(true, then, else) = then, If(false, then, else) = else
Result<bool> TakeBranch(Node& node, PassContext& context) {
  if (!node.Is("If")) return false;
  const std::optional<std::int64_t> condition = IntOf(context, node.operand(0));
  if (!condition) return false;
  const Attribute* taken = node.attribute(*condition != 0 ? "then_branch" : "else_branch");
  if (taken == nullptr || taken->graph() == nullptr || !HasTensorsAlone(*taken->graph()))
    return false;
  TakenBranch branch(node, *taken->graph(), context);
  DRAGOMAN_TRY(branch.Copy());
  std::vector<Value*> outputs = branch.Outputs();
  DRAGOMAN_TRY(context.InsertCopies(node, outputs));
  context.Explain(node,
                  *condition != 0 ? "replaced by its then_branch" : "replaced by its else_branch");
  context.Replace(node, outputs);
  return true;
}

constexpr Pattern kPatterns[] = {{"take-branch", TakeBranch}};

}  // namespace

std::span<const Pattern> BranchPatterns() { return kPatterns; }

}  // namespace dragoman
