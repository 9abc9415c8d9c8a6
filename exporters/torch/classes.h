// SPDX-License-Identifier: Apache-2.0
// Classes for the modules of a program: one for all that differ in numbers only, which its
// constructor takes.
#ifndef DRAGOMAN_EXPORTERS_TORCH_CLASSES_H_
#define DRAGOMAN_EXPORTERS_TORCH_CLASSES_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exporters/torch/expression.h"
#include "exporters/torch/functions.h"
#include "exporters/torch/regions.h"

namespace dragoman::pytorch {

struct Class {
  std::string name;
  std::vector<const Module*> modules;   // that are of this class
  std::vector<std::string> parameters;  // of the constructor: numbers
  std::vector<std::pair<std::string, Expr>> members;
  std::set<std::string> kept;  // parameters that forward reads
  bool has_forward = false;
  Function forward;  // with sizes of results as comments
};

class Classes {
 public:
  // `read`: weights that methods of the root read.
  Classes(const ProgramCalls& program, ModuleTree& tree, const Regions& regions,
          std::set<std::string> read);

  // Each after those that it has as members; the last is that of the root.
  const std::vector<Class>& all() const { return classes_; }
  std::size_t IndexOf(const Module& module) const { return by_module_.at(&module); }
  // Paths of weights that something reads.
  const std::set<std::string>& read() const { return read_; }

 private:
  // A module before it is known which others are of its class.
  struct Draft {
    Module* module = nullptr;
    std::size_t height = 0;
    Function forward = {};
    bool has_forward = false;
    std::vector<std::pair<std::string, Expr>> members = {};
    std::vector<std::vector<std::string>> sizes = {};  // of results, in the order of statements
  };

  void MakeDrafts(Module& module);
  std::size_t HeightOf(const Module& module) const;
  void MakeMembers(Draft& draft);
  Expr ConstructorOf(const Module& module);
  static std::string KeyOf(const Draft& draft, const Function& forward);
  static void GatherInputs(std::vector<Draft*>& drafts);
  void Group(std::vector<Draft*>& drafts);
  void Parametrise(Class& made, std::vector<Draft*>& drafts);
  std::string NameFor(const Module& module);

  const ProgramCalls& program_;
  ModuleTree& tree_;
  const Regions& regions_;
  std::vector<Draft> drafts_;
  std::vector<Class> classes_;
  std::map<const Module*, std::size_t> by_module_;  // looked up, never iterated, as the next
  std::map<const Module*, Exprs> arguments_;        // of its constructor
  std::set<std::string> read_;
  std::set<std::string> names_;
};

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_CLASSES_H_
