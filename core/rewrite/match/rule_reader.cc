// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/ir/domain.h"
#include "core/ir/parse.h"
#include "core/ir/text_scanner.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/rule_conditions.h"
#include "core/rewrite/match/rule_number.h"
#include "core/support/nearest_name.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr std::size_t kMostNodes = 64;   // of one side of a rule
constexpr std::size_t kMostCases = 256;  // of one rule, with its alternatives
constexpr int kMostCalls = 1'000;        // of formulas, in one of them

using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;

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

// One rule being read, with those of its alternatives that `choices` takes.
class RuleReader {
 public:
  RuleReader(TextScanner& scan, std::string_view text, const std::vector<RuleFormula>& formulas,
             RuleChoices& choices)
      : scan_(scan), text_(text), formulas_(formulas), choices_(choices) {}

  // "NAME($x, $y) = TERM", after the word `formula`.
  Result<RuleFormula> ReadFormula() {
    scan_.Peek();
    RuleFormula formula{.offset = scan_.offset()};
    DRAGOMAN_ASSIGN(formula.name, ReadRuleWord(scan_));
    if (FindOp(formula.name) != nullptr)
      return scan_.FailAt(formula.offset, formula.name + " is an operator");
    DRAGOMAN_TRY(scan_.Expect("("));
    do {
      DRAGOMAN_TRY(scan_.Expect("$"));
      DRAGOMAN_ASSIGN(const std::string parameter, ReadRuleWord(scan_));
      formula.parameters.push_back(parameter);
      parameters_[parameter] = {};
    } while (scan_.Accept(","));
    DRAGOMAN_TRY(scan_.Expect(")"));
    DRAGOMAN_TRY(scan_.Expect("="));
    formula.body = scan_.offset();
    graph_ = &rule_.pattern;
    DRAGOMAN_TRY(ReadAlternatives());
    return formula;
  }

  // One case of rule `name`, from its pattern on.
  Result<Rule> ReadCase(std::string name, std::size_t offset) {
    rule_.name = std::move(name);
    rule_.offset = offset;
    DRAGOMAN_TRY(ReadSide(rule_.pattern));
    names_of_pattern_ = std::exchange(names_, {});
    DRAGOMAN_TRY(FindRoots());
    DRAGOMAN_TRY(scan_.Expect("=>"));
    in_pattern_ = false;
    DRAGOMAN_TRY(ReadSide(rule_.replacement));
    if (scan_.AcceptWord("where")) {
      DRAGOMAN_TRY(ReadRuleConditions(scan_, text_, rule_, [&](const std::string& node) {
        const auto found = names_of_pattern_.find(node);
        return found != names_of_pattern_.end() ? std::optional(found->second.node) : std::nullopt;
      }));
    }
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
    DRAGOMAN_ASSIGN(RuleTerm term, ReadAlternatives());
    const bool is_node = term.kind == TermKind::kResult;
    const bool is_value = term.kind == TermKind::kCapture || term.kind == TermKind::kKept;
    if (!is_node && (in_pattern_ || !is_value)) {
      return scan_.FailAt(begin, in_pattern_
                                     ? "a pattern is an operator with operands, or a graph"
                                     : "a replacement is an operator, a capture or a graph");
    }
    if (is_node) graph.nodes[term.index].whole = true;
    graph.results.push_back(std::move(term));
    return {};
  }

