// SPDX-License-Identifier: Apache-2.0
// The schemas of torch's operators: torch_schemas.txt, which is embedded in the program.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/support/result.h"
#include "importers/torch/script/script_type.h"

namespace dragoman::torch {

struct SchemaArgument {
  std::string name;
  ScriptType type;
  // Of "int[2]": a single number may stand for so many equal ones.
  std::optional<int> repeat;
  // none, int, double, bool, string, or a list of ints
  std::optional<Attribute> default_value;
  bool keyword_only = false;
  // "Tensor(a!)": the operator writes to it; "(a)": a result may share memory with it. Empty:
  // neither.
  std::string alias;

  bool mutated() const { return alias.find('!') != std::string::npos; }
};

// The default of an argument that has one, as the constant that stands for it: that of "int[2]
// stride=1" is a list. And the type of this constant.
Attribute DefaultConstant(const Attribute& value, const SchemaArgument& formal);
ScriptType TypeOfDefault(const Attribute& value, const ScriptType& formal);

struct Schema {
  std::string ns;        // "aten"
  std::string name;      // "add"
  std::string overload;  // "Tensor", or empty
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaArgument> results;  // names may be empty
  bool varargs = false;                 // any further arguments
  bool varresults = false;              // what comes out cannot be determined from the schema

  std::string FullName() const;  // "aten::add.Tensor"
};

// Errors: what does not follow torch's schema grammar.
Result<Schema> ParseSchema(std::string_view text);

// All schemas by name, parsed when they are asked for. Not for several threads at once.
class SchemaTable {
 public:
  SchemaTable();
  ~SchemaTable();

  // The overloads of "aten::add" in the order in which torch registers, and tries, them; empty: no
  // such operator. The schemas live as long as the table.
  const std::vector<Schema>& Find(std::string_view name);
  // One overload of an operator, or nullptr.
  const Schema* Find(std::string_view ns, std::string_view name, std::string_view overload);

 private:
  std::map<std::string_view, std::vector<std::string_view>> lines_;
  std::map<std::string, std::vector<Schema>, std::less<>> parsed_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCHEMA_SCHEMA_H_
