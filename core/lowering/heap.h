// SPDX-License-Identifier: Apache-2.0
// The cells of one program: reading and writing tensors through views, and undoing what a branch
// or a pass over a loop's body did.
#ifndef DRAGOMAN_CORE_LOWERING_HEAP_H_
#define DRAGOMAN_CORE_LOWERING_HEAP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/support/result.h"

namespace dragoman {

// A cell that existed before a stretch of the program, and what the stretch left in it.
struct CellChange {
  CellPtr cell;
  Cell::Contents contents;
};

// Whether it cannot be determined what a storage holds.
inline bool IsForgotten(const StorageContents& storage) {
  return storage.value == nullptr && !storage.constant;
}

class Heap {
 public:
  // In heap.cc: inline, each file would compile what it destroys.
  Heap();
  ~Heap();

  // Tensors of the file become constants of the graph of `root` from now on.
  void SetRoot(GraphBuilder& root);

  CellPtr NewCell(Cell::Contents contents);
  // What is read of the constant that `cell` holds is what `decode` makes of it in the root graph,
  // as of one that is stored quantised. `decode` is called when the tensor is read first.
  using Decode = std::function<Result<Value*>(GraphBuilder& root, Value* stored)>;
  void SetDecode(const CellPtr& cell, Decode decode);
  Abstract NewTensor(Value* value, Strides strides = {});
  Abstract NewList(std::vector<Abstract> items);
  // What `base` looks like through `step`: a tensor that shares its elements.
  static TensorRef View(const TensorRef& base, ViewStep step);
  // Where the elements of a tensor lie.
  static const Strides& StridesOf(const TensorRef& tensor);

  // The present value of a tensor.
  Result<Value*> Read(GraphBuilder& builder, const TensorRef& tensor);
  // Of each element of a view its place in the storage, int64. Errors: elements of another type
  // than the storage has, or a storage of another order (unsupported).
  Result<Value*> Places(GraphBuilder& builder, const TensorRef& tensor);
  // States that `value`, of the graph that is being built, is the present value of a view.
  void SetRead(const TensorRef& view, Value* value);
  // The present value of a whole storage.
  Result<Value*> StorageValue(const CellPtr& cell);
  // Replaces the elements of `tensor` by those of `value`, of its type and sizes. All aliases see
  // it; what `tensor` was chosen from cannot be read any more.
  Status Write(GraphBuilder& builder, const TensorRef& tensor, Value* value);

  // Replaces the whole of a storage, whatever sizes `value` has.
  Status Overwrite(const CellPtr& storage, Value* value);

  // `storage` is a copy of one of `others`, all of them storages, or shares its elements: run time
  // decides which. After a write to one of them, `storage` cannot be read any more.
  void NoteChoice(const CellPtr& storage, std::vector<CellPtr> others);

  // The number of the cell made last.
  std::uint64_t last_cell() const { return cells_; }
  // The contents of `cell`, to be changed.
  template <class T>
  T& Mutable(const CellPtr& cell) {
    Record(cell);
    return std::get<T>(cell->contents);
  }
  void Replace(const CellPtr& cell, Cell::Contents contents) {
    Record(cell);
    cell->contents = std::move(contents);
  }

  // A stretch whose changes can be taken back, and whose values are not seen after Leave: a body of
  // If or Loop, or an attempt. Stretches nest.
  void Enter();
  // Takes all changes since the last Enter back. Gives, in the order of first change, the cells
  // that are older than the stretch, with what it had left in them.
  std::vector<CellChange> Leave();
  // Ends the last stretch and keeps its changes as changes of the one around it.
  void Keep();

 private:
  struct Saved {
    CellPtr cell;
    Cell::Contents contents;
    std::uint64_t version;
  };
  struct Stretch {
    std::vector<Saved> saved;
    std::unordered_map<const Cell*, std::size_t> index;
    std::uint64_t first_cell;  // cells with a number from here on were made in the stretch
    std::size_t outer_scopes;  // how many scopes were open before
  };

  void Record(const CellPtr& cell);
  // Forgets what the storages hold that `cell` was chosen from, and that were chosen from it or
  // from these.
  void ForgetChoices(const CellPtr& cell);
  bool InScope(std::uint64_t scope) const;

  GraphBuilder* root_ = nullptr;
  std::unordered_map<std::uint64_t, Decode> decodes_;    // by the version of a cell
  std::unordered_map<std::uint64_t, Value*> constants_;  // of the root, by the version of a cell
  std::unordered_map<std::uint64_t, std::vector<CellPtr>> choices_;  // by the number of a cell
  std::uint64_t versions_ = 0;
  std::uint64_t cells_ = 0;
  std::uint64_t last_scope_ = 0;
  std::vector<std::uint64_t> scopes_;  // open ones
  std::vector<Stretch> stretches_;
  std::unordered_map<std::uint64_t, std::vector<CellPtr>> chosen_;  // the other way round
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_HEAP_H_
