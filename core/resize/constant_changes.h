// SPDX-License-Identifier: Apache-2.0
// What became of constants that stood for sizes.
#ifndef DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_
#define DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

struct ConstantChange {
  std::string node;         // Node::Describe
  std::size_t operand = 0;  // of that node
  std::string what;         // "its sizes are", or all that is to be said
  std::string after = {};   // "[n, 24]"
  std::string before = {};  // empty: `what` is all

  std::string Text() const;
};

// In order of the first change of each operand.
class ConstantChanges {
 public:
  // Two changes of one operand become one, from the value before the first to that of the second.
  void Add(ConstantChange change);
  void Add(const ConstantChanges& later);

  std::vector<std::string> Texts() const;
  std::size_t size() const { return changes_.size(); }
  std::size_t steps() const { return steps_; }  // calls of Add

 private:
  std::vector<ConstantChange> changes_;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places_;  // by node and operand
  std::size_t steps_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_
