// SPDX-License-Identifier: Apache-2.0
// The classes and functions of an archive by qualified name, parsed file by file when they are
// asked for.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PROGRAM_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PROGRAM_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/schema/schema.h"
#include "importers/torch/script/ast.h"
#include "importers/torch/script/script_type.h"
#include "importers/torch/script/source_ranges.h"

namespace dragoman::torch {

// CONSTANTS.c0, c1, … as the `value` of a prim.Constant, with their types.
using ConstantTable = std::vector<std::pair<Attribute, ScriptType>>;

// A parsed code file and where its text comes from.
struct CodeFile {
  SourceFile source;
  SourceRanges ranges;
};

struct ScriptClass {
  enum class Kind { kModule, kClass, kNamedTuple, kEnum, kInterface };

  Kind kind = Kind::kClass;
  std::string name;  // qualified
  const ClassDef* def = nullptr;
  const CodeFile* file = nullptr;

  const FunctionDef* FindMethod(std::string_view method) const;
  const Member* FindMember(std::string_view member) const;
};

// A function and the file whose text it is.
struct ScriptFunction {
  std::string name;  // qualified: "__torch__.m.Net.forward"
  const FunctionDef* def = nullptr;
  const CodeFile* file = nullptr;
};

class Program {
 public:
  explicit Program(const Archive& archive) : archive_(archive) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // What defaults of arguments may name; `constants` outlives the Program.
  void set_constants(const ConstantTable& constants) { constants_ = &constants; }

  // nullptr: there is none, or its file is damaged, which findings() then report.
  const ScriptClass* FindClass(const std::string& qualified_name);
  std::optional<ScriptFunction> FindFunction(const std::string& qualified_name);
  std::optional<ScriptFunction> FindMethod(const std::string& class_name, std::string_view method);

  // The type of a class, interface, NamedTuple or enum of the archive, or of torch's own C++
  // classes.
  std::optional<ScriptType> ResolveName(const std::string& qualified_name);
  Result<ScriptType> ResolveType(const Expr& expr);
  // A type as pickles write it.
  Result<ScriptType> ResolveTypeText(std::string_view text);
  // Of an attribute; nullopt: the class has none of that name.
  std::optional<ScriptType> AttributeType(const ScriptClass& owner, std::string_view attribute);
  // Whether `class_name` has every method of `interface`.
  bool Implements(const std::string& class_name, const std::string& interface);

  // The arguments, `self` included, and the result of a function; a type that is not written is
  // Tensor. Errors: types that are none, defaults that are neither literals nor constants.
  Result<const Schema*> SignatureOf(const ScriptFunction& function);

  // Every class that was found so far, sorted by name.
  std::vector<const ScriptClass*> Classes() const;
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::optional<Attribute> DefaultOf(const Expr& expr) const;
  const CodeFile* FindFile(const std::string& qualifier);

  const Archive& archive_;
  const ConstantTable* constants_ = nullptr;
  std::map<std::string, std::unique_ptr<CodeFile>> files_;
  std::map<std::string, std::unique_ptr<ScriptClass>> classes_;
  std::map<std::string, std::unique_ptr<Schema>> signatures_;
  std::map<std::pair<std::string, std::string>, bool> implements_;
  std::set<std::string> resolving_;
  std::vector<Finding> findings_;
};

// The value of a literal: numbers, strings, None, booleans, and lists, tuples and dicts of them
// (lists and tuples as mixed lists); nullopt: it is none.
std::optional<Attribute> LiteralOf(const Expr& expr);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PROGRAM_H_
