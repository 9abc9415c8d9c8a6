// Tuples whose nesting a program of a file controls.
#ifndef DRAGOMAN_CORE_LOWERING_TUPLES_H_
#define DRAGOMAN_CORE_LOWERING_TUPLES_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/lowering/abstract.h"
#include "core/support/result.h"

namespace dragoman {

// Makes tuples that nest at most kMaxDepth deep, destroys them without recursion, and knows which
// hold something that was reported as unsupported.
class TupleMaker {
 public:
  static constexpr int kMaxDepth = 10'000;

  // Errors: `items` nest too deep.
  Result<Abstract> Make(std::vector<Abstract> items);
  // Whether the value, or what a tuple holds, is Poison.
  bool IsPoisoned(const Abstract& value) const;

 private:
  using Items = std::vector<Abstract>;
  struct Known {
    int depth = 1;
    bool is_poisoned = false;
  };
  struct Alive {
    std::unordered_map<const Items*, Known> tuples;
    std::vector<const Items*> dying;
    bool is_busy = false;  // takes apart what is dying

    void Release(const Items* dead);
  };

  std::shared_ptr<Alive> alive_ = std::make_shared<Alive>();
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_TUPLES_H_
