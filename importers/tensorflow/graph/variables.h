// SPDX-License-Identifier: Apache-2.0
// The States of a source model: what a checkpoint holds, by the names of the variables.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_VARIABLES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_VARIABLES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "importers/tensorflow/container/checkpoint.h"

namespace dragoman::tf_reader {

// Which tensor of a checkpoint the graph restores each variable from: read off its restoring nodes
// (RestoreV2 or RestoreSlice, then Assign or AssignVariableOp), through calls.
std::map<std::string, std::string> RestoredKeys(const Model& model);

// A part of a tensor of a checkpoint.
struct RestoredPart {
  std::string key;
  std::string slice;  // "10 4 0,5:-": sizes of the whole, then start and length of each axis
};

// The same for variables that the graph restores a part of a tensor to, by their names.
std::map<std::string, RestoredPart> RestoredParts(const Model& model);

// The part of `whole`, which is cut along one axis. nullopt: it is not of these sizes.
std::optional<Tensor> PartOf(const Tensor& whole, std::string_view slice);

// Adds a State for each variable that has an entry: the one that the graph restores it from, else
// that of the object which the SavedModel says is passed to a function in its place, else the one
// that the checkpoint's own table of objects gives that name, else the one of its name.
// Entries that belong to no variable are States by their keys.
void AddStates(std::vector<CheckpointEntry> entries, Model* model);

// The same for a graph without a checkpoint: a State for each variable that a node beside the
// entries assigns a constant to, once.
void AddInitialStates(Model* model);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_VARIABLES_H_
