// SPDX-License-Identifier: Apache-2.0
// Stored values as the States of a source Model: README.md of this folder, "The heap".
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CELL_TABLE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CELL_TABLE_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torch/container/restore_object.h"
#include "importers/torch/container/value.h"
#include "importers/torch/script/program.h"

namespace dragoman::torch {

class CellTable {
 public:
  CellTable(Program& program, StoredHeap& heap, Model& model, RestoreContext& context)
      : program_(program), heap_(heap), model_(model), context_(context) {}

  // Adds everything that `root`, an object, reaches: the State `self` and those after it.
  Status AddRoot(const Stored& root);
  // A constant of the archive as the value of a prim.Constant. A tensor is itself; an object is a
  // State called `name`.
  Result<std::pair<Attribute, ScriptType>> Constant(const Stored& constant,
                                                    const std::string& name);
  // Gives tensors that share a storage their places in it. The last call.
  void Finish();

  // The classes of all objects.
  const std::set<std::string>& classes() const { return classes_; }

 private:
  struct Pending {
    Stored value;
    std::size_t state;  // whose contents are to be filled in
    ScriptType type;
  };

  // What stands for a value inside of another: itself, or the Symbol of its cell, which is made if
  // it is new.
  Result<Attribute> Encode(const Stored& value, const ScriptType& declared,
                           const std::string& path);
  Attribute CellOf(const void* identity, const Stored& value, ScriptType type,
                   const std::string& path);
  Status FillPending();
  Status Fill(const Pending& cell);
  Result<Attribute> FillObject(const StoredObject& object, const std::string& path);
  Result<Attribute> FillList(const StoredList& list, const ScriptType& type,
                             const std::string& path);
  Result<Attribute> FillDict(const StoredDict& dict, const ScriptType& type,
                             const std::string& path);
  Result<Attribute> EncodeEnum(const StoredEnum& value);
  // The declared type or, where that leaves it open, what the file says of the container.
  ScriptType ContainerType(const ScriptType& declared, const std::string& tag,
                           ScriptType::Kind kind);

  Program& program_;
  StoredHeap& heap_;
  Model& model_;
  RestoreContext& context_;
  std::map<const void*, std::string> names_;
  std::set<std::string> taken_;
  std::set<std::string> classes_;
  std::deque<Pending> pending_;
  std::map<int, std::vector<std::pair<std::size_t, const StoredTensor*>>> by_storage_;
};

// A tensor as the contents of a cell or a prim.Constant: itself, or a dictionary if it is more than
// its elements in row-major order. `with_place` adds the storage.
Result<Attribute> EncodeTensor(const StoredTensor& tensor, bool with_place);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CELL_TABLE_H_
