// SPDX-License-Identifier: Apache-2.0
// What long work is being done, on a terminal only.
#ifndef DRAGOMAN_CORE_SUPPORT_PROGRESS_H_
#define DRAGOMAN_CORE_SUPPORT_PROGRESS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace dragoman {

// One line on standard error that is rewritten in place, "compiling the program, 12 s", and erased
// at the end. Silent for the first second, and always where standard error is not a terminal. Work
// inside other work shows none of its own.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

 private:
  void Show();  // until the work ends

  std::string what_;
  bool outermost_ = false;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread thread_;
};

// Erases the line, so that something else can be written to standard error.
void EraseProgress();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PROGRESS_H_