  // After "(".
  Status ReadGraph() {
    std::vector<std::pair<std::string, std::size_t>> results;
    while (!scan_.Accept(")")) {
      if (!results.empty()) DRAGOMAN_TRY(scan_.Expect(","));
      scan_.Peek();
      const std::size_t offset = scan_.offset();
      const bool captured = !in_pattern_ && scan_.Accept("$");
      if (!captured) DRAGOMAN_TRY(scan_.Expect("%"));
      DRAGOMAN_ASSIGN(std::string name, ReadRuleWord(scan_));
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
      DRAGOMAN_ASSIGN(std::string name, ReadRuleWord(scan_));
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
      DRAGOMAN_ASSIGN(RuleTerm term, ReadAlternatives());
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

  // TERM | TERM | ..., of which one is taken; what the others add to the rule is dropped.
  Result<RuleTerm> ReadAlternatives() {
    if (!in_pattern_) return ReadTerm();
    const bool all_dropped = is_dropped_;
    const std::size_t place = all_dropped ? 0 : choices_.Enter();
    RuleTerm taken;
    std::size_t count = 0;
    do {
      const std::size_t captures = rule_.captures.size(), nodes = graph_->nodes.size();
      is_dropped_ = all_dropped || count != choices_.Taken(place);
      DRAGOMAN_ASSIGN(RuleTerm term, ReadTerm());
      if (is_dropped_) {
        rule_.captures.resize(captures);
        graph_->nodes.resize(nodes);
      } else {
        taken = std::move(term);
      }
      ++count;
    } while (scan_.Accept("|"));
    is_dropped_ = all_dropped;
    if (!all_dropped) choices_.Leave(place, count);
    return taken;
  }

  // A formula, of the terms in parentheses.
  Result<RuleTerm> ReadCall(const RuleFormula& formula) {
    const bool too_large = ++calls_ > kMostCalls || ++nested_ > static_cast<int>(kMostNodes);
    if (too_large) return scan_.Fail("formulas of formulas are too large");
    std::map<std::string, RuleTerm> terms;
    DRAGOMAN_TRY(scan_.Expect("("));
    for (const std::string& parameter : formula.parameters) {
      if (!terms.empty()) DRAGOMAN_TRY(scan_.Expect(","));
      DRAGOMAN_ASSIGN(terms[parameter], ReadAlternatives());
    }
    DRAGOMAN_TRY(scan_.Expect(")"));
    const std::size_t end = scan_.offset();
    std::swap(parameters_, terms);
    scan_.GoTo(formula.body);
    DRAGOMAN_ASSIGN(RuleTerm term, ReadAlternatives());
    std::swap(parameters_, terms);
    scan_.GoTo(end);
    --nested_;
    return term;
  }

  Result<RuleTerm> ReadTerm() {
    const char first = scan_.Peek();
    RuleTerm term;
    term.offset = scan_.offset();
    if (scan_.AcceptWord("_")) return term;
    if (first == '$') return ReadCapture(term.offset);
    if (scan_.Accept("%")) {
      DRAGOMAN_ASSIGN(const std::string name, ReadRuleWord(scan_));
      return Named(name, term.offset);
    }
    char after = '\0';
    const std::string_view word = scan_.PeekWord(&after);
    if (first == '[' || (after == '[' && DTypeFromName(word))) return ReadContents(std::move(term));
    if (AtRuleNumber(scan_)) return ReadNumberTerm(std::move(term));
    if (word.empty()) return scan_.Unexpected("an operand");
    const auto formula = std::ranges::find(formulas_, word, &RuleFormula::name);
    if (formula != formulas_.end() && after == '(') {
      scan_.AcceptWord(word);
      return ReadCall(*formula);
    }
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
    DRAGOMAN_ASSIGN(const std::string name, ReadRuleWord(scan_));
    if (const auto found = parameters_.find(name); found != parameters_.end()) return found->second;
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

  // In the replacement also what the pattern computes and leaves.
  Result<RuleTerm> Named(const std::string& name, std::size_t offset) {
    const auto found = names_.find(name);
    const auto kept = in_pattern_ ? names_of_pattern_.end() : names_of_pattern_.find(name);
    if (found == names_.end() && kept != names_of_pattern_.end()) {
      const auto& [node, result] = kept->second;
      const bool goes = std::ranges::find(rule_.roots, node) != rule_.roots.end();
      if (goes) return scan_.FailAt(offset, "%" + name + " is what the replacement stands for");
      return RuleTerm{.kind = TermKind::kKept, .index = node, .result = result, .offset = offset};
    }
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
    return FindRuleCapture(rule_, scan_, name, offset);
  }

  // In the pattern the first mention makes it.
  Result<std::size_t> Capture(const std::string& name, CaptureKind kind, std::size_t offset) {
    if (!parameters_.empty()) return scan_.FailAt(offset, "the formula has no parameter $" + name);
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

  // --- attributes

  Status ReadAttributes(RuleNode& node) {
    DRAGOMAN_TRY(scan_.Expect("{"));
    for (bool first = true; !scan_.Accept("}"); first = false) {
      if (!first) DRAGOMAN_TRY(scan_.Expect(","));
      scan_.Peek();
      const std::size_t offset = scan_.offset();
      if (scan_.Accept("$")) {
        DRAGOMAN_ASSIGN(const std::string name, ReadRuleWord(scan_));
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

  TextScanner& scan_;
  std::string_view text_;
  const std::vector<RuleFormula>& formulas_;
  RuleChoices& choices_;
  Rule rule_;
  RuleGraph* graph_ = nullptr;
  bool in_pattern_ = true;
  bool is_dropped_ = false;  // what is read is not of the alternative that is taken
  int nested_ = 0;
  int calls_ = 0;                               // of formulas
  std::map<std::string, RuleTerm> parameters_;  // of the formula that is being read
  std::map<std::string, NamedResult> names_;    // of the side that is being read
  std::map<std::string, NamedResult> names_of_pattern_;
  std::string first_label_;  // the operator that made the rule's scope
};

}  // namespace

std::size_t RuleChoices::Enter() {
  if (next_ == places_.size()) places_.emplace_back();
  return next_++;
}

bool RuleChoices::Advance() {
  next_ = 0;
  while (!places_.empty()) {
    if (++places_.back().taken < places_.back().count) return true;
    places_.pop_back();
  }
  return false;
}

Result<RuleFormula> ReadFormula(TextScanner& scan, std::string_view text,
                                const std::vector<RuleFormula>& formulas) {
  RuleChoices choices;
  return RuleReader(scan, text, formulas, choices).ReadFormula();
}

Result<std::vector<Rule>> ReadRule(TextScanner& scan, std::string_view text,
                                   const std::vector<RuleFormula>& formulas) {
  scan.Peek();
  const std::size_t offset = scan.offset();
  DRAGOMAN_ASSIGN(const std::string name, scan.Name());
  DRAGOMAN_TRY(scan.Expect(":"));
  std::vector<Rule> rules;
  do {
    const std::size_t begin = scan.offset();
    RuleChoices choices;
    do {
      scan.GoTo(begin);
      if (rules.size() == kMostCases)
        return scan.FailAt(offset, fmt::format("a rule has at most {} alternatives", kMostCases));
      RuleReader reader(scan, text, formulas, choices);
      DRAGOMAN_ASSIGN(rules.emplace_back(), reader.ReadCase(name, offset));
    } while (choices.Advance());
  } while (scan.AcceptWord("or"));
  const std::string_view next = scan.PeekWord();
  if (scan.AtEnd() || next == "rule" || next == "formula") return rules;
  return scan.Unexpected("\"where\", \"or\", \"rule\" or the end");
}

}  // namespace dragoman
