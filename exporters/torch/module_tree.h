// SPDX-License-Identifier: Apache-2.0
// The modules that hold the weights of a program, by the paths that the source gave them.
#ifndef DRAGOMAN_EXPORTERS_TORCH_MODULE_TREE_H_
#define DRAGOMAN_EXPORTERS_TORCH_MODULE_TREE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/torch/layers.h"
#include "exporters/torch/module_path.h"
#include "exporters/torch/program.h"

namespace dragoman::pytorch {

// What Model.state_dict() has.
struct StoredWeight {
  std::string key;     // "encoder.0.weight"
  std::string source;  // as the program calls it
  const pt2::Weight* weight = nullptr;
};

struct Module {
  enum class Form : std::uint8_t {
    kLayer,       // of torch.nn
    kClass,       // of ours, with a forward
    kSequential,  // nn.Sequential
    kContainer,   // it only holds others, which the modules around it call
  };

  ModulePath path;
  Module* parent = nullptr;
  std::vector<std::unique_ptr<Module>> children;
  std::vector<std::pair<std::string, const pt2::Weight*>> weights;  // its own, by attribute
  std::optional<LayerCall> layer;
  Form form = Form::kClass;

  const std::string& name() const { return path.back(); }
  Module* Child(std::string_view name) const;
  bool HasWeight(std::string_view name) const;
  // Children are counted, and nothing else is there.
  bool is_list() const;
};

class ModuleTree {
 public:
  ModuleTree() { root_.form = Module::Form::kClass; }

  // Makes layers of the calls that can be some, and places for all weights. Both arguments must
  // outlive the tree.
  void Add(const ProgramCalls& program, const std::vector<pt2::Weight>& weights);

  Module& root() { return root_; }
  const std::vector<StoredWeight>& stored() const { return stored_; }

  // The layer that does what the call does, or nullptr.
  Module* LayerOf(const Call& call) const;
  const LayerCall& LayerCallOf(const Call& call) const { return layer_calls_.at(&call); }
  // The path of a weight, a value of the program; nullptr: it is not one.
  const ModulePath* PathOfWeight(const ProgramCalls& program, const std::string& value) const;
  // The deepest module that holds others or weights, at `path` or above it.
  Module& ModuleAt(const ModulePath& path);

 private:
  using Paths = std::map<std::string, ModulePath>;  // of weights, by value of a program

  // What a program reads.
  struct Sources {
    const WeightsByValue& weights;
    std::set<std::string> states = {};
  };

  void AddLayers(const ProgramCalls& program, const WeightsByValue& weights, Paths& paths);
  void AddLayer(const Call& call, LayerCall layer, const Sources& sources, Paths& paths);
  Module& MakeLayer(const ModulePath& wanted, const LayerCall& layer,
                    const WeightsByValue& weights);
  void FindContainers(const ProgramCalls& program, const WeightsByValue& weights);
  std::optional<ModulePath> PlaceApart(const Call& call, const ModulePath& owner);
  bool IsFree(const ModulePath& path) const;
  ModulePath Beside(ModulePath path) const;
  ModulePath LayerPath(const Call& call, const LayerCall& layer, const WeightsByValue& weights);
  Module& Make(const ModulePath& path);
  static void SortLists(Module& module);
  const ModulePath& PlaceWeight(const pt2::Weight& weight);

  Module root_;
  std::vector<StoredWeight> stored_;
  std::map<const Call*, Module*> layers_;  // looked up, never iterated, as the next
  std::map<const Call*, LayerCall> layer_calls_;
  std::map<const ProgramCalls*, Paths> paths_;
  std::map<std::string, Module*> by_weights_;    // layers, by their weights
  std::map<std::string, ModulePath> by_source_;  // of weights that have a place
  std::map<std::string, std::string> owners_;    // of weights of a program: the layer's key
  std::set<ModulePath> containers_;              // that scopes or weights are below
  std::set<ModulePath> owned_;                   // where fresh normalisations are
};

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_MODULE_TREE_H_
