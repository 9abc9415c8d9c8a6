// SPDX-License-Identifier: Apache-2.0
// Relay text as expressions. What a graph variable (%0) names is one expression that several read;
// a local variable reads its binder.
#ifndef DRAGOMAN_IMPORTERS_RELAY_TEXT_AST_H_
#define DRAGOMAN_IMPORTERS_RELAY_TEXT_AST_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace dragoman::relay {

enum class ExprKind : std::uint8_t {
  kParameter,    // of a function, a pattern, or free
  kConstant,     // `constant`
  kName,         // `name`: an operator or a constructor as a value
  kGlobal,       // `name`: a function of the module as a value
  kCall,         // of operator or constructor `name`, or, if that is empty, of the first operand
  kTuple,        // of the operands
  kProjection,   // `index` of the operand
  kFunction,     // the body is block 0
  kIf,           // the operand is the condition; blocks: then, else
  kMatch,        // on the operand; a block a pattern
  kLetVariable,  // its value is the operand
  kLet,          // the operands are the variable and what follows
  kSelf,         // the let variable `self` within its own value: recursion
  kRef,          // ref, ref_read, ref_write: `name`
};

struct Expr;

// An expression that is evaluated for itself, any number of times.
struct Block {
  std::vector<Expr*> parameters;
  Expr* root = nullptr;
  // For whoever makes graphs of it.
  Expr* owner = nullptr;
  Block* parent = nullptr;
  int depth = 0;
};

struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  std::string name;
  std::vector<Expr*> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<Block> blocks;  // never grows once filled
  std::vector<Attribute> patterns;
  std::optional<Tensor> constant;
  std::int64_t index = 0;
  Expr* self = nullptr;
  bool is_recursive = false;  // kLetVariable: there is a kSelf of it
  bool is_literal = false;    // kConstant: a number in the text
  // Declared or annotated; `type_text` where no Type says it whole.
  Type type;
  std::string type_text;
  std::string span;
  std::string variable;  // the first graph variable that names it: "0"
  Place place;
  // Counts expressions by their ends in the text: what one reads has a smaller number.
  std::uint64_t sequence = 0;
};

struct FunctionDef {
  std::string name;
  Expr* function = nullptr;  // kFunction
  Place place;
};

struct Module {
  std::deque<Expr> arena;
  std::vector<FunctionDef> functions;
  std::vector<std::string> types;                         // definitions, as in the text
  std::vector<std::pair<std::string, int>> constructors;  // and how many fields they have
  std::string version;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_TEXT_AST_H_
