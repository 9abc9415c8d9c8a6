// SPDX-License-Identifier: Apache-2.0
#include "page/write_model.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/ir/for_each_value.h"
#include "core/ir/print.h"
#include "core/support/text.h"
#include "page/item_text.h"
#include "page/outline.h"
#include "page/weight_statistics.h"

namespace dragoman::page {
namespace {

constexpr std::int64_t kShownElements = 16;
constexpr std::size_t kMostAttributeText = 2000;
constexpr std::size_t kMostOrigins = 24;

// `text`, or as many whole characters of it as there is room for.
std::string Shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most) + "\u2026";
}

std::string AttributeText(const Attribute& value) {
  const auto elided = [](const Tensor&) { return std::string(kElided); };
  return Shortened(PrintAttribute(value, {.inline_elements = kShownElements, .store = elided}),
                   kMostAttributeText);
}

// The first source operators below an origin, in no more steps than there may be of them.
std::vector<const SourceOp*> FirstOrigins(const OriginPtr& origin) {
  std::vector<const SourceOp*> found;
  std::unordered_set<const Origin*> seen;
  std::vector<const Origin*> stack = {origin.get()};
  while (!stack.empty() && found.size() < kMostOrigins && seen.size() < 16 * kMostOrigins) {
    const Origin* at = stack.back();
    stack.pop_back();
    if (at == nullptr || !seen.insert(at).second) continue;
    if (at->leaf() != nullptr) found.push_back(at->leaf());
    for (std::size_t i = at->parts().size(); i-- > 0;) stack.push_back(at->parts()[i].get());
  }
  return found;
}

const Tensor* ConstantIn(const Node& node) {
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.tensor() != nullptr) return attribute.value.tensor();
  }
  return nullptr;
}

class ModelWriter {
 public:
  ModelWriter(const Shown& shown, const ModelNumbers& numbers, const PageOptions& options,
              TextTable& texts, JsonText& json)
      : shown_(shown),
        model_(*shown.model),
        numbers_(numbers),
        options_(options),
        texts_(texts),
        json_(json) {}

  void Run() {
    json_.BeginObject();
    WriteHead();
    const Outline outline = MakeOutline(model_);
    WriteRoots(outline);
    WriteGroups(outline);
    WriteValues();
    WriteNodes();
    WriteWeights();
    WriteHeats();
    json_.EndObject();
  }

 private:
  void Text(std::string_view text) { json_.Int(texts_.Number(text)); }
  template <class Write>
  void Array(std::string_view key, Write write) {
    if (!key.empty()) json_.Key(key);
    json_.BeginArray();
    write();
    json_.EndArray();
  }

  void WriteHead() {
    std::string opsets;
    for (const OpsetImport& opset : model_.opsets) {
      opsets += fmt::format("{}{} {}", opsets.empty() ? "" : ", ",
                            opset.domain.empty() ? "ai.onnx" : opset.domain, opset.version);
    }
    const std::pair<const char*, std::string> fields[] = {
        {"name", shown_.name},
        {"level", model_.level == Level::kSource ? "source" : "common"},
        {"dialect", model_.dialect},
        {"opsets", opsets}};
    for (const auto& [key, text] : fields) {
      json_.Key(key);
      Text(text);
    }
    Array("states", [&] {
      for (const State& state : model_.states) {
        Array("", [&] {
          Text(state.name);
          Text(state.type.ToString());
          json_.Int(WeightOf(state.initial.tensor()));
        });
      }
    });
  }

  void WriteRoots(const Outline& outline) {
    Array("roots", [&] {
      for (const Root& root : outline.roots) {
        Array("", [&] {
          Text(root.name);
          json_.Int(root.is_function ? 1 : 0);
          json_.Int(root.group);
        });
      }
    });
  }

  void WriteGroups(const Outline& outline) {
    Array("groups", [&] {
      for (const Group& group : outline.groups) {
        Array("", [&] {
          Text(group.title);
          json_.Int(static_cast<std::int64_t>(group.nodes));
          json_.Int(group.size.width);
          json_.Int(group.size.height);
          Array("", [&] {
            for (const Item& item : group.items) WriteItem(item);
          });
          Array("", [&] {
            for (const Link& link : group.links) WriteLink(link);
          });
        });
      }
    });
  }

  void WriteItem(const Item& item) {
    json_.Int(static_cast<std::int64_t>(item.kind));
    Text(item.title);
    Text(item.note);
    for (const std::int32_t number :
         {item.corner.x, item.corner.y, item.size.width, item.size.height, item.inner})
      json_.Int(number);
    json_.Int(numbers_.Of(item.node));
    json_.Int(numbers_.Of(item.value));
  }

  void WriteLink(const Link& link) {
    json_.Int(link.from);
    json_.Int(link.to);
    json_.Int(numbers_.Of(link.value));
    json_.Int(link.values);
    json_.Int(static_cast<std::int64_t>(link.route.size()));
    for (const layout::Point& point : link.route) {
      json_.Int(point.x);
      json_.Int(point.y);
    }
  }

  void WriteValues() {
    Array("values", [&] {
      for (const Value* value : numbers_.values()) {
        const Node* producer = value->producer();
        const bool constant = producer != nullptr && IsConstantNode(*producer);
        Text(value->name());
        Text(value->type().ToString());
        json_.Int(numbers_.Of(producer));
        json_.Int(WeightOf(constant ? ConstantIn(*producer) : value->tensor()));
      }
    });
  }

