// SPDX-License-Identifier: Apache-2.0
// What became of constants that stood for sizes.
#ifndef DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_
#define DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_

#include <cstddef>
#include <string>
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
  // An operand that was changed before is told once, from its first value to this one.
  void Add(ConstantChange change);
  void Add(const ConstantChanges& later);

  std::vector<std::string> Texts() const;
  std::size_t size() const { return changes_.size(); }
  std::size_t steps() const { return steps_; }  // calls of Add

 private:
  std::vector<ConstantChange> changes_;
  std::size_t steps_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_CONSTANT_CHANGES_H_
