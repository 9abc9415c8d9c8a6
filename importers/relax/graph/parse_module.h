// SPDX-License-Identifier: Apache-2.0
// The syntax of a Relax module: TVMScript, a subset of Python.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_PARSE_MODULE_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_PARSE_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/support/python/syntax.h"
#include "core/support/result.h"

namespace dragoman::tvmscript {

// What stands in the class, in order.
struct ModuleItem {
  enum class Kind : std::uint8_t {
    kFunction,  // @R.function
    kForeign,   // any other definition (@T.prim_func): its text, with the comments above it
    kStatement  // "I.module_attrs({…})": its text, with the comments above it
  };
  Kind kind = Kind::kFunction;
  std::size_t offset = 0;
  python::FunctionDef function;
  std::string name;  // of a function or a foreign definition
  std::string text;
};

struct ModuleSyntax {
  std::string file;       // for findings
  std::string text;       // of the whole file
  std::string preamble;   // what stands in front of the decorator: comments, imports, metadata
  std::string decorator;  // "I.ir_module"
  std::string name;       // of the class
  std::string bases;      // "BasePyModule", or empty
  std::vector<ModuleItem> items;
};

// Errors: what is not a module, up to python::kMaxSourceFindings findings with line, column and
// caret.
Result<ModuleSyntax> ParseModule(std::string file, std::string text);
// An expression, as a signature has it in a string; of python::kMaxSourceHeight at most.
Result<python::Expr> ParseExpression(const std::string& text);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_PARSE_MODULE_H_
