// SPDX-License-Identifier: Apache-2.0
// Which calls each module of a program makes, in which order, and what it takes and gives.
#ifndef DRAGOMAN_EXPORTERS_TORCH_REGIONS_H_
#define DRAGOMAN_EXPORTERS_TORCH_REGIONS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exporters/torch/module_tree.h"
#include "exporters/torch/program.h"

namespace dragoman::pytorch {

// A call that a module makes itself, or a module below it that it calls.
struct Item {
  const Call* call = nullptr;
  Module* module = nullptr;
};

// What a module takes and gives: values of the program.
struct Boundary {
  std::vector<std::string> inputs;   // in the order of their first use
  std::vector<std::string> outputs;  // in the order in which they are made
};

struct Region {
  std::vector<Item> items;
  Boundary boundary;
};

// An element of an nn.Sequential; neither: nn.Identity.
struct SequentialPart {
  Module* module = nullptr;
  std::optional<Expr> layer;
};

class Regions {
 public:
  // Decides the form of every module of `tree`. With `flat` the root makes all calls, and modules
  // are only called where they are layers.
  Regions(const ProgramCalls& program, ModuleTree& tree, bool flat);

  // Of a module of form kClass that has a forward.
  const Region* Find(const Module& module) const;
  // Of a module of form kSequential.
  const std::vector<SequentialPart>& PartsOf(const Module& module) const {
    return parts_.at(&module);
  }
  const Boundary& BoundaryOf(const Module& module) const { return boundaries_.at(&module); }

  bool IsState(const std::string& value) const { return states_.contains(value); }
  // The call that gives the size `value`, if it only reads it off a tensor.
  const Call* SizeCall(const std::string& value) const;

 private:
  using Set = std::vector<std::size_t>;  // of calls, ascending

  void RememberReads(const Calls& calls);
  // Values that calls of a layer or of an operator read; or but for weights that the module at
  // `path` holds.
  std::vector<std::string> AllReadsOf(const Call& call) const;
  std::vector<std::string> ReadsOf(const Call& call, const ModulePath& path) const;
  void DropDeadCalls();
  void FindHomes(bool flat);
  Module* HomeOf(std::size_t call);
  Module* ReaderOf(std::size_t call);
  void RaiseShared();
  Boundary BoundaryOf(const Set& calls, const ModulePath& path) const;
  Set Under(const Set& calls, const Module& module) const;
  void Build(Module& module, const Set& calls);
  void Decide(Module& module, const Set& calls);
  struct Link {
    Module* part = nullptr;
    Set calls;
  };
  std::vector<Link> LinksOf(const Module& module, const Set& calls) const;
  bool AppendOwnCall(const Module& module, const Call& call,
                     std::vector<SequentialPart>& parts) const;
  std::optional<std::vector<SequentialPart>> ChainOf(const Module& module, const Set& calls,
                                                     const Boundary& all) const;
  bool MakeSequential(Module& module, const Set& calls);
  Module* PartOf(const Module& module, std::size_t call) const;
  bool Order(Module& module, const Set& calls, std::vector<Set>& ordered);
  std::vector<std::size_t> DependenciesOf(std::size_t call) const;

  const ProgramCalls& program_;
  ModuleTree& tree_;
  std::map<const Call*, std::vector<std::string>> reads_;  // looked up, never iterated
  std::vector<const Call*> calls_;
  std::vector<Module*> homes_;
  std::map<std::string, std::size_t> makers_;             // of values: calls
  std::map<std::string, std::vector<std::size_t>> used_;  // of values: calls
  std::map<std::string, const Call*> sizes_;
  std::set<std::string> states_;
  std::set<std::string> results_;            // of the program
  std::map<const Module*, Region> regions_;  // looked up, never iterated, as the next
  std::map<const Module*, std::vector<SequentialPart>> parts_;
  std::map<const Module*, Boundary> boundaries_;
};

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_REGIONS_H_
