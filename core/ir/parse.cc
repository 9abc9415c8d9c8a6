// SPDX-License-Identifier: Apache-2.0
#include "core/ir/parse.h"

#include <algorithm>

#include "core/ir/text_reader.h"

namespace dragoman {

Result<Model> TextReader::ReadModel() {
  Model model;
  DRAGOMAN_TRY(ReadHeader(model));
  while (!scan_.AtEnd()) {
    if (scan_.AcceptWord("entry")) {
      DRAGOMAN_TRY(ReadEntry(model));
    } else if (scan_.AcceptWord("function")) {
      DRAGOMAN_TRY(ReadFunction(model));
    } else if (scan_.AcceptWord("graph")) {
      DRAGOMAN_TRY(ReadBareGraph(model));
    } else if (scan_.AcceptWord("origins")) {
      DRAGOMAN_TRY(ReadOrigins());
    } else {
      return scan_.Unexpected("\"entry\", \"function\", \"graph\" or \"origins\"");
    }
  }
  if (model.entries.empty()) return scan_.Unexpected("\"entry\" or \"graph\": a model has one");
  DRAGOMAN_TRY(AttachOrigins());
  return model;
}

Status TextReader::ReadHeader(Model& model) {
  if (!scan_.AcceptWord("dragoman")) {
    model.level = Level::kCommon;
    model.opsets = {{"", kCommonOpset}};
    return {};
  }
  DRAGOMAN_ASSIGN(const std::int64_t version, scan_.Int());
  if (version != 1) {
    return scan_.Fail("this is version " + std::to_string(version) +
                      " of the text form; this program reads version 1");
  }
  if (scan_.AcceptWord("common")) {
    model.level = Level::kCommon;
  } else if (!scan_.AcceptWord("source")) {
    return scan_.Unexpected("\"source\" or \"common\"");
  }
  DRAGOMAN_ASSIGN(model.dialect, scan_.Key());
  return ReadHeaderLines(model);
}

Status TextReader::ReadHeaderLines(Model& model) {
  while (true) {
    if (scan_.AcceptWord("opset")) {
      DRAGOMAN_ASSIGN(OpsetImport opset, ReadOpset());
      model.opsets.push_back(std::move(opset));
    } else if (scan_.AcceptWord("metadata")) {
      DRAGOMAN_ASSIGN(std::string key, scan_.String());
      DRAGOMAN_TRY(scan_.Expect("="));
      DRAGOMAN_ASSIGN(std::string value, scan_.String());
      model.metadata.emplace_back(std::move(key), std::move(value));
    } else if (scan_.AcceptWord("state")) {
      DRAGOMAN_TRY(ReadState(model));
    } else if (scan_.PeekWord() == "extra") {
      DRAGOMAN_ASSIGN(model.extra, ReadExtra());
    } else {
      return {};
    }
  }
}

Result<OpsetImport> TextReader::ReadOpset() {
  OpsetImport opset;
  DRAGOMAN_ASSIGN(opset.domain, scan_.String());
  DRAGOMAN_ASSIGN(opset.version, scan_.Int());
  return opset;
}

Status TextReader::ReadState(Model& model) {
  State state;
  DRAGOMAN_ASSIGN(state.name, scan_.Key());
  if (scan_.Accept(":")) {
    DRAGOMAN_ASSIGN(state.type, scan_.ReadType());
  }
  DRAGOMAN_TRY(scan_.Expect("="));
  DRAGOMAN_ASSIGN(state.initial, ReadValue(nullptr));
  model.states.push_back(std::move(state));
  return {};
}

Status TextReader::ReadBareGraph(Model& model) {
  Entry entry;
  entry.name = "main";
  entry.graph = std::make_unique<Graph>();
  if (scan_.Peek() != '(') {
    DRAGOMAN_ASSIGN(std::string name, scan_.Name());
    entry.graph->set_name(std::move(name));
  }
  Scope scope;
  DRAGOMAN_TRY(ReadSignature(*entry.graph, scope));
  DRAGOMAN_TRY(ReadBody(*entry.graph, scope));
  DRAGOMAN_TRY(Close(scope, nullptr));
  model.entries.push_back(std::move(entry));
  return {};
}

Status TextReader::ReadEntry(Model& model) {
  Entry entry;
  entry.graph = std::make_unique<Graph>();
  DRAGOMAN_ASSIGN(entry.name, scan_.Key());
  std::string graph_name = entry.name;
  if (scan_.Accept("@")) {
    DRAGOMAN_ASSIGN(graph_name, scan_.Name());
  }
  entry.graph->set_name(std::move(graph_name));
  Scope scope;
  DRAGOMAN_TRY(ReadSignature(*entry.graph, scope));
  DRAGOMAN_TRY(ReadEntryClauses(entry));
  DRAGOMAN_TRY(ReadBody(*entry.graph, scope));
  DRAGOMAN_TRY(Close(scope, nullptr));
  model.entries.push_back(std::move(entry));
  return {};
}

Status TextReader::ReadEntryClauses(Entry& entry) {
  while (scan_.Peek() != '{') {
    if (scan_.AcceptWord("arguments")) {
      DRAGOMAN_TRY(ReadStructures(entry.arguments, 1));
    } else if (scan_.AcceptWord("results")) {
      DRAGOMAN_TRY(ReadStructures(entry.results, 1));
    } else if (scan_.AcceptWord("state")) {
      StateBinding binding;
      DRAGOMAN_ASSIGN(binding.state, scan_.Index());
      DRAGOMAN_TRY(scan_.Expect("input"));
      DRAGOMAN_ASSIGN(binding.input, scan_.Index());
      DRAGOMAN_TRY(scan_.Expect("->"));
      DRAGOMAN_TRY(scan_.Expect("output"));
      DRAGOMAN_ASSIGN(binding.output, scan_.Index());
      entry.states.push_back(binding);
    } else {
      return scan_.Unexpected("\"{\", \"arguments\", \"results\" or \"state\"");
    }
  }
  return {};
}

Status TextReader::ReadStructures(std::vector<Structure>& structures, int nesting) {
  DRAGOMAN_TRY(scan_.Expect("("));
  for (bool first = true; !scan_.Accept(")"); first = false) {
    if (!first) DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_ASSIGN(Structure structure, ReadStructure(nesting));
    structures.push_back(std::move(structure));
  }
  return {};
}

Result<Structure> TextReader::ReadStructure(int nesting) {
  if (nesting > Type::kMaxNesting) return scan_.Fail("structures nest too deep");
  Structure structure;
  DRAGOMAN_ASSIGN(std::string word, scan_.Key());
  if (scan_.Accept(":")) {
    structure.name = std::move(word);
    DRAGOMAN_ASSIGN(word, scan_.Key());
  }
  const auto kind = std::find(kStructureNames.begin(), kStructureNames.end(), word);
  if (kind == kStructureNames.end()) {
    return scan_.Fail("expected tensor, scalar, optional, tuple, list or dict");
  }
  structure.kind = static_cast<Structure::Kind>(kind - kStructureNames.begin());
  const char next = scan_.Peek();
  if (next >= '0' && next <= '9') {
    DRAGOMAN_ASSIGN(structure.index, scan_.Index());
  }
  if (scan_.Peek() == '(') DRAGOMAN_TRY(ReadStructures(structure.children, nesting + 1));
  return structure;
}

Status TextReader::ReadFunction(Model& model) {
  Function function;
  function.graph = std::make_unique<Graph>();
  DRAGOMAN_ASSIGN(function.op, scan_.Op());
  std::string graph_name = function.op->type;
  if (scan_.Accept("@")) {
    DRAGOMAN_ASSIGN(graph_name, scan_.Name());
  }
  function.graph->set_name(std::move(graph_name));
  Scope scope;
  DRAGOMAN_TRY(ReadSignature(*function.graph, scope));
  DRAGOMAN_TRY(ReadFunctionClauses(function));
  DRAGOMAN_TRY(ReadBody(*function.graph, scope));
  DRAGOMAN_TRY(Close(scope, nullptr));
  model.functions.push_back(std::move(function));
  return {};
}

Status TextReader::ReadFunctionClauses(Function& function) {
  while (scan_.Peek() != '{') {
    if (scan_.AcceptWord("opset")) {
      DRAGOMAN_ASSIGN(OpsetImport opset, ReadOpset());
      function.opsets.push_back(std::move(opset));
    } else if (scan_.AcceptWord("attributes")) {
      DRAGOMAN_TRY(ReadItems([&]() -> Status {
        DRAGOMAN_ASSIGN(std::string name, scan_.String());
        function.attributes.push_back(std::move(name));
        return {};
      }));
    } else if (scan_.AcceptWord("defaults")) {
      DRAGOMAN_ASSIGN(function.defaults, ReadAttributes(nullptr));
    } else if (scan_.PeekWord() == "extra") {
      DRAGOMAN_ASSIGN(function.extra, ReadExtra());
    } else {
      return scan_.Unexpected("\"{\", \"opset\", \"attributes\", \"defaults\" or \"extra\"");
    }
  }
  return {};
}

Status TextReader::ReadOrigins() {
  DRAGOMAN_TRY(scan_.Expect("{"));
  while (!scan_.Accept("}")) {
    DRAGOMAN_TRY(scan_.Expect("!"));
    DRAGOMAN_ASSIGN(const std::size_t number, scan_.Index());
    if (number != origins_.size()) {
      return scan_.Fail("expected origin !" + std::to_string(origins_.size()));
    }
    DRAGOMAN_TRY(scan_.Expect("="));
    DRAGOMAN_ASSIGN(OriginPtr origin, ReadOriginLine());
    origins_.push_back(std::move(origin));
  }
  return {};
}

Result<OriginPtr> TextReader::ReadOriginLine() {
  if (scan_.Peek() == '"') return ReadLeaf();
  std::vector<OriginPtr> parts;
  do {
    DRAGOMAN_TRY(scan_.Expect("!"));
    DRAGOMAN_ASSIGN(const std::size_t part, scan_.Index());
    if (part >= origins_.size()) return scan_.Fail("this origin is not defined yet");
    parts.push_back(origins_[part]);
  } while (scan_.Accept("+"));
  return Origin::Merge(parts);
}

Result<OriginPtr> TextReader::ReadLeaf() {
  SourceOp op;
  DRAGOMAN_ASSIGN(op.op, scan_.String());
  if (scan_.Accept("@")) {
    DRAGOMAN_ASSIGN(op.name, scan_.Name());
  }
  if (scan_.AcceptWord("scope")) {
    DRAGOMAN_ASSIGN(op.scope, scan_.String());
  }
  if (scan_.AcceptWord("at")) {
    DRAGOMAN_ASSIGN(op.location, scan_.String());
  }
  if (scan_.Peek() == '{') {
    DRAGOMAN_ASSIGN(op.attributes, ReadAttributes(nullptr));
  }
  return Origin::Leaf(std::move(op));
}

Status TextReader::AttachOrigins() {
  for (const OpenOrigin& open : open_origins_) {
    if (open.number >= origins_.size()) {
      return scan_.FailAt(open.offset,
                          "origin !" + std::to_string(open.number) + " is not defined");
    }
    const OriginPtr& origin = origins_[open.number];
    if (open.node != nullptr) {
      open.node->set_origin(origin);
    } else {
      open.value->set_origin(origin);
    }
  }
  return {};
}

Result<Attribute> TextReader::ReadOnlyAttribute() {
  DRAGOMAN_ASSIGN(Attribute attribute, ReadValue(nullptr));
  if (!scan_.AtEnd()) return scan_.Unexpected("the end");
  return attribute;
}

Result<Model> ParseText(std::string_view text, const ParseOptions& options) {
  return TextReader(text, options).ReadModel();
}

Error ErrorInText(std::string_view text, std::size_t offset, std::string message) {
  return TextScanner(text).FailAt(offset, std::move(message));
}

Result<Attribute> ParseAttribute(std::string_view text) {
  return TextReader(text, {}).ReadOnlyAttribute();
}

}  // namespace dragoman
