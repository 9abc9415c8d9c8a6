// SPDX-License-Identifier: Apache-2.0
// Errors as values. Every fallible function of dragoman returns Result<T>; nothing throws across
// our interfaces.
#ifndef DRAGOMAN_CORE_SUPPORT_RESULT_H_
#define DRAGOMAN_CORE_SUPPORT_RESULT_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dragoman {

enum class ErrorKind {
  kInvalidInput,  // the file or the call is at fault            (exit code 2)
  kInternal,      // a bug in dragoman                           (exit code 3)
  kUnsupported,   // understood, but dragoman cannot do it       (exit code 4)
};

// One finding, printed as `FILE:PLACE: error: what; found, expected; hint`. Lower case, no final
// period.
struct Finding {
  ErrorKind kind = ErrorKind::kInvalidInput;
  std::string file;     // empty if no file is concerned
  std::string place;    // "byte 123", "line 4:10", "node 'conv1' (Conv)"; may be empty
  std::string message;  // "operator Foo is unknown; expected one of …; hint"

  std::string ToString() const;
};

// One or more findings: all that stand in the way are reported at once. Never empty.
class [[nodiscard]] Error {
 public:
  Error(ErrorKind kind, std::string message);
  explicit Error(Finding finding);
  explicit Error(std::vector<Finding> findings);
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  const std::vector<Finding>& findings() const { return findings_; }
  std::vector<Finding>& findings() { return findings_; }
  // The gravest kind: internal before invalid input before unsupported.
  ErrorKind kind() const;
  // Fill in file or place where a finding has none yet; for callers that know more.
  Error& InFile(std::string_view file) &;
  Error InFile(std::string_view file) && { return std::move(InFile(file)); }
  Error& At(std::string_view place) &;
  Error At(std::string_view place) && { return std::move(At(place)); }
  std::string ToString() const;  // one line a finding

 private:
  std::vector<Finding> findings_;
};

Error InvalidInput(std::string message);
Error Unsupported(std::string message);
Error Internal(std::string message);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

#define DRAGOMAN_CONCAT_INNER(a, b) a##b
#define DRAGOMAN_CONCAT(a, b) DRAGOMAN_CONCAT_INNER(a, b)

// DRAGOMAN_TRY(expr): leaves the function with the error of a failed Status.
#define DRAGOMAN_TRY(expr)                              \
  do {                                                  \
    if (auto try_result_ = (expr); !try_result_.ok()) { \
      return std::move(try_result_).error();            \
    }                                                   \
  } while (false)

// DRAGOMAN_ASSIGN(auto x, expr): declares x, or leaves with the error of a failed Result<T>.
#define DRAGOMAN_ASSIGN(declaration, expr) \
  DRAGOMAN_ASSIGN_INNER(DRAGOMAN_CONCAT(assign_result_, __LINE__), declaration, expr)
#define DRAGOMAN_ASSIGN_INNER(temporary, declaration, expr) \
  auto temporary = (expr);                                  \
  if (!temporary.ok()) return std::move(temporary).error(); \
  declaration = std::move(temporary).value()

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_RESULT_H_
