// The objects that a TorchScript file holds, as cells.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_

#include <map>
#include <string>

#include "core/ir/model.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman::torch {

class LoadedCells {
 public:
  // One cell a State of the source Model. Errors: a State that is not as README.md says.
  static Result<LoadedCells> Load(const Model& source, Heap& heap);

  // The root object.
  Result<Abstract> Root() const;
  // A value of an attribute or of a constant node: the table "cell or value" in README.md. A tensor
  // becomes a fresh cell.
  Result<Abstract> ValueOf(const Attribute& value, Heap& heap) const;
  // The name of a tensor of the file whose elements are partly those of the one in `cell`; "":
  // there is none. Here each has elements of its own, so that it must not be written.
  std::string SharerOf(const CellPtr& cell) const;

 private:
  explicit LoadedCells(const Model& source) : source_(&source) {}
  Abstract EnumeratorOf(const std::string& qualified, Heap& heap) const;
  // Fills the cell of `state` with its initial contents.
  Status Fill(const State& state, Heap& heap) const;
  Status FillObject(const State& state, ObjectContents& contents, Heap& heap) const;

  friend Result<Abstract> ConstantValue(const Model&, const Attribute&, Heap&);

  const Model* source_;
  std::map<std::string, Abstract> cells_;
  std::map<const Cell*, std::string> sharers_;  // looked up, never iterated
};

// What a prim.Constant's attribute, or the default of an argument, stands for.
Result<Abstract> ConstantValue(const Model& source, const Attribute& value, Heap& heap);

// What the source Model says of a class, or nullptr.
const Attribute::Dict* FindClass(const Model& source, const std::string& name);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_LOADED_CELLS_H_
