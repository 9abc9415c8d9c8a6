// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/ir/domain.h"
#include "core/ir/parse.h"
#include "core/ir/text_scanner.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/rule_number.h"
#include "core/support/nearest_name.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr std::size_t kMostNodes = 64;  // of one side of a rule

using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;
using ConditionKind = RuleCondition::Kind;

// The end of the value at the front of `text`: a comma or a bracket that it does not open.
std::size_t ValueLength(std::string_view text) {
  int depth = 0;
  std::size_t n = 0;
  while (n < text.size()) {
    const char c = text[n];
    if (depth == 0 && (c == ',' || c == ')' || c == '}')) break;
    if (c == '[' || c == '(' || c == '{') ++depth;
    if (c == ']' || c == ')' || c == '}') --depth;
    const std::size_t quoted = c == '"' ? QuotedLength(text.substr(n)) : 0;
    n += std::max<std::size_t>(quoted, 1);
  }
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n')) --n;
  return n;
}

// The length of the operator at the front of `text`: letters, points, parts in quotes, a star.
std::size_t LabelLength(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size()) {
    const std::size_t quoted = text[n] == '"' ? QuotedLength(text.substr(n)) : 0;
    const bool plain = IsPlainName(text.substr(n, 1)) || text[n] == ':' || text[n] == '*';
    if (quoted == 0 && !plain) break;
    n += std::max<std::size_t>(quoted, 1);
  }
  return n;
}

bool IsBare(std::string_view label) { return label.find_first_of(".:") == std::string_view::npos; }

// One rule being read.
class RuleReader {
 public:
  RuleReader(TextScanner& scan, std::string_view text) : scan_(scan), text_(text) {}

  // Behind the word `rule`.
  Result<Rule> Read() {
    scan_.Peek();
    rule_.offset = scan_.offset();
    DRAGOMAN_ASSIGN(rule_.name, scan_.Name());
    DRAGOMAN_TRY(scan_.Expect(":"));
    DRAGOMAN_TRY(ReadSide(rule_.pattern));
    names_of_pattern_ = std::exchange(names_, {});
    DRAGOMAN_TRY(FindRoots());
    DRAGOMAN_TRY(scan_.Expect("=>"));
    in_pattern_ = false;
    DRAGOMAN_TRY(ReadSide(rule_.replacement));
    if (scan_.AcceptWord("where")) DRAGOMAN_TRY(ReadConditions());
    if (!scan_.AtEnd() && scan_.PeekWord() != "rule")
      return scan_.Unexpected("\"where\", \"rule\" or the end");
    if (const auto fault = CheckRule(rule_)) return scan_.FailAt(fault->offset, fault->message);
    return std::move(rule_);
  }

 private:
  struct NamedResult {
    std::size_t node = 0;
    std::size_t result = 0;
  };

  // --- graphs

  // An expression, or (%a, %b) { statements }.
  Status ReadSide(RuleGraph& graph) {
    graph_ = &graph;
    scan_.Peek();
    const std::size_t begin = scan_.offset();
    if (scan_.Accept("(")) return ReadGraph();
    DRAGOMAN_ASSIGN(RuleTerm term, ReadTerm());
    const bool is_node = term.kind == TermKind::kResult;
    if (!is_node && (in_pattern_ || term.kind != TermKind::kCapture)) {
      return scan_.FailAt(begin, in_pattern_
                                     ? "a pattern is an operator with operands, or a graph"
                                     : "a replacement is an operator, a capture or a graph");
    }
    if (is_node) graph.nodes[term.index].whole = true;
    graph.results.push_back(std::move(term));
    return {};
  }

