// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/read_graph.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/support/text.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/attr_codec.h"
#include "proto/tensorflow/data_type.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/spelling.h"

namespace dragoman::tf_reader {
namespace {

using google::protobuf::RepeatedPtrField;
using tf_pb::FunctionDef;
using tf_pb::GraphDef;
using tf_pb::NodeDef;

constexpr std::size_t kMaxFindings = 100;
// A node has so many results that nothing reads at most; more that are read are there all the same.
constexpr std::size_t kMaxUnread = 1024;

void KeepRest(const google::protobuf::Message& message, Extra* extra) {
  for (NamedAttribute& entry : MessageToDict(message)) {
    extra->emplace_back(std::string(tf_extra::kPrefix) + entry.name, std::move(entry.value));
  }
}

// The output that a reference in a body names.
struct OutputName {
  std::string arg;
  std::optional<std::size_t> item;  // nullopt: all of the argument
};

// Nodes of the main graph, or of the body of a function, into an empty graph.
class GraphReader {
 public:
  GraphReader(const KnownOps& ops, bool in_body, Graph* graph)
      : ops_(ops), in_body_(in_body), graph_(*graph) {}

  void AddArgument(const tf_pb::OpDef::ArgDef& arg);
  Status ReadNodes(RepeatedPtrField<NodeDef>* messages);
  // The values that the text of a `ret` names; the reference is noted if there are none.
  std::vector<Value*> Resolve(const std::string& text, const std::string& reader);
  Value* ResolveControl(const std::string& node, const std::string& reader);
  // What `ret` and control_ret read must be known before results are made.
  void Announce(const std::string& text) { announced_.push_back(text); }
  Status Noted();

 private:
  struct Entry {
    Node* node = nullptr;
    std::size_t used = 0;  // results that something reads
    bool controls = false;
    std::vector<std::string> texts;  // of an unknown operator: outputs as they are read
  };

  Status AddNode(NodeDef* message);
  void AddResults();
  void CountUse(const std::string& text);
  void MakeResults(const std::string& name, Entry* entry);
  void ReadOperands(const NodeDef& message, Node* node);
  Entry* Find(const std::string& name);
  // How many results the operator has; nullopt: it is not known.
  std::optional<std::size_t> CountResults(const Node& node) const;
  // The flat results [first, first + count) that `output` means.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  std::optional<Range> Locate(Entry* entry, std::string_view output);
  std::string NameOfResult(const Node& node, const Entry& entry, std::size_t index) const;
  void Note(std::string message);

