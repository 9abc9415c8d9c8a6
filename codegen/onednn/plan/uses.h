// SPDX-License-Identifier: Apache-2.0
// What steps read and write.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_USES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_USES_H_

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// Whether `step` calls a prepared operator of one of these types ("rt::PreparedConv").
bool IsPrepared(const Plan& plan, const Step& step, std::initializer_list<std::string_view> types);

// Every buffer that `step` reads or writes, its bodies included.
std::set<BufferId> BuffersOf(const Step& step);

// For the steps of one block: which of them makes a buffer and which read it.
class BlockUses {
 public:
  // Stands for readers after the block: its yields, outputs and states of the entry.
  static constexpr std::size_t kOutside = std::numeric_limits<std::size_t>::max();

  // `entry` is the one whose body `block` is, or nullptr.
  BlockUses(const Block& block, const PlanEntry* entry);

  // The step that makes `id`, or kOutside.
  std::size_t Maker(BufferId id) const;
  // Indices of steps, ascending, kOutside last.
  const std::set<std::size_t>& Readers(BufferId id) const;

 private:
  std::map<BufferId, std::size_t> makers_;
  std::map<BufferId, std::set<std::size_t>> readers_;
};

// Gives every buffer the positions of its first and last use; steps are numbered in the order in
// which they run, those of bodies within the position of their step. What a body reads and did not
// make is needed until its step ends, whatever the iteration.
void FindLifetimes(Plan& plan);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_USES_H_