  void WriteNodes() {
    Array("nodes", [&] {
      for (const Node* node : numbers_.nodes()) Array("", [&] { WriteNode(*node); });
    });
  }

  void WriteNode(const Node& node) {
    Text(node.op().ToString());
    Text(node.name());
    Array("", [&] {
      for (const Use& use : node.operands()) json_.Int(numbers_.Of(use.value()));
    });
    Array("", [&] {
      for (std::size_t i = 0; i < node.num_results(); ++i) json_.Int(numbers_.Of(node.result(i)));
    });
    Array("", [&] {
      for (const NamedAttribute& attribute : node.attributes()) {
        const bool is_body = attribute.value.graph() != nullptr ||
                             attribute.value.As<Attribute::Graphs>() != nullptr;
        Text(attribute.name);
        Text(is_body ? "a body" : AttributeText(attribute.value));
      }
    });
    Array("", [&] {
      for (const SourceOp* source : FirstOrigins(node.origin())) {
        for (const std::string* text :
             {&source->op, &source->name, &source->scope, &source->location})
          Text(*text);
      }
    });
    const std::optional<std::int64_t> products =
        options_.multiply_adds != nullptr ? options_.multiply_adds(node) : std::nullopt;
    json_.Int(products.value_or(-1));
  }

  // The number of a constant's elements in `weights_`, those that share them once; -1: it has none.
  std::int64_t WeightOf(const Tensor* tensor) {
    if (tensor == nullptr) return -1;
    const auto key = std::make_tuple(tensor->dtype() == DType::kString
                                         ? static_cast<const void*>(tensor->strings().data())
                                         : static_cast<const void*>(tensor->bytes().data()),
                                     tensor->dtype(), tensor->sizes());
    const auto [at, added] = weight_numbers_.try_emplace(key, weights_.size());
    if (added) weights_.push_back(tensor);
    return static_cast<std::int64_t>(at->second);
  }

  void WriteWeights() {
    Array("weights", [&] {
      for (const Tensor* tensor : weights_) Array("", [&] { WriteWeight(*tensor); });
    });
  }

  void WriteWeight(const Tensor& tensor) {
    Text(tensor.type().ToString());
    json_.Int(static_cast<std::int64_t>(tensor.bytes().size()));
    Text(tensor.size() <= kShownElements ? AttributeText(tensor) : "");
    if (tensor.size() <= kShownElements || !HasStatistics(tensor)) return;
    const WeightStatistics statistics = StatisticsOf(tensor);
    for (const std::int64_t count : {statistics.looked_at, statistics.zeros, statistics.not_finite})
      json_.Int(count);
    for (const double number :
         {statistics.least, statistics.most, statistics.mean, statistics.deviation})
      json_.Number(number);
    for (const std::int64_t count : statistics.histogram) json_.Int(count);
  }

  void WriteHeats() {
    std::unordered_map<std::string_view, const Node*> by_name;
    for (const Node* node : numbers_.nodes()) {
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        if (node->result(i) != nullptr) by_name.try_emplace(node->result(i)->name(), node);
      }
    }
    for (const Node* node : numbers_.nodes()) {
      if (!node->name().empty()) by_name.insert_or_assign(node->name(), node);
    }
    Array("heats", [&] {
      for (const Heat& heat : options_.heats) {
        std::map<std::int64_t, double> numbers;
        for (const Heat::Row& row : heat.rows) {
          if (const auto node = by_name.find(row.name); node != by_name.end())
            numbers[numbers_.Of(node->second)] += row.number;
        }
        if (numbers.empty()) continue;
        Array("", [&] {
          Text(heat.title);
          Text(heat.unit);
          for (const auto& [node, number] : numbers) {
            json_.Int(node);
            json_.Number(number);
          }
        });
      }
    });
  }

  const Shown& shown_;
  const Model& model_;
  const ModelNumbers& numbers_;
  const PageOptions& options_;
  TextTable& texts_;
  JsonText& json_;
  std::vector<const Tensor*> weights_;
  std::map<std::tuple<const void*, DType, std::vector<std::int64_t>>, std::size_t> weight_numbers_;
};

}  // namespace

ModelNumbers::ModelNumbers(const Model& model) {
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) {
      numbers_.emplace(&value, static_cast<std::int64_t>(values_.size()));
      values_.push_back(&value);
    });
    for (const Node& node : graph.nodes()) {
      numbers_.emplace(&node, static_cast<std::int64_t>(nodes_.size()));
      nodes_.push_back(&node);
    }
  });
}

std::int64_t ModelNumbers::Of(const Node* node) const {
  const auto found = numbers_.find(node);
  return found == numbers_.end() ? -1 : found->second;
}

std::int64_t ModelNumbers::Of(const Value* value) const {
  const auto found = numbers_.find(value);
  return found == numbers_.end() ? -1 : found->second;
}

void WriteModel(const Shown& shown, const ModelNumbers& numbers, const PageOptions& options,
                TextTable& texts, JsonText& json) {
  ModelWriter(shown, numbers, options, texts, json).Run();
}

}  // namespace dragoman::page
