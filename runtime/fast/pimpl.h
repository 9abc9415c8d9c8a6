// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer to the part of an object that only its .cc file knows.
#ifndef DRAGOMAN_RUNTIME_FAST_PIMPL_H_
#define DRAGOMAN_RUNTIME_FAST_PIMPL_H_

#include <memory>
#include <utility>

namespace dragoman::rt {

// Owns a T, or nothing. Unlike std::unique_ptr<T> it can be moved and destroyed where T is
// incomplete, so the class that holds it declares no special members.
template <class T>
class Pimpl {
 public:
  Pimpl() = default;

  // Throws what the constructor of T throws, and std::bad_alloc.
  template <class... Arguments>
  static Pimpl Make(Arguments&&... arguments) {
    Pimpl made;
    made.object_ = {new T(std::forward<Arguments>(arguments)...), [](T* object) { delete object; }};
    return made;
  }

  T* operator->() const { return object_.get(); }
  T& operator*() const { return *object_; }

 private:
  std::unique_ptr<T, void (*)(T*)> object_{nullptr, nullptr};
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PIMPL_H_