  const KnownOps& ops_;
  const bool in_body_;
  Graph& graph_;
  std::unordered_map<std::string, Value*> arguments_;
  std::unordered_map<std::string, Entry> entries_;
  std::vector<std::string> announced_;
  std::vector<Finding> findings_;
  std::size_t unlisted_ = 0;
};

void GraphReader::Note(std::string message) {
  if (findings_.size() < kMaxFindings) {
    const std::string place = in_body_ ? "function '" + graph_.name() + "'" : "";
    findings_.push_back({ErrorKind::kInvalidInput, "", place, std::move(message)});
  } else {
    ++unlisted_;
  }
}

Status GraphReader::Noted() {
  if (findings_.empty()) return {};
  if (unlisted_ > 0) {
    findings_.push_back({ErrorKind::kInvalidInput, "", "",
                         "and " + std::to_string(unlisted_) + " further findings"});
  }
  return Error(std::move(findings_));
}

void GraphReader::AddArgument(const tf_pb::OpDef::ArgDef& arg) {
  const bool is_one = arg.number_attr().empty() && arg.type_list_attr().empty();
  Type type = is_one ? tf_codec::TypeOfDataType(arg.type()) : Type();
  Value* value = graph_.AddInput(arg.name(), std::move(type));
  if (!arguments_.emplace(arg.name(), value).second) {
    Note("there are two arguments " + Quote(arg.name()));
  }
}

GraphReader::Entry* GraphReader::Find(const std::string& name) {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

Status GraphReader::ReadNodes(RepeatedPtrField<NodeDef>* messages) {
  entries_.reserve(static_cast<std::size_t>(messages->size()));
  for (NodeDef& message : *messages) DRAGOMAN_TRY(AddNode(&message));
  for (const NodeDef& message : *messages) {
    for (const std::string& text : message.input()) CountUse(text);
  }
  for (const std::string& text : announced_) CountUse(text);
  AddResults();
  Node* node = graph_.first_node();
  for (NodeDef& message : *messages) {
    ReadOperands(message, node);
    message.clear_input();
    if (message.ByteSizeLong() > 0) KeepRest(message, &node->extra());
    node = node->next();
  }
  messages->Clear();
  return {};
}

Status GraphReader::AddNode(NodeDef* message) {
  Node* node = graph_.Append(InternOp(tf_extra::kDialect, message->op()), {}, message->name());
  if (message->name().empty()) {
    Note("a node of operator " + Quote(message->op()) + " has no name");
  } else if (!entries_.emplace(message->name(), Entry{node, 0, false, {}}).second ||
             arguments_.contains(message->name())) {
    Note("there are two nodes " + Quote(message->name()));
  }
  Result<std::vector<NamedAttribute>> attributes = tf_codec::DecodeAttrs(message->mutable_attr());
  if (!attributes.ok()) return std::move(attributes).error().At(node->Describe());
  node->attributes() = std::move(*attributes);
  message->clear_name();
  message->clear_op();
  message->clear_attr();
  return {};
}

std::optional<std::size_t> GraphReader::CountResults(const Node& node) const {
  const tf::OpSchema* schema = ops_.Find(node.op().type);
  if (schema == nullptr) return std::nullopt;
  std::size_t count = 0;
  for (const tf::ArgSchema& arg : schema->outputs) {
    const std::optional<std::size_t> items = tf::CountOf(node, arg);
    if (!items) return std::nullopt;
    count += *items;
  }
  return count;
}

std::optional<GraphReader::Range> GraphReader::Locate(Entry* entry, std::string_view output) {
  if (!in_body_ || output.empty()) {
    const std::optional<std::int64_t> index = output.empty() ? 0 : ParseInt64(output);
    if (!index || *index < 0 || *index > INT32_MAX) return std::nullopt;
    return Range{static_cast<std::size_t>(*index), 1};
  }
  const std::size_t colon = output.find(':');
  const std::string_view arg_name = output.substr(0, colon);
  std::optional<std::size_t> item;
  if (colon != std::string_view::npos) {
    const std::optional<std::int64_t> number = ParseInt64(output.substr(colon + 1));
    if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
    item = static_cast<std::size_t>(*number);
  } else if (const std::optional<std::int64_t> number = ParseInt64(arg_name);
             number && *number >= 0 && *number <= INT32_MAX) {
    return Range{static_cast<std::size_t>(*number), 1};
  }
  const tf::OpSchema* schema = ops_.Find(entry->node->op().type);
  std::size_t first = 0;
  for (const tf::ArgSchema& arg :
       schema == nullptr ? std::vector<tf::ArgSchema>() : schema->outputs) {
    const std::optional<std::size_t> count = tf::CountOf(*entry->node, arg);
    if (arg.name == arg_name) {
      if (item && (!count || *item < *count)) return Range{first + *item, 1};
      return item || !count ? std::nullopt : std::optional(Range{first, *count});
    }
    if (!count) break;
    first += *count;
  }
  if (schema != nullptr) return std::nullopt;
  // The outputs of the operator are not known: each is what it is called.
  auto known = std::find(entry->texts.begin(), entry->texts.end(), output);
  if (known == entry->texts.end()) known = entry->texts.emplace(known, output);
  return Range{static_cast<std::size_t>(known - entry->texts.begin()), 1};
}

void GraphReader::CountUse(const std::string& text) {
  if (text.starts_with('^')) {
    if (Entry* entry = Find(text.substr(1))) entry->controls = true;
    return;
  }
  const std::size_t colon = text.find(':');
  if (in_body_ && arguments_.contains(text.substr(0, colon))) return;
  Entry* entry = Find(text.substr(0, colon));
  if (entry == nullptr) return;
  const std::string_view output =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  const std::optional<Range> range = Locate(entry, output);
  if (range && range->count > 0) entry->used = std::max(entry->used, range->first + range->count);
}

std::string GraphReader::NameOfResult(const Node& node, const Entry& entry,
                                      std::size_t index) const {
  if (!in_body_) return index == 0 ? node.name() : tf::FullTensorName(node.name(), index);
  if (index < entry.texts.size()) return node.name() + ":" + entry.texts[index];
  const tf::OpSchema* schema = ops_.Find(node.op().type);
  std::size_t first = 0;
  for (const tf::ArgSchema& arg :
       schema == nullptr ? std::vector<tf::ArgSchema>() : schema->outputs) {
    const std::size_t count = tf::CountOf(node, arg).value_or(SIZE_MAX - first);
    if (index < first + count) {
      return node.name() + ":" + arg.name + ":" + std::to_string(index - first);
    }
    first += count;
  }
  return node.name() + ":" + std::to_string(index);
}

void GraphReader::MakeResults(const std::string& name, Entry* entry) {
  Node& node = *entry->node;
  const std::optional<std::size_t> stated = CountResults(node);
  if (stated && entry->used > *stated) {
    Note("output " + std::to_string(entry->used - 1) + " of " + node.Describe() +
         " is read, which has " + std::to_string(*stated));
  }
  // Results that files only claim cost nothing.
  if (entry->used > kMaxUnread * 64) {
    Note("output " + std::to_string(entry->used - 1) + " of " + node.Describe() + " is read");
    return;
  }
  // Where nothing describes the operator and nothing reads it, it is taken to give the result.
  const std::size_t assumed = in_body_ || entry->controls ? 0 : 1;
  const std::size_t count = std::max(entry->used, std::min(stated.value_or(assumed), kMaxUnread));
  for (std::size_t i = 0; i < count; ++i) node.AddResult(NameOfResult(node, *entry, i));
  if (entry->controls) node.AddResult("^" + name, Type::Control());
}

void GraphReader::AddResults() {
  for (Node& node : graph_.nodes()) {
    Entry* entry = Find(node.name());
    if (entry != nullptr && entry->node == &node) MakeResults(node.name(), entry);
  }
}

Value* GraphReader::ResolveControl(const std::string& name, const std::string& reader) {
  Entry* entry = Find(name);
  if (entry == nullptr) {
    if (!arguments_.contains(name))
      Note(reader + " waits for " + Quote(name) + ", which is not a node");
    return nullptr;
  }
  const std::size_t count = entry->node->num_results();
  return count == 0 ? nullptr : entry->node->result(count - 1);
}

std::vector<Value*> GraphReader::Resolve(const std::string& text, const std::string& reader) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  if (in_body_) {
    const auto argument = arguments_.find(name);
    if (argument != arguments_.end()) return {argument->second};
  }
  Entry* entry = Find(name);
  const std::string_view output =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  const std::optional<Range> range = entry == nullptr ? std::nullopt : Locate(entry, output);
  std::vector<Value*> values;
  const std::size_t end = range ? range->first + range->count : 0;
  for (std::size_t i = range ? range->first : 0; i < end; ++i) {
    Value* value = entry->node->result(i);
    if (value == nullptr || tf::IsControl(value)) break;
    values.push_back(value);
  }
  if (!range || values.size() != range->count) {
    Note(reader + " reads " + Quote(text) + ", which is not a value");
    values.clear();
  }
  return values;
}

void GraphReader::ReadOperands(const NodeDef& message, Node* node) {
  std::vector<std::string> written(message.input().begin(), message.input().end());
  bool controls = false;
  for (const std::string& text : written) {
    if (text.starts_with('^')) {
      controls = true;
      Value* value = ResolveControl(text.substr(1), node->Describe());
      if (value != nullptr) node->AddOperand(value);
      continue;
    }
    if (controls)
      Note(node->Describe() + " has the input " + Quote(text) + " after control inputs");
    for (Value* value : Resolve(text, node->Describe())) node->AddOperand(value);
  }
  std::vector<std::string> meaning;
  for (const Use& operand : node->operands()) {
    meaning.push_back(tf_codec::SpellReference(operand.value(), in_body_).value_or(""));
  }
  if (meaning == written) return;
  node->extra().emplace_back(std::string(tf_extra::kInput),
                             tf_codec::AsWritten(std::move(written), std::move(meaning)));
}

// A FunctionDef whose name the caller has taken.
class FunctionReader {
 public:
  FunctionReader(const KnownOps& ops, FunctionDef* message, Function* function)
      : message_(*message), function_(*function), reader_(ops, true, function->graph.get()) {}

