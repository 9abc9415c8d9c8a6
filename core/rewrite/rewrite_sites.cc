// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rewrite_sites.h"

namespace dragoman {
namespace {

std::string NameOf(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) return node.result(i)->name();
  }
  return {};
}

}  // namespace

bool RewriteSites::Take(const Node& node) {
  if (taken_.size() == most_) return false;
  std::string name = NameOf(node);
  if (left_out_.contains(name)) return false;
  taken_.push_back(std::move(name));
  return true;
}

}  // namespace dragoman
