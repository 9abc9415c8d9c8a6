// Progress of long work, on a terminal only.
#ifndef DRAGOMAN_CORE_SUPPORT_PROGRESS_H_
#define DRAGOMAN_CORE_SUPPORT_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace dragoman {

// One line on standard error that is rewritten in place, "reading weights 45 %", and wiped at the
// end. Silent for the first second, and always where standard error is no terminal. For one thread.
class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Advance(std::uint64_t steps = 1);

 private:
  std::string what_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;  // when to write again
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PROGRESS_H_
