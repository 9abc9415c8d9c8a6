// SPDX-License-Identifier: Apache-2.0
// What two ways through a program have in common: the two branches of an If, the way into a loop
// and the way round it, a model before and after an entry was called.
//
// A Merger walks two abstract values at once. Where they are the same it keeps them; where they
// differ it makes a Leaf, a place that needs a common value on each side (the outputs of two
// branches; the operand and the output of a loop's body; a State). Given one common value for
// each leaf, a Merged function makes the value that stands for both sides.
//
// None on one side and a value on the other give a Maybe, whose presence is a leaf of its own.
// Lists of different length become sequences, dicts of different keys tensors of their entries. An
// Uninitialized side gives way to the other.
#ifndef DRAGOMAN_CORE_LOWERING_MERGE_H_
#define DRAGOMAN_CORE_LOWERING_MERGE_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman {

// One side of a leaf: nothing, for which a placeholder stands; an abstract value; a common value; a
// cell as a whole, as it is in the state of that side: a storage, a list as a sequence, or a dict
// as its keys or its values.
using LeafSide = std::variant<std::monostate, Abstract, Value*, CellPtr>;

struct Leaf {
  enum class Kind : std::uint8_t { kTensor, kNumber, kString, kSequence, kKeys, kValues };

  Kind kind = Kind::kTensor;
  std::optional<Number::Kind> number = std::nullopt;  // of a kNumber, or a kSequence's elements
  LeafSide a;
  LeafSide b;
  std::string name;  // where it lies: "h", "hist", "table.k"

  // The keys or the values of a dict whose keys only run time knows.
  bool OfDict() const { return kind == Kind::kKeys || kind == Kind::kValues; }
};

using LeafValues = std::span<Value* const>;
using MergedValue = std::function<Abstract(Heap&, LeafValues)>;
using MergedContents = std::function<Cell::Contents(Heap&, LeafValues)>;

class Merger {
 public:
  // The cells that each side changed; all others are as they are now.
  Merger(std::span<const CellChange> a = {}, std::span<const CellChange> b = {});

  // Errors: values that have no common form, such as objects of two classes.
  Result<MergedValue> Merge(const Abstract& a, const Abstract& b, const std::string& name = "");
  // What `cell` holds after either side.
  Result<MergedContents> MergeCell(const CellPtr& cell);
  Result<MergedContents> MergeContents(const Cell::Contents& a, const Cell::Contents& b,
                                       const LeafSide& side_a, const LeafSide& side_b,
                                       const std::string& name);

  // What comes of a merge is a tensor of its own, not another name of either: of sides between
  // which the program has ended.
  void EndNames() { keeps_names_ = false; }

  const std::vector<Leaf>& leaves() const { return leaves_; }

 private:
  using Changed = std::unordered_map<const Cell*, const Cell::Contents*>;

  const Cell::Contents& ContentsOf(const CellPtr& cell, const Changed& changed) const;
  Result<MergedValue> MergeForms(const Abstract& a, const Abstract& b, const std::string& name);
  Result<MergedValue> MergeMaybe(const Abstract& a, const Abstract& b, const std::string& name);
  Result<MergedValue> MergeNumbers(const Abstract& a, const Abstract& b, const std::string& name);
  Result<MergedValue> MergeTensors(const Abstract& a, const Abstract& b, const std::string& name);
  Result<MergedValue> MergeTuples(const Abstract& a, const Abstract& b, const std::string& name);
  Result<MergedValue> MergeCells(const Abstract& a, const Abstract& b, const CellPtr& cell_a,
                                 const CellPtr& cell_b, const std::string& name);
  MergedContents MergeStorages(const StorageContents& a, const StorageContents& b,
                               const LeafSide& side_a, const LeafSide& side_b,
                               const std::string& name);
  Result<MergedContents> MergeDicts(const DictContents& a, const DictContents& b,
                                    const LeafSide& side_a, const LeafSide& side_b,
                                    const std::string& name);
  Result<MergedContents> MergeEntries(const DictContents& a, const DictContents& b,
                                      const LeafSide& side_a, const LeafSide& side_b,
                                      const std::string& name);
  Result<MergedContents> MergeObjects(const ObjectContents& a, const ObjectContents& b,
                                      const std::string& name);
  Result<MergedContents> MergeLists(const ListContents& a, const ListContents& b,
                                    const LeafSide& side_a, const LeafSide& side_b,
                                    const std::string& name);
  Status CountPart();
  std::size_t AddLeaf(Leaf leaf);

  Changed changed_a_;
  Changed changed_b_;
  std::vector<Leaf> leaves_;
  int depth_ = 0;
  std::size_t parts_ = 0;
  bool keeps_names_ = true;
};

// Whether two tensors are the same view of the same storage.
bool SameTensor(const TensorRef& a, const TensorRef& b);

// What is known of the type of a side before it is read.
Type TypeOf(const LeafSide& side);
// The type of a value of `leaf` of type `a` on one side and `b` on the other; an unknown one gives
// way. How many entries a dict has is not known.
Type JoinTypes(const Leaf& leaf, const Type& a, const Type& b);

// The common value of a side of `leaf`, read in the graph of `builder` and the present state of
// `heap`. `other`: the type of the other side, for a placeholder.
Result<Value*> LeafValue(Heap& heap, GraphBuilder& builder, const Leaf& leaf, const LeafSide& side,
                         const Type& other);
// The values of side a, or b, of all leaves. A placeholder is of the type in `types`; without
// `types` it is left out as nullptr.
Result<std::vector<Value*>> LeafSideValues(Heap& heap, GraphBuilder& builder,
                                           std::span<const Leaf> leaves, bool of_a,
                                           std::span<const Type> types = {});

// The values that leaves have on side a, before, and on side b, after, and their common types.
struct LeafChanges {
  std::span<Value* const> before;
  std::span<Value* const> after;
  std::span<const Type> joined;
};
// `returned` is what comes back for each of `inputs`: the value after, of the leaf that it is
// before; itself, where it is none's. Gives whether nothing else differs, and nothing in type: then
// the inputs are all that changes from one time to the next.
bool TakeReturned(const LeafChanges& changes, std::span<Value* const> inputs,
                  std::vector<Value*>& returned);

// Whether a storage up to number `last_cell` cannot be read any more after `changes`, which are
// taken back, though it could be before. No leaf stands for it.
bool ForgetsMore(std::span<const CellChange> changes, std::uint64_t last_cell);

// Cells with what they hold, each once.
using JoinedCells = std::vector<std::pair<CellPtr, Cell::Contents>>;
// The present contents of the `planned` cells, and in place of them or after them what `changed`
// gives for `stand_ins`.
JoinedCells JoinCells(Heap& heap, std::span<const std::pair<CellPtr, MergedContents>> planned,
                      std::span<const std::pair<CellPtr, MergedContents>> changed,
                      LeafValues stand_ins);

// A string as a 0-d value. Errors: one that no operator writes.
Result<Value*> TextValue(GraphBuilder& builder, const String& string);
// A tensor, number or string as a value; nullptr for all others.
Result<Value*> ItemValue(Heap& heap, GraphBuilder& builder, const Abstract& item);
// A list as a sequence of its items. Errors: items that are none of tensors, numbers
// and strings.
Result<Value*> SequenceOf(Heap& heap, GraphBuilder& builder, const ListContents& list,
                          DType element);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_MERGE_H_
