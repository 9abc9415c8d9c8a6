// SPDX-License-Identifier: Apache-2.0
// The objects that a TorchScript file holds, as cells.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_

#include <map>
#include <set>
#include <string>

#include "core/ir/model.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"
#include "importers/torch/lower/shared_storages.h"

namespace dragoman::torch {

class LoadedCells {
 public:
  // One cell a State of the source Model; where `joined` names a tensor that has elements in common
  // with others, one cell for all of them, of which each is a view, if that is possible. Errors: a
  // State that is not as README.md says.
  static Result<LoadedCells> Load(const Model& source, Heap& heap,
                                  const std::set<std::string>& joined);

  // The root object.
  Result<Abstract> Root() const;
  // A value of an attribute or of a constant node: the table "cell or value" in README.md. A tensor
  // becomes a fresh cell.
  Result<Abstract> ValueOf(const Attribute& value, Heap& heap) const;
  // Why a tensor of the file, which has elements of its own here, must not be written.
  struct Barrier {
    std::string reason;
    std::string state;  // if it can be joined with the tensors that have some of its elements
  };
  // nullptr: it may be written.
  const Barrier* BarrierOf(const CellPtr& cell) const;

 private:
  explicit LoadedCells(const Model& source) : source_(&source) {}
  Abstract EnumeratorOf(const std::string& qualified, Heap& heap) const;
  // Fills the cell of `state` with its initial contents.
  Status Fill(const State& state, Heap& heap);
  void NoteOverlap(const State& state, const CellPtr& cell);
  Status FillObject(const State& state, ObjectContents& contents, Heap& heap) const;
  // Makes the tensors of `group` views of one cell. false: they cannot be.
  bool Join(const SharedGroup& group, Heap& heap);

  friend Result<Abstract> ConstantValue(const Model&, const Attribute&, Heap&);

  const Model* source_;
  std::map<std::string, Abstract> cells_;
  std::map<const Cell*, Barrier> barriers_;  // looked up, never iterated
  std::set<std::string> joined_;             // States whose cells are filled
};

// What a prim.Constant's attribute, or the default of an argument, stands for.
Result<Abstract> ConstantValue(const Model& source, const Attribute& value, Heap& heap);

// What the source Model says of a class, or nullptr.
const Attribute::Dict* FindClass(const Model& source, const std::string& name);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_
