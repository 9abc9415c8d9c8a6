// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/module_tree.h"

#include <algorithm>
#include <cstdint>

#include "core/rewrite/zeros.h"

namespace dragoman::pytorch {
namespace {

// Names that exporters give weights which they made themselves.
bool IsMadeUp(const ModulePath& path) {
  const std::string& name = path.back();
  const bool has_scope = path.size() > 1;
  return !has_scope &&
         (name.starts_with("onnx_") || name.starts_with("lifted_tensor") || name.starts_with("_") ||
          IsNumber(name) || name.starts_with("m_") || name.starts_with("val_"));
}

// "conv1" of "conv1_weight"; "" of "weight", and of what is named after a node.
std::string WithoutKind(const std::string& name) {
  for (std::string_view kind : {"weight", "bias", "kernel", "gamma", "beta", "W", "w", "b", "B"}) {
    if (name == kind || name.find("_output_") != std::string::npos) return "";
    if (name.ends_with("_" + std::string(kind)))
      return name.substr(0, name.size() - kind.size() - 1);
  }
  return name;
}

void ForEachCall(const Calls& calls, const std::function<void(const Call&)>& visit) {
  for (const Call& call : calls) {
    visit(call);
    for (const Body& body : call.bodies) ForEachCall(body.calls, visit);
  }
}

}  // namespace

Module* Module::Child(std::string_view name) const {
  for (const auto& child : children) {
    if (child->name() == name) return child.get();
  }
  return nullptr;
}

bool Module::HasWeight(std::string_view name) const {
  return std::ranges::any_of(weights, [&](const auto& weight) { return weight.first == name; });
}

bool Module::is_list() const {
  return weights.empty() && !children.empty() && !layer &&
         std::ranges::all_of(children, [](const auto& child) { return IsNumber(child->name()); });
}

Module& ModuleTree::Make(const ModulePath& path) {
  Module* module = &root_;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Module* child = module->Child(path[i]);
    if (child == nullptr) {
      module->children.push_back(std::make_unique<Module>());
      child = module->children.back().get();
      child->path.assign(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      child->parent = module;
    }
    module = child;
  }
  return *module;
}

Module& ModuleTree::ModuleAt(const ModulePath& path) {
  Module* module = &root_;
  for (const std::string& part : path) {
    Module* child = module->Child(part);
    if (child == nullptr || child->layer) break;
    module = child;
  }
  return *module;
}

// Whether nothing is at `path`, and no layer or weight above it.
bool ModuleTree::IsFree(const ModulePath& path) const {
  const Module* module = &root_;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (module->layer || module->HasWeight(path[i])) return false;
    const Module* child = module->Child(path[i]);
    if (child == nullptr) return true;
    module = child;
  }
  return false;
}

namespace {

// "weight_ih_l0" of "weight_ih_l0_2".
std::string WithoutNumber(const std::string& name) {
  const std::size_t line = name.rfind('_');
  return line != std::string::npos && IsNumber(name.substr(line + 1)) ? name.substr(0, line) : name;
}

// Whether a normalisation has weights as they are before training. Exporters store equal tensors
// once, so several normalisations may share these by chance.
bool IsFreshNorm(const LayerCall& layer, const WeightsByValue& weights) {
  const std::string& name = layer.constructor.parts.front().text;
  return name.find("Norm") != std::string::npos &&
         std::ranges::all_of(layer.weights, [&](const auto& weight) {
           const dragoman::Tensor& tensor = weights.at(weight.second)->tensor;
           return HasOnly(tensor, 0) || HasOnly(tensor, 1);
         });
}

ModulePath WithSuffix(ModulePath path, std::int64_t number) {
  if (IsNumber(path.back())) path.back().insert(0, "m_");
  path.back() += "_" + std::to_string(number);
  return path;
}

}  // namespace

// `path`, or a name beside the layer or weight that stands above it: "encoder.lstm_h" of
// "encoder.lstm.h".
ModulePath ModuleTree::Beside(ModulePath path) const {
  const Module* module = &root_;
  for (std::size_t i = 0; i + 1 < path.size() && module != nullptr; ++i) {
    const Module* child = module->Child(path[i]);
    if ((child != nullptr && child->layer) || module->HasWeight(path[i])) {
      for (std::size_t j = i + 1; j < path.size(); ++j) path[i] += "_" + path[j];
      path.resize(i + 1);
      path[i] = Identifier(path[i]);
    }
    module = child;
  }
  return path;
}

// The module of the weights that have the layer's own names; else one that they or the scope name.
ModulePath ModuleTree::LayerPath(const Call& call, const LayerCall& layer,
                                 const WeightsByValue& weights) {
  const std::string usual = UsualName(layer.constructor);
  std::optional<ModulePath> other;
  for (const auto& [name, value] : layer.weights) {
    ModulePath path = PathOf(weights.at(value)->path);
    if (path.empty() || IsMadeUp(path)) continue;
    const std::string leaf = path.back();
    path.pop_back();
    if ((leaf == name || WithoutNumber(leaf) == name) && !path.empty()) return path;
    if (const std::string rest = WithoutKind(leaf); !rest.empty()) path.push_back(rest);
    if (!path.empty() && !other) other = path;
  }
  if (other) return *other;
  ModulePath scope = call.scope;
  if (scope.empty() || !IsFree(scope)) {
    scope = ModuleAt(call.scope).path;
    scope.push_back(usual);
  }
  return scope;
}

// Scopes of calls that have other scopes or weights within.
void ModuleTree::FindContainers(const ProgramCalls& program, const WeightsByValue& weights) {
  const auto add_above = [&](ModulePath path) {
    while (!path.empty()) {
      path.pop_back();
      containers_.insert(path);
    }
  };
  ForEachCall(program.calls, [&](const Call& call) { add_above(call.scope); });
  for (const auto& [value, weight] : weights) {
    ModulePath path = PathOf(weight->path);
    if (!path.empty()) path.pop_back();
    add_above(std::move(path));
  }
}

