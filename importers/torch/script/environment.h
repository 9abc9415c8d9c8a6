// SPDX-License-Identifier: Apache-2.0
// The variables that are visible while a function is compiled: a frame per block.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ENVIRONMENT_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ENVIRONMENT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "importers/torch/script/ast.h"
#include "importers/torch/script/block_builder.h"

namespace dragoman::torch {

class Environment {
 public:
  using Frame = std::map<std::string, Typed>;

  Environment() { Enter(); }
  void Enter() { frames_.emplace_back(); }
  // The variables that were assigned in the frame.
  Frame Leave() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return frame;
  }

  void Set(const std::string& name, Typed value) {
    frames_.back().insert_or_assign(name, std::move(value));
  }
  const Typed* Find(const std::string& name) const { return FindUpTo(name, frames_.size()); }
  // Of the frames around the last one.
  const Typed* FindOutside(const std::string& name) const {
    return FindUpTo(name, frames_.size() - 1);
  }

  void SetClosure(const std::string& name, const FunctionDef* def) { closures_[name] = def; }
  const FunctionDef* FindClosure(const std::string& name) const {
    const auto found = closures_.find(name);
    return found == closures_.end() ? nullptr : found->second;
  }

  // A variable that stands for a function: its qualified name.
  void SetAlias(const std::string& name, std::string qualified_name) {
    aliases_[name] = std::move(qualified_name);
  }
  const std::string* FindAlias(const std::string& name) const {
    const auto found = aliases_.find(name);
    return found == aliases_.end() ? nullptr : &found->second;
  }

 private:
  const Typed* FindUpTo(const std::string& name, std::size_t count) const {
    while (count-- > 0) {
      const auto found = frames_[count].find(name);
      if (found != frames_[count].end()) return &found->second;
    }
    return nullptr;
  }

  std::vector<Frame> frames_;
  std::map<std::string, const FunctionDef*> closures_;
  std::map<std::string, std::string> aliases_;
};

// The names that the statements assign, sorted, those of nested blocks included.
std::vector<std::string> AssignedNames(const std::vector<Stmt>& statements);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ENVIRONMENT_H_
