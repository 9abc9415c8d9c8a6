// SPDX-License-Identifier: Apache-2.0
// The functions of LSTM, GRU and RNN where the attribute `activations` names none.
#ifndef DRAGOMAN_CORE_OPS_DEFAULT_ACTIVATIONS_H_
#define DRAGOMAN_CORE_OPS_DEFAULT_ACTIVATIONS_H_

#include <span>
#include <string_view>

namespace dragoman {

inline constexpr std::string_view kLstmActivations[] = {"Sigmoid", "Tanh", "Tanh"};
inline constexpr std::string_view kGruActivations[] = {"Sigmoid", "Tanh"};
inline constexpr std::string_view kRnnActivations[] = {"Tanh"};

// Of one direction of the operator `type`: "LSTM", "GRU" or "RNN".
constexpr std::span<const std::string_view> DefaultActivations(std::string_view type) {
  if (type == "GRU") return kGruActivations;
  if (type == "RNN") return kRnnActivations;
  return kLstmActivations;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_DEFAULT_ACTIVATIONS_H_
