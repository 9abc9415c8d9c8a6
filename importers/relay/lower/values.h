// SPDX-License-Identifier: Apache-2.0
// What Relay has beside tensors and tuples: functions, constructors, and the values of algebraic
// types, which are tuples that begin with their constructor.
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_VALUES_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_VALUES_H_

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/lowering/abstract.h"

namespace dragoman::relay {

struct Frame;

// A function and the variables around it.
class Closure : public ForeignValue {
 public:
  Closure(const Graph* body, const Frame* environment, std::string label)
      : body(body), environment(environment), label(std::move(label)) {}

  std::string Describe() const override { return "a function"; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* function = dynamic_cast<const Closure*>(&other);
    return function != nullptr && function->body == body && function->environment == environment;
  }

  const Graph* body;
  const Frame* environment;                     // nullptr: of the module
  std::string label;                            // "@main", "%while_loop"
  std::string self;                             // what relay.Self calls it in its body
  const Attribute::Dict* attributes = nullptr;  // Primitive, Composite, …

  // Of a function that groups what one operator of another library computes; else "". Groups of
  // our own are what a rewrite makes of their members, and are found again.
  std::string GroupName() const;
};

// A constructor as a function, or in front of the fields of a value.
class Constructor : public ForeignValue {
 public:
  explicit Constructor(std::string name) : name(std::move(name)) {}
  std::string Describe() const override { return "constructor " + name; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* constructor = dynamic_cast<const Constructor*>(&other);
    return constructor != nullptr && constructor->name == name;
  }

  std::string name;
};

// The items of a list of Cons and Nil; nullopt: it is none.
std::optional<std::vector<Abstract>> ItemsOf(const Abstract& list);

// An operator as a function.
class OperatorValue : public ForeignValue {
 public:
  explicit OperatorValue(std::string name) : name(std::move(name)) {}
  std::string Describe() const override { return "operator " + name; }
  bool IsSame(const ForeignValue& other) const override {
    const auto* op = dynamic_cast<const OperatorValue*>(&other);
    return op != nullptr && op->name == name;
  }

  std::string name;
};

// One call of a function. Its bodies of conditions and matches share it.
struct Frame {
  std::optional<Closure> function;
  const Frame* outer = nullptr;  // of the environment
  std::string path;              // the calls around it: "@f/%g"
  std::unordered_map<const Value*, Abstract> values;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_VALUES_H_
