// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/support/text.h"
#include "exporters/torch/spelling.h"

namespace dragoman::pytorch {
namespace {

using pt2::Json;

class LayerReader {
 public:
  LayerReader(const Call& call, const ProgramCalls& program, const WeightsByValue& weights,
              const ProducerOf& producers)
      : call_(call), program_(program), weights_(weights), producers_(producers) {}

  std::optional<LayerCall> Read() {
    const std::string& target = call_.target;
    if (target == "aten.linear.default") return Linear();
    if (target.starts_with("aten.conv_transpose")) return Convolution("nn.ConvTranspose", true);
    if (target == "aten.conv1d.default" || target == "aten.conv2d.default" ||
        target == "aten.conv3d.default")
      return Convolution("nn.Conv", false);
    if (target == "aten.batch_norm.default") return BatchNorm();
    if (target == "aten.layer_norm.default") return ShapedNorm("nn.LayerNorm");
    if (target == "aten.rms_norm.default") return ShapedNorm("nn.RMSNorm");
    if (target == "aten.group_norm.default") return GroupNorm();
    if (target == "aten.instance_norm.default") return InstanceNorm();
    if (target == "aten.index.Tensor") return Embedding();
    if (target == "aten.prelu.default") return PRelu();
    if (target == "aten.lstm.input") return Recurrence("nn.LSTM");
    if (target == "aten.gru.input") return Recurrence("nn.GRU");
    if (target == "aten.rnn_tanh.input" || target == "aten.rnn_relu.input")
      return Recurrence("nn.RNN");
    return std::nullopt;
  }

 private:
  const pt2::Weight* WeightOf(const std::string& value) const {
    const auto found = weights_.find(value);
    return found != weights_.end() ? found->second : nullptr;
  }

  std::int64_t SizeOf(const std::string& value, std::size_t axis) const {
    const pt2::Weight* weight = WeightOf(value);
    const auto& sizes = weight->tensor.sizes();
    return axis < sizes.size() ? sizes[axis] : 0;
  }

  // Adds the weight that an argument is. False: it is not one. One that is left out is none to add.
  bool Take(LayerCall& layer, const std::string& name, std::string_view argument,
            bool is_optional) const {
    const std::string value = call_.Tensor(argument);
    if (value.empty()) return is_optional;
    if (WeightOf(value) == nullptr) return false;
    layer.weights.emplace_back(name, value);
    return true;
  }

  bool Has(std::string_view argument) const { return !call_.Tensor(argument).empty(); }

  // The type of the layer's weights, where it is not the usual one.
  void AddType(LayerCall& layer, Exprs& arguments) const {
    const std::string& dtype = program_.values.at(layer.weights.front().second).dtype;
    if (dtype != "torch.float32") arguments.push_back(Keyword("dtype", Code(dtype)));
  }

  bool HasDefault(std::string_view argument, std::string_view absent) const {
    const Json* value = call_.Find(argument);
    return value == nullptr || FlatText(PerAxis(*value, argument)) == absent;
  }

  // Keyword `name`, unless it is what the layer has by default.
  void AddOption(Exprs& arguments, std::string_view name, std::string_view argument,
                 std::string_view absent) const {
    if (!HasDefault(argument, absent))
      arguments.push_back(Keyword(name, PerAxis(*call_.Find(argument), name)));
  }

  std::optional<LayerCall> Made(LayerCall layer, std::string_view name, Exprs arguments,
                                std::string_view input) const {
    if (layer.weights.empty()) return std::nullopt;
    for (const auto& [leaf, value] : layer.weights) {
      if (program_.values.at(value).dtype != program_.values.at(layer.weights.front().second).dtype)
        return std::nullopt;
    }
    AddType(layer, arguments);
    layer.constructor = CallOf(name, std::move(arguments));
    layer.arguments = {ValueOf(call_.Tensor(input))};
    return layer;
  }

