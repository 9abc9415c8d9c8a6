// SPDX-License-Identifier: Apache-2.0
// Functions that call one another as deep as a file nests. Their frames lie on the heap, so that
// the depth has no limit but memory:
//
//   Deep<Result<Tree>> Parser::ParseTree() {
//     …
//     DRAGOMAN_CO_ASSIGN(Tree inner, co_await ParseTree());
//     co_return Tree(std::move(inner));
//   }
//
//   Result<Tree> tree = ParseTree().Run();
//
// A call begins when it is awaited or run. Its arguments live in its frame: references must outlive
// it.
#ifndef DRAGOMAN_CORE_SUPPORT_DEEP_CALL_H_
#define DRAGOMAN_CORE_SUPPORT_DEEP_CALL_H_

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace dragoman {

template <class T>
class [[nodiscard]] Deep {
 public:
  struct promise_type;
  using Frame = std::coroutine_handle<promise_type>;

  struct promise_type {
    // Where the loop of Run learns which frame is next: none, once the outermost has ended.
    std::coroutine_handle<>* next = nullptr;
    std::coroutine_handle<> caller;
    std::optional<T> value;
    std::exception_ptr exception;

    struct ReturnToCaller {
      bool await_ready() const noexcept { return false; }
      void await_suspend(Frame frame) const noexcept {
        *frame.promise().next = frame.promise().caller;
      }
      void await_resume() const noexcept {}
    };

    Deep get_return_object() { return Deep(Frame::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    ReturnToCaller final_suspend() const noexcept { return {}; }
    void return_value(T result) { value.emplace(std::move(result)); }
    void unhandled_exception() { exception = std::current_exception(); }
  };

  explicit Deep(Frame frame) : frame_(frame) {}
  Deep(Deep&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Deep& operator=(Deep&&) = delete;
  ~Deep() {
    if (frame_) frame_.destroy();
  }

  T Run() && {
    std::coroutine_handle<> next = frame_;
    frame_.promise().next = &next;
    while (next) next.resume();
    return await_resume();
  }

  // What co_await asks for.
  bool await_ready() const noexcept { return false; }
  template <class Caller>
  void await_suspend(std::coroutine_handle<Caller> caller) noexcept {
    frame_.promise().caller = caller;
    frame_.promise().next = caller.promise().next;
    *frame_.promise().next = frame_;
  }
  T await_resume() {
    if (frame_.promise().exception) std::rethrow_exception(frame_.promise().exception);
    return *std::move(frame_.promise().value);
  }

 private:
  Frame frame_;
};

// DRAGOMAN_TRY and DRAGOMAN_ASSIGN (core/support/result.h) for such functions.
#define DRAGOMAN_CO_TRY(expr)                                        \
  do {                                                               \
    auto try_result_ = (expr);                                       \
    if (!try_result_.ok()) co_return std::move(try_result_).error(); \
  } while (false)
#define DRAGOMAN_CO_ASSIGN(declaration, expr) \
  DRAGOMAN_CO_ASSIGN_INNER(DRAGOMAN_CONCAT(assign_result_, __LINE__), declaration, expr)
#define DRAGOMAN_CO_ASSIGN_INNER(temporary, declaration, expr) \
  auto temporary = (expr);                                     \
  if (!temporary.ok()) co_return std::move(temporary).error(); \
  declaration = std::move(temporary).value()

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_DEEP_CALL_H_
