// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/environment.h"

#include <set>

namespace dragoman::torch {
namespace {

void Collect(const std::vector<Stmt>& statements, std::set<std::string>& names) {
  for (const Stmt& stmt : statements) {
    for (const Expr& target : stmt.targets) {
      if (target.kind == Expr::Kind::kName) names.insert(target.text);
    }
    Collect(stmt.body, names);
    Collect(stmt.other, names);
  }
}

}  // namespace

std::vector<std::string> AssignedNames(const std::vector<Stmt>& statements) {
  std::set<std::string> names;
  Collect(statements, names);
  return {names.begin(), names.end()};
}

}  // namespace dragoman::torch
