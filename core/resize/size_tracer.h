// SPDX-License-Identifier: Apache-2.0
// Follows open sizes through a graph and replaces constants that stood for them (resize_sizes.h).
#ifndef DRAGOMAN_CORE_RESIZE_SIZE_TRACER_H_
#define DRAGOMAN_CORE_RESIZE_SIZE_TRACER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/resize/resize_sizes.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// The sizes that axes of a value are to have.
using WantedSizes = std::map<std::size_t, Dim>;

class SizeTracer {
 public:
  // Of `entry`, whose types are those of the sizes that it is for.
  static Result<SizeTracer> Make(Graph& entry);

  // All nodes, in order, until no constant is replaced any more. Inputs have their new types by
  // then, whose symbols stood for `old_sizes`, and stand for what is `asked`; constants never stood
  // for those of `open`.
  Status Trace(std::map<std::string, Dim> old_sizes, std::map<std::string, Dim> asked,
               std::set<std::string> open);
  const SizesReport& report() const { return report_; }

 private:
  SizeTracer() = default;

  Status TraceNode(Node& node);
  Status Infer(Node& node);
  Status CheckSizes(const Node& node) const;
  Status CheckBody(const Graph& body) const;
  void Remember(Value& value);
  void Lose(Node& node);

  // --- What is kept (kept_sizes.cc)
  void ReportKept(const Node& node);
  void ReportKeptNumbers(const Node& node);
  std::optional<std::string> SizeOf(double number, std::int64_t least) const;
  bool SumsOpenSizes(const Node& node) const;

  // --- Rules: whether the node was changed.
  Result<bool> ChangeReshape(Node& node);
  Result<bool> ChangeExpand(Node& node);
  Result<bool> ChangeResize(Node& node);
  Result<bool> ChangeOperands(Node& node);
  std::vector<WantedSizes> WantedOperands(const Node& node) const;

  // --- Sizes put together in one axis
  struct Target {
    Shape sizes;
    std::vector<Shape> parts;  // by axis, as PartsOf; none where its size is known
  };
  bool HasTarget(const Node& node) const;
  std::optional<Target> TargetOf(const Node& node) const;
  bool SplitGroup(const Shape& parts, const Shape& old_to, std::size_t begin, Target& target) const;
  bool IsProduct(const Dim& size) const;
  Shape PartsOf(const Value& value, std::size_t axis) const;
  Shape PartsBefore(const Node& node, const Dim& size) const;
  void RememberParts(const Node& node, const std::optional<Target>& target);

  // --- Values of other sizes (grown_values.cc). nullptr: it is not known what they hold.
  Result<Value*> Grown(Value& value, const WantedSizes& wanted, bool broadcasts, Node& position);
  Result<Value*> GrownRows(const Node& gather, const WantedSizes& wanted, bool broadcasts,
                           Node& position);
  Result<Value*> GrownElementwise(const Node& node, const WantedSizes& wanted, bool broadcasts,
                                  Node& position);
  Result<Value*> GrownUnsqueeze(const Node& unsqueeze, const WantedSizes& wanted, bool broadcasts,
                                Node& position);
  Result<Value*> GrownSlice(const Node& slice, const WantedSizes& wanted, Node& position);
  Node* ResizeBefore(const Value& value, const WantedSizes& wanted) const;
  Result<Value*> GrownResize(Node& resize, const WantedSizes& wanted, Value& value);
  Result<Value*> GrownConstant(Tensor tensor, const Value& like, WantedSizes wanted,
                               bool broadcasts, Node& position);
  Result<Value*> GrownRange(const Tensor& tensor, const Value& like, std::size_t axis,
                            const Dim& size, Node& position);
  Result<Value*> GrownTriangle(const Tensor& tensor, const Value& like, const WantedSizes& wanted,
                               Node& position);
  std::optional<Tensor> Computed(const Value& value, int depth = 0) const;
  // A list of sizes, as values read off where they are known; nullptr: one is nowhere.
  Result<Value*> Sizes(const std::vector<Dim>& sizes, Node& position);
  Result<Value*> Size(const Dim& size, Node& position);
  Value* Constant(Tensor tensor, std::string_view name, Node& position);

  const Shape* OldShape(const Value* value) const;
  bool IsOpen(const Value* value, std::size_t axis) const;
  Error Refuse(const Node& node, std::string why) const;
  // A shape in the sizes that are asked for.
  std::string TextOf(const Shape& shape) const;
  void ReportUnproven(const Node& node, const std::string& what);
  void ReportOnce(std::string what);

  struct Place {
    Value* value = nullptr;
    std::size_t axis = 0;
  };

  Graph* entry_ = nullptr;
  PassContext context_;
  std::map<std::string, Dim> old_sizes_;
  std::map<std::string, Dim> asked_;
  std::set<std::string> open_;
  std::unordered_map<const Value*, Type> old_types_;
  std::map<std::string, Place> places_;    // where a size can be read off
  std::map<std::string, Shape> merged_;    // sizes of which one is the product, in some order
  std::unordered_set<const Value*> lost_;  // results of nodes that were refused
  std::map<std::pair<const Value*, std::size_t>, Shape> parts_;  // as PartsOf
  int steps_ = 0;  // that Grown may take for one operand
  SizesReport report_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_SIZE_TRACER_H_