  Status Read() {
    for (const auto& arg : message_.signature().input_arg()) reader_.AddArgument(arg);
    for (const auto& attr : message_.signature().attr()) {
      function_.attributes.push_back(attr.name());
    }
    for (const auto& [output, text] : message_.ret()) reader_.Announce(text);
    for (const auto& [output, node] : message_.control_ret()) reader_.Announce("^" + node);
    DRAGOMAN_TRY(reader_.ReadNodes(message_.mutable_node_def()));
    ReadReturned();
    ReadControlReturned();
    DRAGOMAN_TRY(reader_.Noted());
    return KeepExtra();
  }

 private:
  void ReadReturned() {
    std::vector<std::string> written;
    for (const auto& arg : message_.signature().output_arg()) {
      const auto text = message_.ret().find(arg.name());
      const std::string found = text == message_.ret().end() ? "" : text->second;
      written.push_back(found);
      for (Value* value : reader_.Resolve(found, "output " + Quote(arg.name())))
        function_.graph->AddOutput(value);
      message_.mutable_ret()->erase(arg.name());
    }
    std::vector<std::string> meaning;
    for (const Use& output : function_.graph->outputs()) {
      meaning.push_back(tf_codec::SpellReference(output.value(), true).value_or(""));
    }
    if (meaning == written) return;
    function_.extra.emplace_back(std::string(tf_extra::kRet),
                                 tf_codec::AsWritten(std::move(written), std::move(meaning)));
  }

