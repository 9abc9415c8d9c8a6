// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/regions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exporters/torch/spelling.h"

namespace dragoman::pytorch {
namespace {

void AddOnce(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// The modules that layers of the call's bodies are in.
void NarrowToLayers(const Call& call, const ModuleTree& tree, ModulePath& path) {
  for (const Body& body : call.bodies) {
    for (const Call& inner : body.calls) {
      if (const Module* layer = tree.LayerOf(inner)) {
        while (!IsAbove(path, layer->parent->path)) path.pop_back();
      }
      NarrowToLayers(inner, tree, path);
    }
  }
}

// How many parts the paths have in common from the front.
std::size_t SharedLength(const ModulePath& a, const ModulePath& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// The deepest module that holds both, or is one of them.
Module* CommonOf(Module& a, const Module& b) {
  Module* common = &a;
  while (!IsAbove(common->path, b.path)) common = common->parent;
  return common;
}

}  // namespace

Regions::Regions(const ProgramCalls& program, ModuleTree& tree, bool flat)
    : program_(program), tree_(tree) {
  for (const StateUpdate& state : program.states) {
    states_.insert(state.buffer);
    results_.insert(state.next);
  }
  results_.insert(program.outputs.begin(), program.outputs.end());
  for (const Call& call : program.calls) {
    if (call.target == "aten.sym_size.int") {
      sizes_[call.results.front()] = &call;
    } else {
      calls_.push_back(&call);
    }
  }
  RememberReads(program.calls);
  DropDeadCalls();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    for (const std::string& result : calls_[i]->results) makers_[result] = i;
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    for (const std::string& value : reads_.at(calls_[i])) used_[value].push_back(i);
  }
  FindHomes(flat);
  Set all;
  for (std::size_t i = 0; i < calls_.size(); ++i) all.push_back(i);
  if (!flat) {
    Build(tree_.root(), all);
    return;
  }
  std::vector<Item>& items = regions_[&tree_.root()].items;
  for (const Call* call : calls_) items.push_back({call, nullptr});
}

const Call* Regions::SizeCall(const std::string& value) const {
  const auto found = sizes_.find(value);
  return found != sizes_.end() ? found->second : nullptr;
}

void Regions::RememberReads(const Calls& calls) {
  for (const Call& call : calls) {
    for (const Body& body : call.bodies) RememberReads(body.calls);
    reads_[&call] = AllReadsOf(call);
  }
}

std::vector<std::string> Regions::AllReadsOf(const Call& call) const {
  std::vector<std::string> reads;
  if (tree_.LayerOf(call) != nullptr) {
    for (const Expr& argument : tree_.LayerCallOf(call).arguments) {
      ForEachPart(argument, [&](const Expr& part) {
        if (part.kind == Expr::Kind::kValue) AddOnce(reads, part.text);
      });
    }
    return reads;
  }
  if (call.bodies.empty()) {
    for (const std::string& value : call.reads) AddOnce(reads, value);
    return reads;
  }
  // Layers of bodies hold their weights.
  std::set<std::string> inner;
  for (const Body& body : call.bodies) {
    for (const Call& own : body.calls) inner.insert(reads_.at(&own).begin(), reads_.at(&own).end());
    inner.insert(body.outputs.begin(), body.outputs.end());
  }
  for (const pt2::Json& argument : call.arguments) {
    if (argument["arg"].contains("as_graph")) continue;
    if (&argument == &call.arguments.back()) continue;
    ForEachPart(ArgumentExpr(argument["arg"], ""), [&](const Expr& part) {
      if (part.kind == Expr::Kind::kValue) inner.insert(part.text);
    });
  }
  for (const std::string& value : call.reads) {
    if (inner.contains(value)) AddOnce(reads, value);
  }
  return reads;
}

std::vector<std::string> Regions::ReadsOf(const Call& call, const ModulePath& path) const {
  std::vector<std::string> reads;
  std::ranges::copy_if(reads_.at(&call), std::back_inserter(reads), [&](const std::string& value) {
    const ModulePath* weight = tree_.PathOfWeight(program_, value);
    return weight == nullptr || IsState(value) || !IsAbove(path, *weight);
  });
  return reads;
}

void Regions::DropDeadCalls() {
  std::set<std::string> read = results_;
  std::vector<const Call*> kept;
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    const bool is_read = std::ranges::any_of(
        (*call)->results, [&](const std::string& result) { return read.contains(result); });
    if (!is_read && !(*call)->has_effect()) continue;
    kept.push_back(*call);
    for (const std::string& value : reads_.at(*call)) {
      read.insert(value);
      if (const Call* size = SizeCall(value)) read.insert(size->Tensor("self"));
    }
  }
  std::ranges::reverse(kept);
  calls_ = std::move(kept);
}

// A call without a scope is where the last of what it reads is made.
Module* Regions::HomeOf(std::size_t i) {
  const Call& call = *calls_[i];
  if (Module* layer = tree_.LayerOf(call)) return layer->parent;
  if (call.bodies.empty() && !call.scope.empty()) return &tree_.ModuleAt(call.scope);
  if (!call.bodies.empty()) {
    ModulePath path = tree_.ModuleAt(call.scope).path;
    NarrowToLayers(call, tree_, path);
    return &tree_.ModuleAt(path);
  }
  std::optional<std::size_t> last;
  for (const std::string& value : reads_.at(&call)) {
    const auto maker = makers_.find(value);
    if (maker != makers_.end()) last = std::max(last.value_or(0), maker->second);
  }
  return last ? homes_[*last] : &tree_.root();
}

void Regions::FindHomes(bool flat) {
  for (std::size_t i = 0; i < calls_.size(); ++i)
    homes_.push_back(flat ? &tree_.root() : HomeOf(i));
  if (!flat) RaiseShared();
}

// The deepest module in which all is read that the call gives; nullptr: nothing is.
Module* Regions::ReaderOf(std::size_t call) {
  Module* reader = nullptr;
  for (const std::string& result : calls_[call]->results) {
    if (results_.contains(result)) return &tree_.root();
    const auto users = used_.find(result);
    if (users == used_.end()) continue;
    for (std::size_t user : users->second)
      reader = reader == nullptr ? homes_[user] : CommonOf(*reader, *homes_[user]);
  }
  return reader;
}

// Values that do not depend on a layer and that several layers read, such as a mask that an
// exporter computes once for all, are made in the module around these layers.
void Regions::RaiseShared() {
  // How deep each call must stay at least: what it reads is made there.
  std::vector<std::size_t> least(calls_.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const ModulePath& home = homes_[i]->path;
    if (tree_.LayerOf(*calls_[i]) != nullptr || calls_[i]->has_effect()) least[i] = home.size();
    for (const std::string& value : reads_.at(calls_[i])) {
      const ModulePath* weight = tree_.PathOfWeight(program_, value);
      if (weight != nullptr)
        least[i] = std::max(least[i], std::min(SharedLength(*weight, home), weight->size() - 1));
    }
    for (std::size_t maker : DependenciesOf(i)) {
      const std::size_t shared = SharedLength(homes_[maker]->path, home);
      least[i] = std::max(least[i], std::min(shared, least[maker]));
    }
  }
  for (std::size_t i = calls_.size(); i-- > 0;) {
    Module* reader = ReaderOf(i);
    if (reader == nullptr || IsAbove(homes_[i]->path, reader->path)) continue;
    Module& common = *CommonOf(*reader, *homes_[i]);
    if (common.path.size() >= least[i]) homes_[i] = &common;
  }
}

Regions::Set Regions::Under(const Set& calls, const Module& module) const {
  Set under;
  for (std::size_t call : calls) {
    if (IsAbove(module.path, homes_[call]->path)) under.push_back(call);
  }
  return under;
}

// A size is read off any tensor that has it, or else asks for the one that it was read off.
Boundary Regions::BoundaryOf(const Set& calls, const ModulePath& path) const {
  Boundary boundary;
  const std::set<std::size_t> inside(calls.begin(), calls.end());
  std::set<std::string> sizes_here;
  const auto know = [&](const std::string& value) {
    const auto info = program_.values.find(value);
    if (info == program_.values.end() || info->second.is_size) return;
    sizes_here.insert(info->second.dims.begin(), info->second.dims.end());
  };
  std::vector<std::string> wanted;
  for (std::size_t call : calls) {
    for (const std::string& value : ReadsOf(*calls_[call], path)) {
      if (const Call* size = SizeCall(value)) {
        if (!sizes_here.contains(program_.values.at(value).dims.front()))
          AddOnce(wanted, size->Tensor("self"));
        continue;
      }
      const auto maker = makers_.find(value);
      if (maker != makers_.end() && inside.contains(maker->second)) continue;
      AddOnce(boundary.inputs, value);
      know(value);
    }
    for (const std::string& result : calls_[call]->results) know(result);
  }
  for (const std::string& value : wanted) {
    const auto maker = makers_.find(value);
    if (maker == makers_.end() || !inside.contains(maker->second)) AddOnce(boundary.inputs, value);
  }
  for (std::size_t call : calls) {
    for (const std::string& result : calls_[call]->results) {
      bool is_read = results_.contains(result);
      if (const auto users = used_.find(result); users != used_.end()) {
        for (std::size_t user : users->second) is_read = is_read || !inside.contains(user);
      }
      if (is_read) boundary.outputs.push_back(result);
    }
  }
  return boundary;
}

std::vector<std::size_t> Regions::DependenciesOf(std::size_t call) const {
  std::vector<std::size_t> makers;
  for (std::string value : reads_.at(calls_[call])) {
    if (const Call* size = SizeCall(value)) value = size->Tensor("self");
    if (const auto maker = makers_.find(value); maker != makers_.end())
      makers.push_back(maker->second);
  }
  if (calls_[call]->has_effect()) {
    for (std::size_t before = call; before-- > 0;) {
      if (!calls_[before]->has_effect()) continue;
      makers.push_back(before);
      break;
    }
  }
  return makers;
}

// The module below `module` that makes the call, the next that is more than a container; nullptr:
// `module` itself.
Module* Regions::PartOf(const Module& module, std::size_t call) const {
  Module* part = nullptr;
  for (Module* at = homes_[call]; at != &module && at != nullptr; at = at->parent) {
    if (at->form != Module::Form::kContainer) part = at;
  }
  return part;
}

// The calls by item, each item after those that it reads of. False: some modules give to one
// another, and those have become containers.
bool Regions::Order(Module& module, const Set& calls, std::vector<Set>& ordered) {
  std::map<const Module*, std::size_t> numbers;
  std::vector<Set> items;
  std::map<std::size_t, std::size_t> item_of;
  for (std::size_t call : calls) {
    const Module* part = PartOf(module, call);
    std::size_t item = items.size();
    if (part != nullptr) item = numbers.try_emplace(part, item).first->second;
    if (item == items.size()) items.emplace_back();
    items[item].push_back(call);
    item_of[call] = item;
  }
  std::vector<std::set<std::size_t>> needs(items.size());
  for (std::size_t call : calls) {
    for (std::size_t maker : DependenciesOf(call)) {
      const auto from = item_of.find(maker);
      if (from != item_of.end() && from->second != item_of[call])
        needs[item_of[call]].insert(from->second);
    }
  }
  ordered.clear();
  std::set<std::size_t> left;
  for (std::size_t i = 0; i < items.size(); ++i) left.insert(i);
  while (!left.empty()) {
    const auto next = std::ranges::find_if(left, [&](std::size_t i) {
      return std::ranges::none_of(needs[i], [&](std::size_t n) { return left.contains(n); });
    });
    if (next == left.end()) break;
    ordered.push_back(items[*next]);
    left.erase(next);
  }
  for (std::size_t i : left) {
    Module* part = PartOf(module, items[i].front());
    if (part == nullptr) continue;
    part->form = Module::Form::kContainer;
    Decide(*part, Under(calls, *part));
  }
  return left.empty();
}

// Whether a Sequential, a class or a container.
void Regions::Decide(Module& module, const Set& calls) {
  for (const auto& child : module.children) {
    if (child->layer) continue;
    const Set under = Under(calls, *child);
    child->form = Module::Form::kClass;
    if (under.empty()) {
      child->form = Module::Form::kContainer;
    } else if (child->is_list()) {
      child->form =
          MakeSequential(*child, under) ? Module::Form::kSequential : Module::Form::kContainer;
    }
    if (child->form == Module::Form::kContainer) Decide(*child, under);
  }
}

// The calls of `module` in stretches of one part of it, nullptr where the module makes them itself.
std::vector<Regions::Link> Regions::LinksOf(const Module& module, const Set& calls) const {
  std::vector<Link> links;
  for (std::size_t call : calls) {
    Module* layer = tree_.LayerOf(*calls_[call]);
    Module* part = nullptr;
    for (Module* at = layer != nullptr ? layer : homes_[call]; at != &module; at = at->parent)
      part = at;
    if (links.empty() || part == nullptr || links.back().part != part) links.push_back({part, {}});
    links.back().calls.push_back(call);
  }
  return links;
}

// Appends what stands for a call that `module` makes itself, a layer without weights, at the place
// that its scope names if it names one.
bool Regions::AppendOwnCall(const Module& module, const Call& call,
                            std::vector<SequentialPart>& parts) const {
  std::optional<Expr> layer = LayerWithoutWeights(call);
  if (!layer) return false;
  const std::size_t depth = module.path.size();
  if (call.scope.size() > depth && IsAbove(module.path, call.scope) &&
      IsNumber(call.scope[depth])) {
    const auto place = static_cast<std::size_t>(std::stoul(call.scope[depth]));
    if (place < parts.size()) return false;
    parts.resize(place);
  }
  parts.push_back({nullptr, std::move(layer)});
  return true;
}

// The parts of a chain, each of which takes what the one before gives; nullopt: it is none.
std::optional<std::vector<SequentialPart>> Regions::ChainOf(const Module& module, const Set& calls,
                                                            const Boundary& all) const {
  constexpr std::size_t kMaxGap = 64;  // places without a part in a row
  if (all.inputs.size() != 1 || all.outputs.size() != 1) return std::nullopt;
  std::string last = all.inputs.front();
  std::vector<SequentialPart> parts;
  for (const auto& [part, own] : LinksOf(module, calls)) {
    const Boundary boundary = BoundaryOf(own, part != nullptr ? part->path : module.path);
    if (boundary.inputs != std::vector<std::string>{last} || boundary.outputs.size() != 1)
      return std::nullopt;
    last = boundary.outputs.front();
    if (part == nullptr) {
      if (!AppendOwnCall(module, *calls_[own.front()], parts)) return std::nullopt;
      continue;
    }
    const auto place = static_cast<std::size_t>(std::stoul(part->name()));
    if (place < parts.size() || place > parts.size() + kMaxGap) return std::nullopt;
    if (part->layer && own.size() != 1) return std::nullopt;
    parts.resize(place);
    parts.push_back({part, std::nullopt});
  }
  if (last != all.outputs.front()) return std::nullopt;
  return parts;
}

bool Regions::MakeSequential(Module& module, const Set& calls) {
  Boundary all = BoundaryOf(calls, module.path);
  std::optional<std::vector<SequentialPart>> parts = ChainOf(module, calls, all);
  if (!parts) return false;
  const auto in_it = [&](const auto& child) {
    return std::ranges::any_of(*parts,
                               [&](const auto& part) { return part.module == child.get(); });
  };
  if (!std::ranges::all_of(module.children, in_it)) return false;
  for (const SequentialPart& part : *parts) {
    if (part.module == nullptr || part.module->layer) continue;
    part.module->form = Module::Form::kClass;
    const Set own = Under(calls, *part.module);
    if (part.module->is_list() && !MakeSequential(*part.module, own)) return false;
    if (part.module->is_list()) part.module->form = Module::Form::kSequential;
  }
  for (const SequentialPart& part : *parts) {
    if (part.module != nullptr && part.module->form == Module::Form::kClass)
      Build(*part.module, Under(calls, *part.module));
  }
  boundaries_[&module] = std::move(all);
  parts_[&module] = *std::move(parts);
  return true;
}

void Regions::Build(Module& module, const Set& calls) {
  Decide(module, calls);
  std::vector<Set> ordered;
  while (!Order(module, calls, ordered)) {
  }
  Region& region = regions_[&module];
  region.boundary = BoundaryOf(calls, module.path);
  boundaries_[&module] = region.boundary;
  for (const Set& item : ordered) {
    Module* part = PartOf(module, item.front());
    if (part == nullptr) {
      for (std::size_t call : item) region.items.push_back({calls_[call], nullptr});
      continue;
    }
    region.items.push_back({nullptr, part});
    if (part->form == Module::Form::kClass) Build(*part, item);
  }
}

const Region* Regions::Find(const Module& module) const {
  const auto found = regions_.find(&module);
  return found != regions_.end() ? &found->second : nullptr;
}

}  // namespace dragoman::pytorch
