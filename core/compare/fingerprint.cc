// SPDX-License-Identifier: Apache-2.0
#include "core/compare/fingerprint.h"

#include <bit>
#include <type_traits>
#include <variant>

#include "core/ir/domain.h"

namespace dragoman::compare {
namespace {

void AppendDouble(std::string& out, double value) {
  AppendInt(out, std::bit_cast<std::uint64_t>(value));
}

}  // namespace

void AppendInt(std::string& out, std::uint64_t value) {
  char bytes[sizeof value];
  for (std::size_t i = 0; i < sizeof value; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.append(bytes, sizeof bytes);
}

void AppendText(std::string& out, std::string_view text) {
  AppendInt(out, text.size());
  out += text;
}

void AppendOp(std::string& out, const OpName& op) {
  AppendText(out, op.dialect);
  AppendText(out, CanonicalDomain(op.domain));
  AppendText(out, op.type);
  AppendText(out, op.overload);
}

void AttributeEncoder::AppendLeaf(const Attribute& attribute, std::string& out) {
  const auto append = [&](const auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, float>) {
      AppendInt(out, std::bit_cast<std::uint32_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      AppendDouble(out, value);
    } else if constexpr (std::is_integral_v<T>) {
      AppendInt(out, static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      AppendText(out, value);
    } else if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, SparseTensor>) {
      AppendInt(out, constants_.ClassOf(value));
    } else if constexpr (std::is_same_v<T, Type>) {
      AppendText(out, type ? type(value) : value.ToString());
    } else if constexpr (std::is_same_v<T, Symbol>) {
      AppendText(out, symbol ? symbol(value) : value.name);
    } else if constexpr (std::is_same_v<T, AttributeRef>) {
      AppendText(out, value.name);
      AppendInt(out, static_cast<std::uint64_t>(value.kind));
    } else if constexpr (std::is_same_v<T, Attribute::Complex>) {
      AppendDouble(out, value.real());
      AppendDouble(out, value.imag());
    } else if constexpr (std::is_same_v<T, Attribute::GraphPtr>) {
      if (graph) AppendInt(out, graph(*value));
    } else if constexpr (std::is_same_v<T, Attribute::TensorPtr> ||
                         std::is_same_v<T, Attribute::SparseTensorPtr>) {
      AppendInt(out, constants_.ClassOf(*value));
    }
  };
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Attribute::List> || std::is_same_v<T, Attribute::Dict> ||
                      std::is_same_v<T, Attribute::None>) {
          return;
        } else if constexpr (requires { value.begin(); } && !std::is_same_v<T, std::string>) {
          AppendInt(out, value.size());
          for (const auto& element : value) append(element);
        } else {
          append(value);
        }
      },
      attribute.storage());
}

void AttributeEncoder::Append(const Attribute& attribute, std::string& out) {
  struct Pending {
    const Attribute* attribute;
    const std::string* key;
  };
  std::vector<Pending> pending = {{&attribute, nullptr}};
  while (!pending.empty()) {
    const auto [at, key] = pending.back();
    pending.pop_back();
    if (key != nullptr) AppendText(out, *key);
    out += static_cast<char>(at->kind());
    if (const auto* list = at->As<Attribute::List>()) {
      AppendInt(out, list->size());
      for (auto e = list->rbegin(); e != list->rend(); ++e) pending.push_back({&*e, nullptr});
    } else if (const auto* dict = at->As<Attribute::Dict>()) {
      AppendInt(out, dict->size());
      for (auto e = dict->rbegin(); e != dict->rend(); ++e) {
        pending.push_back({&e->value, &e->name});
      }
    } else {
      AppendLeaf(*at, out);
    }
  }
}

}  // namespace dragoman::compare