  void ReadControlReturned() {
    const std::map<std::string, std::string> sorted(message_.control_ret().begin(),
                                                    message_.control_ret().end());
    std::vector<std::string> keys;
    std::vector<std::string> nodes;
    for (const auto& [key, node] : sorted) {
      Value* value = reader_.ResolveControl(node, "control output " + Quote(key));
      if (value == nullptr) continue;
      function_.graph->AddOutput(value);
      keys.push_back(key);
      nodes.push_back("^" + node);
    }
    message_.clear_control_ret();
    if (keys.empty()) return;
    function_.extra.emplace_back(std::string(tf_extra::kControlRet),
                                 tf_codec::AsWritten(std::move(keys), std::move(nodes)));
  }

  Status KeepExtra() {
    if (!message_.attr().empty()) {
      DRAGOMAN_ASSIGN(Attribute::Dict attributes, tf_codec::DecodeAttrs(message_.mutable_attr()));
      function_.extra.emplace_back(std::string(tf_extra::kFunctionAttr), std::move(attributes));
      message_.clear_attr();
    }
    message_.mutable_signature()->clear_name();
    KeepRest(message_, &function_.extra);
    return {};
  }

  FunctionDef& message_;
  Function& function_;
  GraphReader reader_;
};

Result<Function> ReadFunction(FunctionDef* message, const KnownOps& ops) {
  Function function;
  function.op = InternOp(tf_extra::kDialect, message->signature().name());
  function.graph = std::make_unique<Graph>();
  function.graph->set_name(message->signature().name());
  DRAGOMAN_TRY(FunctionReader(ops, message, &function).Read());
  return function;
}

Status ReadLibrary(GraphDef* message, const KnownOps& ops, Model* model) {
  tf_pb::FunctionDefLibrary& library = *message->mutable_library();
  std::unordered_set<std::string> names;
  for (FunctionDef& function : *library.mutable_function()) {
    const std::string name = function.signature().name();
    if (name.empty()) return InvalidInput("a function of the library has no name");
    if (!names.insert(name).second) {
      return InvalidInput("the library has two functions " + Quote(name));
    }
    DRAGOMAN_ASSIGN(Function read, ReadFunction(&function, ops));
    model->functions.push_back(std::move(read));
  }
  library.clear_function();
  if (!names.empty() && library.ByteSizeLong() == 0) message->clear_library();
  return {};
}

void ReadVersions(GraphDef* message, Model* model) {
  if (!message->has_versions()) return;
  if (const int producer = message->versions().producer(); producer != 0) {
    model->opsets.push_back({std::string(tf_extra::kDialect), producer});
    message->mutable_versions()->clear_producer();
    if (message->versions().ByteSizeLong() == 0) message->clear_versions();
  }
}

}  // namespace

Status ReadGraphDef(GraphDef* message, const tf_pb::OpList& other_ops, Model* model) {
  const KnownOps ops(message->library(), other_ops);
  Function main;
  main.op = tf::MainGraphOp();
  main.graph = std::make_unique<Graph>();
  main.graph->set_name(std::string(tf_extra::kMainType));
  GraphReader reader(ops, false, main.graph.get());
  DRAGOMAN_TRY(reader.ReadNodes(message->mutable_node()));
  DRAGOMAN_TRY(reader.Noted());
  model->functions.push_back(std::move(main));
  const std::size_t main_index = model->functions.size() - 1;

  if (message->has_library()) DRAGOMAN_TRY(ReadLibrary(message, ops, model));
  ReadVersions(message, model);
  KeepRest(*message, &model->functions[main_index].extra);
  return {};
}

}  // namespace dragoman::tf_reader
