// SPDX-License-Identifier: Apache-2.0
// The parser behind parse.h. Internal.
#ifndef DRAGOMAN_CORE_IR_TEXT_READER_H_
#define DRAGOMAN_CORE_IR_TEXT_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/parse.h"
#include "core/ir/text_scanner.h"

namespace dragoman {

struct ParsedResult;

class TextReader {
 public:
  TextReader(std::string_view text, const ParseOptions& options) : scan_(text), options_(options) {}

  Result<Model> ReadModel();
  Result<Attribute> ReadOnlyAttribute();

 private:
  // %name~ordinal: the ordinal distinguishes values of one name.
  struct ValueKey {
    std::string name;
    std::uint32_t ordinal = 0;
    friend bool operator==(const ValueKey&, const ValueKey&) = default;
  };
  struct ValueKeyHash {
    std::size_t operator()(const ValueKey& key) const;
  };
  // An operand or output whose value is not defined in front of it in its own graph.
  struct OpenUse {
    ValueKey key;
    std::size_t offset = 0;
    Node* user = nullptr;    // or
    Graph* graph = nullptr;  // whose output it is
    std::size_t index = 0;
  };
  struct Scope {
    std::unordered_map<ValueKey, Value*, ValueKeyHash> values;
    std::vector<OpenUse> open;
    std::vector<std::pair<OpenUse, Type>> output_types;
  };
  // What carries an origin whose number is only known at the end.
  struct OpenOrigin {
    Node* node = nullptr;  // or
    Value* value = nullptr;
    std::size_t number = 0;
    std::size_t offset = 0;
  };

  // model
  Status ReadHeader(Model& model);
  Status ReadHeaderLines(Model& model);
  Status ReadState(Model& model);
  Status ReadEntry(Model& model);
  Status ReadBareGraph(Model& model);
  Status ReadFunction(Model& model);
  Status ReadEntryClauses(Entry& entry);
  Status ReadFunctionClauses(Function& function);
  Result<OpsetImport> ReadOpset();
  Status ReadStructures(std::vector<Structure>& structures, int nesting);
  Result<Structure> ReadStructure(int nesting);
  Status ReadOrigins();
  Result<OriginPtr> ReadOriginLine();
  Result<OriginPtr> ReadLeaf();
  Status AttachOrigins();

  // graph
  Status ReadSignature(Graph& graph, Scope& scope);
  Status ReadBody(Graph& graph, Scope& scope);
  Status ReadOutput(Graph& graph, Scope& scope);
  Status ReadConstant(Graph& graph, Scope& scope);
  Status ReadNode(Graph& graph, Scope& scope);
  Status ReadResults(std::vector<ParsedResult>& results);
  Status ReadOperands(Node& node, Scope& scope);
  Status ReadNodeTail(Node& node, Scope& scope);
  // After a value's name: its type, data, origin and extra, each optional.
  Status ReadDefinition(Value& value);
  bool AtType();
  Result<ValueKey> ReadReference();
  Status Define(Scope& scope, const ValueKey& key, Value* value, std::size_t offset);
  // Ends a graph: uses of values that it does not define go to `enclosing`, or are errors.
  Status Close(Scope& scope, Scope* enclosing);
  Status ReadOriginNumber(Node* node, Value* value);
  Result<Attribute::GraphPtr> ReadSubgraph(Scope* enclosing);

  // attributes; `enclosing` is that of the node, if there is one
  Result<std::vector<NamedAttribute>> ReadAttributes(Scope* enclosing);
  Result<Extra> ReadExtra();
  Result<Attribute> ReadValue(Scope* enclosing);
  Result<Attribute> ReadWord(std::string_view word, Scope* enclosing);
  Result<Attribute> ReadTypedList(std::string_view word, Scope* enclosing);
  Result<Attribute> ReadPlainList();
  Result<Attribute> ReadNumber();
  Result<Attribute> ReadComplex();
  Result<Attribute> ReadRef();
  // `[`, items, `]`: calls read_item for each.
  template <class F>
  Status ReadItems(F&& read_item);
  template <class T, class F>
  Result<Attribute> ReadListOf(F&& read_item);

  // tensors
  Result<Tensor> ReadTensor();
  Result<Tensor> ReadTensorBody(DType dtype, std::vector<std::int64_t> sizes);
  Result<Tensor> ReadElements(DType dtype, std::vector<std::int64_t> sizes);
  Result<SparseTensor> ReadSparseTensor();

  TextScanner scan_;
  const ParseOptions& options_;
  int graph_nesting_ = 0;
  int attribute_nesting_ = 0;
  std::vector<OriginPtr> origins_;
  std::vector<OpenOrigin> open_origins_;
};

template <class F>
Status TextReader::ReadItems(F&& read_item) {
  DRAGOMAN_TRY(scan_.Expect("["));
  for (bool first = true; !scan_.Accept("]"); first = false) {
    if (!first) DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_TRY(read_item());
  }
  return {};
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TEXT_READER_H_
