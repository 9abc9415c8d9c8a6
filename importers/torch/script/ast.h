// SPDX-License-Identifier: Apache-2.0
// The syntax tree of serialized TorchScript: Python's grammar as far as torch writes it, and the
// operators, slices and conditional expressions that files up to torch 1.3 contain.
//
// The parser bounds the height of a tree (python::kMaxSourceHeight), so walks over a tree may
// recurse.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_AST_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_AST_H_

#include <optional>
#include <string>
#include <vector>

#include "core/support/python/lexer.h"
#include "core/support/python/source_error.h"
#include "core/support/python/syntax.h"

namespace dragoman::torch {

using python::Expr;
using python::FindingAt;
using python::FunctionDef;
using python::Parameter;
using python::Stmt;

// One attribute, NamedTuple field, class constant or enumerator.
struct Member {
  std::string name;
  std::uint32_t offset = 0;
  std::optional<Expr> type;  // without the Final[…] around it
  std::optional<Expr> value;
  bool is_final = false;
};

struct ClassDef {
  std::string name;
  std::uint32_t offset = 0;
  std::string base;  // "Module", "NamedTuple", "Enum", "Interface", "ModuleInterface" or empty
  std::vector<Member> members;
  std::vector<FunctionDef> methods;
  std::vector<std::string> parameters;  // __parameters__, and so on
  std::vector<std::string> buffers;
  std::vector<std::string> forward_hooks;
  std::vector<std::string> forward_pre_hooks;
};

struct SourceFile {
  std::string name;  // "code/__torch__/net.py"
  std::string text;
  python::LineTable lines;  // of `text`
  std::vector<ClassDef> classes;
  std::vector<FunctionDef> functions;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_AST_H_
