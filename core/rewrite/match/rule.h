// SPDX-License-Identifier: Apache-2.0
// A rewrite as a value: the little graph that is looked for, the one that takes its place, and the
// conditions. read_rules.h reads it from text, match_rule.h and apply_rule.h use it.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/dtype.h"
#include "core/ir/graph.h"
#include "core/ir/tensor.h"

namespace dragoman {

// What a name with a $ stands for.
struct RuleCapture {
  enum class Kind : std::uint8_t {
    kValue,       // $x: the value that an operand is
    kOptional,    // $x?: the same, or that the operand is omitted
    kValues,      // $x...: all further operands
    kAttribute,   // {name = $x}: the value of an attribute
    kAttributes,  // {$x...}: all attributes that are not listed
  };
  std::string name;
  Kind kind = Kind::kValue;
  std::size_t offset = 0;

  bool is_operand() const { return kind <= Kind::kValues; }
};
// "an operand", "a list of attributes"
std::string Describe(RuleCapture::Kind kind);

// A number, or what is computed from numbers that were captured.
struct RuleNumber {
  enum class Kind : std::uint8_t {
    kLiteral,
    kCapture,  // a constant of one element, or an attribute
    kRank,
    kSize,   // along axis `literal`
    kEvery,  // that all elements of a constant are
    kNegative,
    kRoot,
    kSum,
    kDifference,
    kProduct,
    kQuotient,
  };
  Kind kind = Kind::kLiteral;
  double literal = 0;
  std::size_t capture = 0;  // of kCapture, kRank, kSize
  std::vector<RuleNumber> parts = {};
  std::size_t offset = 0;

  bool is_literal() const { return kind == Kind::kLiteral; }
};

// An operand of a node of a rule, or a result of one of its graphs.
struct RuleTerm {
  enum class Kind : std::uint8_t {
    kOmitted,
    kCapture,
    kResult,
    kKept,  // of a node of the pattern, in the replacement
    kNumber,
    kInts,
    kTensor
  };
  Kind kind = Kind::kOmitted;
  std::size_t index = 0;   // of the capture, or of the node
  std::size_t result = 0;  // of that node
  RuleNumber number;
  std::vector<std::int64_t> ints;
  Tensor tensor;
  std::size_t offset = 0;
};

// Of the three the first that is there says what the attribute is.
struct RuleAttribute {
  std::string name;
  std::optional<std::size_t> capture;
  std::optional<RuleNumber> number;
  Attribute value;
  std::size_t offset = 0;
};

struct RuleNode {
  const OpName* op = nullptr;      // nullptr: any operator of the dialect and domain
  const OpName* family = nullptr;  // these, where `op` is nullptr
  std::string label;               // as the rule writes it
  std::vector<RuleTerm> operands;
  std::vector<RuleAttribute> attributes;
  std::optional<std::size_t> others;  // the capture of all other attributes
  std::size_t num_results = 1;
  bool whole = false;  // a root that has as many results as what it is matched with
  std::size_t offset = 0;
};

// Operands come before what reads them.
struct RuleGraph {
  std::vector<RuleNode> nodes;
  std::vector<RuleTerm> results;
};

struct RuleCondition {
  enum class Kind : std::uint8_t {
    kScalar,     // a constant of one element
    kConstant,   // has known contents
    kInput,      // of the graph
    kSameShape,  // of two values
    kDType,      // is one of `dtypes`
    kShared,     // nodes besides the roots may have other readers; or only `node`
    kDiffers,    // the sides need not give the same
    kCompare,    // left OPERATOR right
  };
  Kind kind = Kind::kScalar;
  std::size_t capture = 0;
  std::size_t other = 0;
  std::optional<std::size_t> node;
  std::vector<DType> dtypes;
  std::string comparison;  // "=", "!=", "<", "<=", ">", ">="
  RuleNumber left, right;
  std::size_t offset = 0;
};

struct Rule {
  // The graphs that a rule is about, as the names of its operators say.
  enum class Scope : std::uint8_t {
    kSource,  // dialects of files
    kCommon,  // operators without a dialect, or of domain dragoman
    kEither,  // only operators of other domains, which both have
  };
  std::string name;
  Scope scope = Scope::kEither;
  std::vector<RuleCapture> captures;
  RuleGraph pattern;
  RuleGraph replacement;
  std::vector<RuleCondition> conditions;
  std::vector<std::size_t> roots;  // nodes of the pattern that give its results, each once
  std::size_t offset = 0;

  // Whether node `node` of the pattern gives one of its results.
  bool IsRoot(std::size_t node) const;
  // Whether values inside of the pattern, of that node, may have readers outside of it.
  bool MayBeShared(std::size_t node) const;
  // Whether the rule is meant to change what a model gives.
  bool MayDiffer() const;
  // Whether an operand stands for all further ones.
  bool IsList(const RuleTerm& operand) const;
};

// Whether both sides are made of elementwise operators on the same captures, so that their results
// have the same sizes whatever the captures have.
bool BroadcastAlike(const Rule& rule);

// Rules by the operator of their first root.
class RuleSet {
 public:
  RuleSet() = default;
  explicit RuleSet(std::vector<Rule> rules);

  const std::vector<Rule>& rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }
  bool Has(Rule::Scope scope) const;
  // The numbers of those that may begin at a node of operator `op`, in the order of the text.
  const std::vector<std::size_t>& BeginningWith(const OpName& op) const;

 private:
  std::vector<Rule> rules_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_type_;
  std::vector<std::size_t> of_any_type_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_H_
