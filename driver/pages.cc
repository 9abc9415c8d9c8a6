// SPDX-License-Identifier: Apache-2.0
#include "driver/pages.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/analysis/multiply_adds.h"
#include "core/ir/for_each_value.h"
#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "page/plot.h"
#include "page/weight_statistics.h"

namespace dragoman {
namespace {

page::PageOptions OptionsOf(std::string title) {
  return {.title = std::move(title),
          .multiply_adds = [](const Node& node) { return MultiplyAdds(node); },
          .heats = {}};
}

// "fc1" of "node 'fc1' (onnx.Gemm): matmul", the description of a step; else the text itself.
std::string NodeOfStep(const std::string& step) {
  const std::size_t begin = step.find('\''), end = step.rfind("' (");
  return begin == std::string::npos || end == std::string::npos || end <= begin
             ? step
             : step.substr(begin + 1, end - begin - 1);
}

std::optional<double> NumberAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

std::string TextAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

page::Heat TimesOf(const nlohmann::json& profile) {
  page::Heat heat{"time", "us", {}};
  for (const nlohmann::json& row : profile) {
    const std::optional<double> time = row.is_object() ? NumberAt(row, "us") : std::nullopt;
    if (time) heat.rows.push_back({NodeOfStep(TextAt(row, "step")), *time});
  }
  return heat;
}

// Of the first verdict that looked at values inside of the models.
page::Heat ErrorsOf(const nlohmann::json& verdicts) {
  page::Heat heat{"largest difference", "", {}};
  for (const nlohmann::json& verdict : verdicts) {
    if (!verdict.is_object() || !verdict.contains("bisect") || !verdict["bisect"].is_object())
      continue;
    for (const nlohmann::json& value : verdict["bisect"].value("values", nlohmann::json::array())) {
      const std::optional<double> error =
          value.is_object() ? NumberAt(value, "largest_difference") : std::nullopt;
      if (error) heat.rows.push_back({TextAt(value, "name"), *error});
    }
    if (!heat.rows.empty()) return heat;
  }
  return heat;
}

}  // namespace

std::string PageOfModel(const Session& session, const Model& source, const Model* lowered,
                        const std::string& title, std::vector<page::Heat> heats) {
  page::PageOptions options = OptionsOf(title);
  options.heats = std::move(heats);
  const bool is_source = source.level == Level::kSource;
  std::vector<page::Shown> levels = {{is_source ? "Source" : "As stored", &source}};
  std::optional<Model> rewritten;
  if (lowered != nullptr) {
    rewritten = Clone(*lowered);
    // A pass that fails leaves a model that is as good as the one before.
    const Status status = session.Rewrite(*rewritten);
    if (!status.ok()) rewritten = Clone(*lowered);
    levels.push_back({is_source ? "Common" : "Rewritten", &*rewritten});
  }
  return page::ModelPage(levels, options);
}

std::string PageOfDiff(const Model& a, const Model& b, const DiffReport& report,
                       const DiffTrace& trace, const std::array<std::string, 2>& names) {
  const page::PageOptions options = OptionsOf(names[0] + " / " + names[1]);
  return page::DiffPage({names[0], &a}, {names[1], &b}, report, trace, options);
}

std::string PlotOfWeights(const Model& model, const std::string& title) {
  std::vector<std::pair<std::string, const Tensor*>> weights;
  const auto add = [&](const std::string& name, const Tensor* tensor) {
    if (tensor != nullptr && tensor->size() > 1 && page::HasStatistics(*tensor))
      weights.emplace_back(name, tensor);
  };
  for (const State& state : model.states) add(state.name, state.initial.tensor());
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { add(value.name(), value.tensor()); });
  });
  std::ranges::stable_sort(
      weights, [](const auto& a, const auto& b) { return a.second->size() > b.second->size(); });
  page::HistogramPlot plot{title, fmt::format("{} weights, largest first", weights.size()), {}};
  for (const auto& [name, tensor] : weights) {
    const bool is_shown = plot.histograms.size() < page::kMostHistograms;
    plot.histograms.push_back({name, tensor->type().ToString(),
                               is_shown ? page::StatisticsOf(*tensor) : page::WeightStatistics()});
  }
  return page::SvgOf(plot);
}

Result<std::vector<page::Heat>> ReadHeats(const std::string& path) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const std::string_view text = AsText(file->bytes());
  const auto json = nlohmann::json::parse(text.data(), text.data() + text.size(), nullptr, false);
  std::vector<page::Heat> heats;
  if (json.is_object() && json.contains("models") && json["models"].is_array() &&
      !json["models"].empty() && json["models"][0].is_object() &&
      json["models"][0].contains("profile"))
    heats.push_back(TimesOf(json["models"][0]["profile"]));
  if (json.is_array()) heats.push_back(ErrorsOf(json));
  if (heats.empty() || heats[0].rows.empty()) {
    return InvalidInput(
               "holds no numbers of nodes; expected what `bench --profile "
               "--json` or `verify --bisect --json` prints")
        .InFile(path);
  }
  return heats;
}

}  // namespace dragoman
