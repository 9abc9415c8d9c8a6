// SPDX-License-Identifier: Apache-2.0
// TensorFlow's registry of operators (op_registry.txt, which is embedded in the program): the
// arguments of each and the defaults of its attributes, which files may leave out.
//
// A line is: name, inputs, outputs, attributes, "stateful", parted by tabs, of TensorFlow 2.14.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_SCHEMA_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_SCHEMA_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/graph.h"

namespace dragoman::tf {

struct ArgSchema {
  std::string name;
  std::string type;            // "float", or the attribute that says it; empty with type_list_attr
  std::string number_attr;     // so many of the type
  std::string type_list_attr;  // one of each of these types
  bool is_ref = false;
};

struct AttrSchema {
  std::string name;
  std::string kind;  // "int", "type", "list(shape)", …
  std::optional<Attribute> default_value;
};

struct OpSchema {
  std::string name;
  std::vector<ArgSchema> inputs;
  std::vector<ArgSchema> outputs;
  std::vector<AttrSchema> attributes;
  bool is_stateful = false;
};

// nullptr: TensorFlow has no such operator. Safe for several threads.
const OpSchema* FindOpSchema(std::string_view op);

// The type that the registry calls so: "float", "resource".
Type NamedType(std::string_view name);

// The node's own attribute, else the registry's default, else nullptr.
const Attribute* AttributeOf(const Node& node, std::string_view name);

// How many values `arg` of the node's operator stands for; nullopt if the node lacks the attribute
// that says it.
std::optional<std::size_t> CountOf(const Node& node, const ArgSchema& arg);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_OP_SCHEMA_H_