// Where a fresh normalisation is, whose weights may be at `owner` by chance: where its scope says,
// or, where that has other modules or is not known, on its own. nullopt: at `owner`.
std::optional<ModulePath> ModuleTree::PlaceApart(const Call& call, const ModulePath& owner) {
  if (!call.scope.empty() && !containers_.contains(call.scope)) {
    // "bn_1": the second call of bn.
    ModulePath first = call.scope;
    first.back() = WithoutNumber(first.back());
    if (call.scope == owner || first == owner) return std::nullopt;
    return call.scope;
  }
  if (owned_.insert(owner).second) return std::nullopt;
  ModulePath path = call.scope;
  if (path.empty()) path.assign(owner.begin(), owner.end() - 1);
  path.push_back(IsNumber(owner.back()) ? "norm" : owner.back());
  while (!owned_.insert(path).second) path = WithSuffix(path, 2);
  return path;
}

void ModuleTree::AddLayer(const Call& call, LayerCall layer, const Sources& sources, Paths& paths) {
  std::string key = FlatText(layer.constructor);
  for (const auto& [name, value] : layer.weights) key += " " + sources.weights.at(value)->path;
  const ModulePath owner = LayerPath(call, layer, sources.weights);
  std::optional<ModulePath> apart;
  if (!owner.empty() && IsFreshNorm(layer, sources.weights)) apart = PlaceApart(call, owner);
  if (apart) key += " " + Dotted(*apart);
  for (const auto& [name, value] : layer.weights) {
    if (sources.states.contains(value)) return;
    if (apart) continue;
    const std::string& path = sources.weights.at(value)->path;
    if (owners_.try_emplace(path, key).first->second != key) return;
    if (!by_weights_.contains(key) && by_source_.contains(path)) return;
  }
  Module*& module = by_weights_[key];
  if (module == nullptr) module = &MakeLayer(Beside(apart.value_or(owner)), layer, sources.weights);
  for (const auto& [name, value] : layer.weights)
    paths[value] = by_source_.at(sources.weights.at(value)->path);
  layers_[&call] = module;
  layer_calls_[&call] = std::move(layer);
}

Module& ModuleTree::MakeLayer(const ModulePath& wanted, const LayerCall& layer,
                              const WeightsByValue& weights) {
  ModulePath path = wanted;
  for (std::int64_t i = 2; !IsFree(path); ++i) path = WithSuffix(wanted, i);
  Module& module = Make(path);
  module.form = Module::Form::kLayer;
  module.layer = layer;
  for (const auto& [name, value] : layer.weights) {
    const pt2::Weight& weight = *weights.at(value);
    stored_.push_back({Dotted(path) + "." + name, weight.path, &weight});
    ModulePath at = path;
    at.push_back(name);
    by_source_.try_emplace(weight.path, std::move(at));
  }
  return module;
}

void ModuleTree::AddLayers(const ProgramCalls& program, const WeightsByValue& weights,
                           Paths& paths) {
  ProducerOf producers;
  ForEachCall(program.calls, [&](const Call& call) {
    for (const std::string& result : call.results) producers[result] = &call;
  });
  Sources sources = {.weights = weights};
  for (const StateUpdate& state : program.states) sources.states.insert(state.buffer);
  owners_.clear();
  owned_.clear();
  FindContainers(program, weights);
  ForEachCall(program.calls, [&](const Call& call) {
    std::optional<LayerCall> layer = ReadLayer(call, program, weights, producers);
    if (layer) AddLayer(call, *std::move(layer), sources, paths);
  });
}

const ModulePath& ModuleTree::PlaceWeight(const pt2::Weight& weight) {
  if (const auto known = by_source_.find(weight.path); known != by_source_.end())
    return known->second;
  ModulePath wanted = Beside(PathOf(weight.path));
  if (IsNumber(wanted.back())) wanted.back().insert(0, "weight_");
  ModulePath path = wanted;
  for (std::int64_t i = 2; !IsFree(path); ++i) path = WithSuffix(wanted, i);
  ModulePath parent = path;
  parent.pop_back();
  Make(parent).weights.emplace_back(path.back(), &weight);
  stored_.push_back({Dotted(path), weight.path, &weight});
  return by_source_[weight.path] = path;
}

void ModuleTree::Add(const ProgramCalls& program, const std::vector<pt2::Weight>& weights) {
  WeightsByValue by_value;
  for (const pt2::Weight& weight : weights) by_value[weight.term.name] = &weight;
  Paths& paths = paths_[&program];
  AddLayers(program, by_value, paths);
  for (const pt2::Weight& weight : weights) {
    if (!paths.contains(weight.term.name)) paths[weight.term.name] = PlaceWeight(weight);
  }
  SortLists(root_);
}

void ModuleTree::SortLists(Module& module) {
  for (const auto& child : module.children) SortLists(*child);
  if (!module.is_list()) return;
  std::ranges::sort(module.children, {},
                    [](const auto& child) { return std::stoul(child->name()); });
}

Module* ModuleTree::LayerOf(const Call& call) const {
  const auto found = layers_.find(&call);
  return found != layers_.end() ? found->second : nullptr;
}

const ModulePath* ModuleTree::PathOfWeight(const ProgramCalls& program,
                                           const std::string& value) const {
  const Paths& paths = paths_.at(&program);
  const auto found = paths.find(value);
  return found != paths.end() ? &found->second : nullptr;
}

}  // namespace dragoman::pytorch