  std::optional<LayerCall> Linear() const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false) || !Take(layer, "bias", "bias", true))
      return std::nullopt;
    const std::string weight = call_.Tensor("weight");
    if (program_.values.at(weight).dims.size() != 2) return std::nullopt;
    Exprs arguments = {Number(SizeOf(weight, 1), "in_features"),
                       Number(SizeOf(weight, 0), "out_features")};
    if (!Has("bias")) arguments.push_back(Keyword("bias", BoolLiteral(false)));
    return Made(std::move(layer), "nn.Linear", std::move(arguments), "input");
  }

  std::optional<LayerCall> Convolution(std::string_view name, bool transposed) const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false) || !Take(layer, "bias", "bias", true))
      return std::nullopt;
    const std::string weight = call_.Tensor("weight");
    const std::vector<std::int64_t>& sizes = WeightOf(weight)->tensor.sizes();
    const Json* stated = call_.Find("groups");
    const std::int64_t groups = stated != nullptr ? (*stated)["as_int"].get<std::int64_t>() : 1;
    if (sizes.size() < 3 || groups <= 0) return std::nullopt;
    const std::int64_t in = transposed ? sizes[0] : sizes[1] * groups;
    const std::int64_t out = transposed ? sizes[1] * groups : sizes[0];
    const std::vector<std::int64_t> kernel(sizes.begin() + 2, sizes.end());
    const bool is_square = std::ranges::count(kernel, kernel[0]) == std::ssize(kernel);
    Exprs arguments = {
        Number(in, "in_channels"), Number(out, "out_channels"),
        is_square ? Number(kernel[0], "kernel_size") : NumberList(kernel, "kernel_size")};
    AddOption(arguments, "stride", "stride", "1");
    AddOption(arguments, "padding", "padding", "0");
    if (transposed) AddOption(arguments, "output_padding", "output_padding", "0");
    AddOption(arguments, "dilation", "dilation", "1");
    AddOption(arguments, "groups", "groups", "1");
    if (!Has("bias")) arguments.push_back(Keyword("bias", BoolLiteral(false)));
    return Made(std::move(layer), fmt::format("{}{}d", name, kernel.size()), std::move(arguments),
                "input");
  }

  // The rank of the input; 0: it is not known to be usual.
  std::size_t RankOf(std::string_view argument) const {
    return program_.values.at(call_.Tensor(argument)).dims.size();
  }

  std::optional<LayerCall> BatchNorm() const {
    LayerCall layer;
    for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
      if (!Take(layer, name, name, false)) return std::nullopt;
    }
    const std::size_t rank = RankOf("input");
    if (rank < 2 || rank > 5) return std::nullopt;
    Exprs arguments = {Number(SizeOf(call_.Tensor("weight"), 0), "num_features")};
    AddOption(arguments, "eps", "eps", "1e-05");
    // Powers of ten that are written as 1 less something have an error in their last place.
    const double momentum = (*call_.Find("momentum"))["as_float"].get<double>();
    const double rounded = *ParseDouble(fmt::format("{:.6g}", momentum));
    if (rounded != 0.1) arguments.push_back(Keyword("momentum", FloatLiteral(rounded)));
    const std::size_t axes = rank < 4 ? 1 : rank - 2;
    return Made(std::move(layer), fmt::format("nn.BatchNorm{}d", axes), std::move(arguments),
                "input");
  }

  std::optional<LayerCall> ShapedNorm(std::string_view name) const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false) || !Take(layer, "bias", "bias", true))
      return std::nullopt;
    const Json& sizes = *call_.Find("normalized_shape");
    if (!sizes.contains("as_ints")) return std::nullopt;
    Expr shape = ArgumentExpr(sizes, "normalized_shape");
    if (shape.parts.size() == 1) shape = Expr(shape.parts[0]);
    Exprs arguments = {std::move(shape)};
    const bool is_rms = name == "nn.RMSNorm";
    AddOption(arguments, "eps", "eps", is_rms ? "None" : "1e-05");
    if (!is_rms && !Has("bias")) arguments.push_back(Keyword("bias", BoolLiteral(false)));
    return Made(std::move(layer), name, std::move(arguments), "input");
  }

  std::optional<LayerCall> GroupNorm() const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false) || !Take(layer, "bias", "bias", false))
      return std::nullopt;
    Exprs arguments = {ArgumentExpr(*call_.Find("num_groups"), "num_groups"),
                       Number(SizeOf(call_.Tensor("weight"), 0), "num_channels")};
    AddOption(arguments, "eps", "eps", "1e-05");
    return Made(std::move(layer), "nn.GroupNorm", std::move(arguments), "input");
  }

  std::optional<LayerCall> InstanceNorm() const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false) || !Take(layer, "bias", "bias", false))
      return std::nullopt;
    const std::size_t rank = RankOf("input");
    if (Has("running_mean") || rank < 3 || rank > 5) return std::nullopt;
    Exprs arguments = {Number(SizeOf(call_.Tensor("weight"), 0), "num_features")};
    AddOption(arguments, "eps", "eps", "1e-05");
    arguments.push_back(Keyword("affine", BoolLiteral(true)));
    return Made(std::move(layer), fmt::format("nn.InstanceNorm{}d", rank - 2), std::move(arguments),
                "input");
  }

  std::optional<LayerCall> PRelu() const {
    LayerCall layer;
    if (!Take(layer, "weight", "weight", false)) return std::nullopt;
    Exprs arguments;
    const std::int64_t slopes = SizeOf(call_.Tensor("weight"), 0);
    if (slopes != 1) arguments.push_back(Number(slopes, "num_parameters"));
    return Made(std::move(layer), "nn.PReLU", std::move(arguments), "self");
  }

  // Rows of a table that learns, at places that the program is given.
  std::optional<LayerCall> Embedding() const {
    LayerCall layer;
    if (!Take(layer, "weight", "self", false)) return std::nullopt;
    const std::string table = call_.Tensor("self");
    const Json& indices = *call_.Find("indices");
    if (!indices.contains("as_optional_tensors")) return std::nullopt;
    const Json& places = indices["as_optional_tensors"];
    const bool is_table = WeightOf(table)->kind == pt2::WeightKind::kParameter &&
                          program_.values.at(table).dims.size() == 2;
    if (!is_table || places.size() != 1 || !places[0].contains("as_tensor")) return std::nullopt;
    layer = *Made(
        std::move(layer), "nn.Embedding",
        {Number(SizeOf(table, 0), "num_embeddings"), Number(SizeOf(table, 1), "embedding_dim")},
        "self");
    layer.arguments = {ArgumentExpr(places[0], "")};
    return layer;
  }

  bool IsZero(const std::string& value) const {
    const auto producer = producers_.find(value);
    if (producer == producers_.end()) return false;
    const Call& call = *producer->second;
    return call.target == "aten.full.default" &&
           FlatText(ArgumentExpr(*call.Find("fill_value"), "")) == "0.0";
  }

  // Of one layer, as the table of operators has them.
  std::optional<LayerCall> Recurrence(std::string_view name) const {
    LayerCall layer;
    const Exprs weights = ArgumentExpr(*call_.Find("params"), "").parts;
    const bool has_bias = (*call_.Find("has_biases"))["as_bool"].get<bool>();
    const bool is_bidirectional = (*call_.Find("bidirectional"))["as_bool"].get<bool>();
    constexpr const char* kNames[] = {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"};
    const std::size_t each = has_bias ? 4 : 2;
    if (weights.size() != each * (is_bidirectional ? 2 : 1)) return std::nullopt;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (WeightOf(weights[i].text) == nullptr) return std::nullopt;
      layer.weights.emplace_back(std::string(kNames[i % each]) + (i < each ? "" : "_reverse"),
                                 weights[i].text);
    }
    Exprs arguments = {Number(SizeOf(weights[0].text, 1), "input_size"),
                       Number(SizeOf(weights[1].text, 1), "hidden_size")};
    if (call_.target == "aten.rnn_relu.input")
      arguments.push_back(Keyword("nonlinearity", Code("\"relu\"")));
    if (!has_bias) arguments.push_back(Keyword("bias", BoolLiteral(false)));
    AddOption(arguments, "batch_first", "batch_first", "False");
    AddOption(arguments, "bidirectional", "bidirectional", "False");
    std::optional<LayerCall> made = Made(std::move(layer), name, std::move(arguments), "input");
    if (!made) return std::nullopt;
    made->results_in_pair = true;
    Expr states = ArgumentExpr(*call_.Find("hx"), "");
    states.kind = states.kind == Expr::Kind::kList ? Expr::Kind::kTuple : states.kind;
    bool are_zero = true;
    ForEachPart(std::as_const(states), [&](const Expr& part) {
      if (part.kind == Expr::Kind::kValue) are_zero = are_zero && IsZero(part.text);
    });
    if (!are_zero) made->arguments.push_back(std::move(states));
    return made;
  }

  const Call& call_;
  const ProgramCalls& program_;
  const WeightsByValue& weights_;
  const ProducerOf& producers_;
};

}  // namespace

std::optional<LayerCall> ReadLayer(const Call& call, const ProgramCalls& program,
                                   const WeightsByValue& weights, const ProducerOf& producers) {
  return LayerReader(call, program, weights, producers).Read();
}

std::string UsualName(const Expr& constructor) {
  const std::string& name = constructor.parts.front().text;  // nn.Conv2d
  std::string usual;
  for (char c : name.substr(name.find('.') + 1)) {
    if (c >= '0' && c <= '9') break;
    usual += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return usual;
}

}  // namespace dragoman::pytorch
