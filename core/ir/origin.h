// SPDX-License-Identifier: Apache-2.0
// Where a node or constant came from, through any number of rewrites.
#ifndef DRAGOMAN_CORE_IR_ORIGIN_H_
#define DRAGOMAN_CORE_IR_ORIGIN_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ir/attribute.h"

namespace dragoman {

// One operator call of the source file, with everything that it said.
struct SourceOp {
  std::string op;  // with its domain, as in graph text: "onnx.Conv"
  std::string name;
  std::string scope;                       // "/encoder/layer.0", the chain of inlined calls
  std::string location;                    // in the user's source: "policy.py:87"
  std::vector<NamedAttribute> attributes;  // a subgraph stands here as the Symbol of its name
};

class Origin;
using OriginPtr = std::shared_ptr<const Origin>;  // nullptr: nothing known

// An immutable shared DAG: a leaf is a SourceOp, an inner node points at the Origins of what was
// replaced. Merging copies nothing, so 100,000 unrolled steps that become one operator cost one
// vector of pointers.
class Origin {
 public:
  static OriginPtr Leaf(SourceOp op);
  // The union of `parts`; nullptrs and repetitions in a row are left out, a single part is itself.
  static OriginPtr Merge(std::span<const OriginPtr> parts);
  static OriginPtr Merge(const OriginPtr& a, const OriginPtr& b);

  ~Origin();
  Origin(const Origin&) = delete;
  Origin& operator=(const Origin&) = delete;

  const SourceOp* leaf() const { return leaf_.get(); }
  std::span<const OriginPtr> parts() const { return parts_; }
  // Leaves are numbered as they are made, which is source order within one reading of a file.
  std::uint64_t sequence() const { return sequence_; }

 private:
  Origin() = default;

  std::unique_ptr<const SourceOp> leaf_;
  std::vector<OriginPtr> parts_;
  std::uint64_t sequence_ = 0;
};

// The source calls below `origin`, each once, in source order. Linear in the size of the DAG.
std::vector<const SourceOp*> Flatten(const OriginPtr& origin);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_ORIGIN_H_