  // Behind "(".
  Status ReadGraph() {
    std::vector<std::pair<std::string, std::size_t>> results;
    while (!scan_.Accept(")")) {
      if (!results.empty()) DRAGOMAN_TRY(scan_.Expect(","));
      scan_.Peek();
      const std::size_t offset = scan_.offset();
      const bool captured = !in_pattern_ && scan_.Accept("$");
      if (!captured) DRAGOMAN_TRY(scan_.Expect("%"));
      DRAGOMAN_ASSIGN(std::string name, ReadWord());
      results.emplace_back((captured ? "$" : "%") + name, offset);
    }
    if (results.empty()) return scan_.Fail("a graph has at least one result");
    if (scan_.Accept("{")) {
      while (!scan_.Accept("}")) DRAGOMAN_TRY(ReadStatement());
    }
    for (const auto& [name, offset] : results) {
      DRAGOMAN_ASSIGN(RuleTerm term, name[0] == '$' ? Captured(name.substr(1), offset)
                                                    : Named(name.substr(1), offset));
      graph_->results.push_back(std::move(term));
    }
    return {};
  }

  // %a, _ = Op(…) {…}
  Status ReadStatement() {
    std::vector<std::pair<std::string, std::size_t>> results;
    do {
      scan_.Peek();
      const std::size_t offset = scan_.offset();
      if (scan_.AcceptWord("_")) {
        results.emplace_back("", offset);
        continue;
      }
      DRAGOMAN_TRY(scan_.Expect("%"));
      DRAGOMAN_ASSIGN(std::string name, ReadWord());
      results.emplace_back(std::move(name), offset);
    } while (scan_.Accept(","));
    DRAGOMAN_TRY(scan_.Expect("="));
    DRAGOMAN_ASSIGN(const std::size_t node, ReadNode());
    graph_->nodes[node].num_results = results.size();
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& [name, offset] = results[i];
      if (name.empty()) continue;
      if (!names_.emplace(name, NamedResult{node, i}).second)
        return scan_.FailAt(offset, "%" + name + " is defined twice");
    }
    return {};
  }

  Result<std::size_t> ReadNode() {
    scan_.Peek();
    RuleNode node;
    node.offset = scan_.offset();
    const std::size_t length = LabelLength(text_.substr(node.offset));
    node.label = text_.substr(node.offset, length);
    if (length == 0) return scan_.Unexpected("an operator");
    scan_.GoTo(node.offset + length);
    DRAGOMAN_TRY(SetOperator(node));
    DRAGOMAN_TRY(scan_.Expect("("));
    if (++nested_ > static_cast<int>(kMostNodes)) return scan_.Fail("operators nest too deep");
    while (!scan_.Accept(")")) {
      if (!node.operands.empty()) DRAGOMAN_TRY(scan_.Expect(","));
      DRAGOMAN_ASSIGN(RuleTerm term, ReadTerm());
      node.operands.push_back(std::move(term));
    }
    --nested_;
    if (scan_.Peek() == '{') DRAGOMAN_TRY(ReadAttributes(node));
    if (graph_->nodes.size() == kMostNodes)
      return scan_.FailAt(node.offset, "one side of a rule has at most 64 operators");
    graph_->nodes.push_back(std::move(node));
    return graph_->nodes.size() - 1;
  }

  // "Mul", "dragoman.Linear", "aten.add.Tensor", "onnx:com.example.*"
  Status SetOperator(RuleNode& node) {
    std::string label = node.label;
    const bool is_family = label.ends_with(".*");
    if (is_family) label.replace(label.size() - 1, 1, "any");
    const OpName* op = nullptr;
    if (IsBare(label) || label.starts_with("dragoman.")) {
      const OpDef* def = is_family ? nullptr : FindOp(label);
      if (def == nullptr) return scan_.FailAt(node.offset, UnknownOperator(node.label));
      op = def->name;
    } else {
      TextScanner words(label);
      const Result<const OpName*> read = words.Op();
      if (!read.ok() || !words.AtEnd()) {
        return scan_.FailAt(node.offset,
                            "expected an operator such as Conv, onnx.Conv or onnx:my.domain.Conv");
      }
      op = *read;
    }
    (is_family ? node.family : node.op) = op;
    return NoteScope(node, *op);
  }

  static std::string UnknownOperator(const std::string& label) {
    std::vector<std::string> labels;
    for (const OpDef* def : AllOps()) labels.push_back(def->Label());
    return "the common dialect has no operator " + label + DidYouMean(label, labels) +
           "; one of a file has its dialect in front, as in onnx." + label;
  }

  // Operators of one rule are all of a file or all of the common dialect.
  Status NoteScope(const RuleNode& node, const OpName& op) {
    const bool is_common = IsBare(node.label) || op.dialect == "dragoman";
    if (!is_common && op.dialect == "onnx" && !IsDefaultDomain(op.domain)) return {};
    const Rule::Scope scope = is_common ? Rule::Scope::kCommon : Rule::Scope::kSource;
    if (rule_.scope == Rule::Scope::kEither) {
      rule_.scope = scope;
      first_label_ = node.label;
    }
    if (rule_.scope == scope) return {};
    const auto& [common, source] =
        is_common ? std::pair(node.label, first_label_) : std::pair(first_label_, node.label);
    return scan_.FailAt(node.offset, source + " is of the graph of a file, " + common +
                                         " of the common graph; a rule is about one of them");
  }

  // --- operands

  Result<RuleTerm> ReadTerm() {
    const char first = scan_.Peek();
    RuleTerm term;
    term.offset = scan_.offset();
    if (scan_.AcceptWord("_")) return term;
    if (first == '$') return ReadCapture(term.offset);
    if (scan_.Accept("%")) {
      DRAGOMAN_ASSIGN(const std::string name, ReadWord());
      return Named(name, term.offset);
    }
    char after = '\0';
    const std::string_view word = scan_.PeekWord(&after);
    if (first == '[' || (after == '[' && DTypeFromName(word))) return ReadContents(std::move(term));
    if (AtRuleNumber(scan_)) return ReadNumberTerm(std::move(term));
    if (word.empty()) return scan_.Unexpected("an operand");
    DRAGOMAN_ASSIGN(term.index, ReadNode());
    term.kind = TermKind::kResult;
    return term;
  }

  Result<RuleTerm> ReadNumberTerm(RuleTerm term) {
    DRAGOMAN_ASSIGN(term.number, ReadNumber());
    term.kind = TermKind::kNumber;
    if (in_pattern_ && !term.number.is_literal())
      return scan_.FailAt(term.offset, "a number of a pattern is made of numbers alone");
    return term;
  }

  Result<RuleNumber> ReadNumber() {
    return ReadRuleNumber(scan_, text_, [&](std::string_view name, std::size_t offset) {
      return FindCaptured(name, offset);
    });
  }

  // [1, -1] or f32[2] [0.5, 1.0]
  Result<RuleTerm> ReadContents(RuleTerm term) {
    DRAGOMAN_ASSIGN(const Attribute value, ReadPlainValue());
    if (const auto* ints = value.As<Attribute::Ints>()) {
      term.kind = TermKind::kInts;
      term.ints = *ints;
      return term;
    }
    if (value.tensor() == nullptr)
      return scan_.FailAt(term.offset, "an operand is a list of integers or a tensor");
    term.kind = TermKind::kTensor;
    term.tensor = *value.tensor();
    return term;
  }

  // $x, $x?, $x..., and on the right also $x + 1
  Result<RuleTerm> ReadCapture(std::size_t offset) {
    scan_.Accept("$");
    DRAGOMAN_ASSIGN(const std::string name, ReadWord());
    CaptureKind kind = CaptureKind::kValue;
    if (scan_.AtRaw("...")) {
      scan_.Accept("...");
      kind = CaptureKind::kValues;
    } else if (scan_.AtRaw("?")) {
      scan_.Accept("?");
      kind = CaptureKind::kOptional;
    }
    const char next = scan_.Peek();
    if (!in_pattern_ && (next == '+' || next == '-' || next == '*' || next == '/')) {
      scan_.GoTo(offset);
      return ReadNumberTerm({.kind = TermKind::kNumber, .offset = offset});
    }
    RuleTerm term{.kind = TermKind::kCapture, .offset = offset};
    DRAGOMAN_ASSIGN(term.index, Capture(name, kind, offset));
    return term;
  }

  Result<RuleTerm> Named(const std::string& name, std::size_t offset) {
    const auto found = names_.find(name);
    if (found == names_.end()) return scan_.FailAt(offset, "%" + name + " is not defined before");
    return RuleTerm{.kind = TermKind::kResult,
                    .index = found->second.node,
                    .result = found->second.result,
                    .offset = offset};
  }

  Result<RuleTerm> Captured(const std::string& name, std::size_t offset) {
    RuleTerm term{.kind = TermKind::kCapture, .offset = offset};
    DRAGOMAN_ASSIGN(term.index, FindCaptured(name, offset));
    return term;
  }

  // --- captures

  Result<std::size_t> FindCaptured(std::string_view name, std::size_t offset) {
    const auto found = std::ranges::find(rule_.captures, name, &RuleCapture::name);
    if (found != rule_.captures.end())
      return static_cast<std::size_t>(found - rule_.captures.begin());
    std::vector<std::string> names;
    for (const RuleCapture& capture : rule_.captures) names.push_back("$" + capture.name);
    const std::string shown = "$" + std::string(name);
    return scan_.FailAt(offset,
                        "the pattern has no " + shown + WhatThereIs(shown, "it has", names));
  }

  // In the pattern the first mention makes it.
  Result<std::size_t> Capture(const std::string& name, CaptureKind kind, std::size_t offset) {
    const auto found = std::ranges::find(rule_.captures, name, &RuleCapture::name);
    if (found == rule_.captures.end()) {
      if (!in_pattern_) return FindCaptured(name, offset);
      rule_.captures.push_back({name, kind, offset});
      return rule_.captures.size() - 1;
    }
    const bool one_value = kind == CaptureKind::kValue && found->kind == CaptureKind::kOptional;
    const bool as_operand =
        !in_pattern_ && kind == CaptureKind::kValue && found->kind == CaptureKind::kAttribute;
    const bool as_attribute =
        !in_pattern_ && kind == CaptureKind::kAttribute && found->kind <= CaptureKind::kOptional;
    if (found->kind != kind && !one_value && !as_operand && !as_attribute) {
      return scan_.FailAt(offset, "$" + name + " is " + Describe(kind) + " here and " +
                                      Describe(found->kind) + " before");
    }
    return static_cast<std::size_t>(found - rule_.captures.begin());
  }

  static std::string Describe(CaptureKind kind) {
    switch (kind) {
      case CaptureKind::kValue:
        return "an operand";
      case CaptureKind::kOptional:
        return "an optional operand";
      case CaptureKind::kValues:
        return "a list of operands";
      case CaptureKind::kAttribute:
        return "an attribute";
      case CaptureKind::kAttributes:
        return "a list of attributes";
    }
    return "";
  }

  // --- attributes

  Status ReadAttributes(RuleNode& node) {
    DRAGOMAN_TRY(scan_.Expect("{"));
    for (bool first = true; !scan_.Accept("}"); first = false) {
      if (!first) DRAGOMAN_TRY(scan_.Expect(","));
      scan_.Peek();
      const std::size_t offset = scan_.offset();
      if (scan_.Accept("$")) {
        DRAGOMAN_ASSIGN(const std::string name, ReadWord());
        DRAGOMAN_TRY(scan_.Expect("..."));
        DRAGOMAN_ASSIGN(node.others, Capture(name, CaptureKind::kAttributes, offset));
        continue;
      }
      RuleAttribute attribute{.offset = offset};
      DRAGOMAN_ASSIGN(attribute.name, scan_.Key());
      DRAGOMAN_TRY(scan_.Expect("="));
      DRAGOMAN_TRY(ReadAttributeValue(attribute));
      const auto same = std::ranges::find(node.attributes, attribute.name, &RuleAttribute::name);
      if (same != node.attributes.end())
        return scan_.FailAt(offset, "attribute " + attribute.name + " is stated twice");
      node.attributes.push_back(std::move(attribute));
    }
    return {};
  }

  // $a; a value as in the text of a graph; on the right what is computed from captures.
  Status ReadAttributeValue(RuleAttribute& attribute) {
    scan_.Peek();
    const std::size_t begin = scan_.offset();
    const std::string_view value = text_.substr(begin, ValueLength(text_.substr(begin)));
    if (value.starts_with("$") && IsIdentifier(value.substr(1))) {
      scan_.GoTo(begin + value.size());
      DRAGOMAN_ASSIGN(attribute.capture,
                      Capture(std::string(value.substr(1)), CaptureKind::kAttribute, begin));
      return {};
    }
    if (const Result<Attribute> plain = ParseAttribute(value); plain.ok()) {
      scan_.GoTo(begin + value.size());
      attribute.value = *plain;
      return {};
    }
    if (!AtRuleNumber(scan_) && scan_.Peek() != '$') return ReadPlainValue().error();
    DRAGOMAN_ASSIGN(RuleNumber number, ReadNumber());
    if (in_pattern_ && !number.is_literal())
      return scan_.FailAt(begin, "an attribute of a pattern is a value or a capture");
    attribute.number = std::move(number);
    return {};
  }

  Result<Attribute> ReadPlainValue() {
    scan_.Peek();
    const std::size_t begin = scan_.offset();
    const std::string_view text = text_.substr(begin, ValueLength(text_.substr(begin)));
    Result<Attribute> value = ParseAttribute(text);
    if (!value.ok()) {
      const std::string message = value.error().findings().front().message;
      return scan_.FailAt(begin, message.substr(0, message.find('\n')));
    }
    scan_.GoTo(begin + text.size());
    return value;
  }

  // --- conditions

  Status ReadConditions() {
    do {
      scan_.Peek();
      RuleCondition condition{.offset = scan_.offset()};
      DRAGOMAN_TRY(ReadCondition(condition));
      rule_.conditions.push_back(std::move(condition));
    } while (scan_.Accept(",") || scan_.AcceptWord("and"));
    return {};
  }

  Status ReadCondition(RuleCondition& condition) {
    struct Word {
      std::string_view word;
      ConditionKind kind;
    };
    static constexpr Word kWords[] = {{"scalar", ConditionKind::kScalar},
                                      {"constant", ConditionKind::kConstant},
                                      {"input", ConditionKind::kInput}};
    for (const auto& [word, kind] : kWords) {
      if (!scan_.AcceptWord(word)) continue;
      condition.kind = kind;
      DRAGOMAN_TRY(scan_.Expect("("));
      DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
      return scan_.Expect(")");
    }
    if (scan_.AcceptWord("same_shape")) return ReadSameShape(condition);
    if (scan_.AcceptWord("dtype")) return ReadDTypes(condition);
    if (scan_.AcceptWord("shared")) return ReadShared(condition);
    return ReadComparison(condition);
  }

  Result<std::size_t> ReadOperandCapture() {
    scan_.Peek();
    const std::size_t offset = scan_.offset();
    DRAGOMAN_TRY(scan_.Expect("$"));
    DRAGOMAN_ASSIGN(const std::string name, ReadWord());
    DRAGOMAN_ASSIGN(const std::size_t capture, FindCaptured(name, offset));
    if (rule_.captures[capture].kind > CaptureKind::kOptional)
      return scan_.FailAt(offset, "$" + name + " is " + Describe(rule_.captures[capture].kind) +
                                      ", expected an operand");
    return capture;
  }

  Status ReadSameShape(RuleCondition& condition) {
    condition.kind = ConditionKind::kSameShape;
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
    DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_ASSIGN(condition.other, ReadOperandCapture());
    return scan_.Expect(")");
  }

  // dtype($x) = f16 | f32
  Status ReadDTypes(RuleCondition& condition) {
    condition.kind = ConditionKind::kDType;
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
    DRAGOMAN_TRY(scan_.Expect(")"));
    DRAGOMAN_TRY(scan_.Expect("="));
    do {
      const std::string word(scan_.PeekWord());
      const std::optional<DType> dtype = DTypeFromName(word);
      if (!dtype) return scan_.Unexpected("an element type");
      scan_.AcceptWord(word);
      condition.dtypes.push_back(*dtype);
    } while (scan_.Accept("|"));
    return {};
  }

  // shared or shared(%e)
  Status ReadShared(RuleCondition& condition) {
    condition.kind = ConditionKind::kShared;
    if (!scan_.Accept("(")) return {};
    scan_.Peek();
    const std::size_t offset = scan_.offset();
    DRAGOMAN_TRY(scan_.Expect("%"));
    DRAGOMAN_ASSIGN(const std::string name, ReadWord());
    const auto found = names_of_pattern_.find(name);
    if (found == names_of_pattern_.end())
      return scan_.FailAt(offset, "the pattern has no %" + name);
    condition.node = found->second.node;
    return scan_.Expect(")");
  }

  Status ReadComparison(RuleCondition& condition) {
    condition.kind = ConditionKind::kCompare;
    if (!AtRuleNumber(scan_) && scan_.Peek() != '$')
      return scan_.Unexpected("a condition such as scalar($a), $a > 0 or rank($x) = 4");
    DRAGOMAN_ASSIGN(condition.left, ReadNumber());
    for (const std::string_view sign : {"<=", ">=", "!=", "=", "<", ">"}) {
      if (!scan_.Accept(sign)) continue;
      condition.comparison = sign;
      DRAGOMAN_ASSIGN(condition.right, ReadNumber());
      return {};
    }
    return scan_.Unexpected("a comparison");
  }

  // --- the whole

  // Which nodes give results; the others must lead to them.
  Status FindRoots() {
    const RuleGraph& pattern = rule_.pattern;
    std::vector<bool> read(pattern.nodes.size(), false);
    for (const RuleTerm& result : pattern.results) {
      if (std::ranges::find(rule_.roots, result.index) == rule_.roots.end())
        rule_.roots.push_back(result.index);
      read[result.index] = true;
    }
    for (const RuleNode& node : pattern.nodes) {
      for (const RuleTerm& term : node.operands) {
        if (term.kind == TermKind::kResult) read[term.index] = true;
      }
    }
    const auto unread = std::ranges::find(read, false);
    if (unread == read.end()) return {};
    const RuleNode& node = pattern.nodes[static_cast<std::size_t>(unread - read.begin())];
    return scan_.FailAt(node.offset,
                        "the pattern's result is not computed from this " + node.label);
  }

  Result<std::string> ReadWord() {
    std::string word(scan_.PeekWord());
    if (word.empty()) return scan_.Unexpected("a name");
    scan_.AcceptWord(word);
    return word;
  }

  TextScanner& scan_;
  std::string_view text_;
  Rule rule_;
  RuleGraph* graph_ = nullptr;
  bool in_pattern_ = true;
  int nested_ = 0;
  std::map<std::string, NamedResult> names_;  // of the side that is being read
  std::map<std::string, NamedResult> names_of_pattern_;
  std::string first_label_;  // the operator that made the rule's scope
};

}  // namespace

Result<Rule> ReadRule(TextScanner& scan, std::string_view text) {
  return RuleReader(scan, text).Read();
}

}  // namespace dragoman
