// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Balancing of square matrices, as LAPACK's gebal does it ahead of a search for eigenvalues: rows
// and columns that hold an eigenvalue by themselves go to the ends, and the others are scaled by
// powers of 2 until rows and columns are of like size. Matrices are row-major.
#ifndef DRAGOMAN_RUNTIME_KERNELS_BALANCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_BALANCE_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

namespace dragoman::rt {

// Rows begin … end - 1 were scaled, each by its scale; any other was exchanged with the row that
// its scale is, those ahead of `begin` from there on downwards, and those after from `end` on
// upwards.
struct Balance {
  std::int64_t begin = 0, end = 0;
};

template <class T>
class Balancer {
 public:
  Balancer(T* a, std::int64_t n, double* scale) : a_(a), n_(n), scale_(scale) {}

  Balance Run() {
    balance_ = {0, n_};
    while (IsolateRow()) {
    }
    while (IsolateColumn()) {
    }
    std::fill(scale_ + balance_.begin, scale_ + balance_.end, 1.0);
    for (bool scaled = true; scaled;) {
      scaled = false;
      for (std::int64_t i = balance_.begin; i < balance_.end; ++i) scaled = ScaleOne(i) || scaled;
    }
    return balance_;
  }

 private:
  T& At(std::int64_t i, std::int64_t j) { return a_[i * n_ + j]; }

  void Exchange(std::int64_t i, std::int64_t with) {
    scale_[with] = static_cast<double>(i);
    if (i == with) return;
    for (std::int64_t k = 0; k < balance_.end; ++k) std::swap(At(k, i), At(k, with));
    for (std::int64_t k = balance_.begin; k < n_; ++k) std::swap(At(i, k), At(with, k));
  }

  bool IsolateRow() {
    for (std::int64_t j = balance_.end; j-- > balance_.begin;) {
      bool alone = true;
      for (std::int64_t i = balance_.begin; i < balance_.end; ++i)
        alone = alone && (i == j || At(j, i) == T(0));
      if (!alone) continue;
      Exchange(j, balance_.end - 1);
      --balance_.end;
      return balance_.end > balance_.begin;
    }
    return false;
  }

  bool IsolateColumn() {
    for (std::int64_t j = balance_.begin; j < balance_.end; ++j) {
      bool alone = true;
      for (std::int64_t i = balance_.begin; i < balance_.end; ++i)
        alone = alone && (i == j || At(i, j) == T(0));
      if (!alone) continue;
      Exchange(j, balance_.begin);
      ++balance_.begin;
      return true;
    }
    return false;
  }

  // Whether scaling row and column i makes them smaller together.
  bool ScaleOne(std::int64_t i) {
    constexpr double kMost = 1e290, kLeast = 1e-290;
    double column = 0, row = 0;
    for (std::int64_t k = balance_.begin; k < balance_.end; ++k) {
      column = std::hypot(column, std::abs(At(k, i)));
      row = std::hypot(row, std::abs(At(i, k)));
    }
    if (column == 0 || row == 0) return false;
    const double before = column + row;
    double factor = 1;
    for (; column < row / 2 && std::max(factor, column) < kMost && row > kLeast; row /= 2) {
      factor *= 2;
      column *= 2;
    }
    for (; column / 2 >= row && row < kMost && std::min(factor, column) > kLeast; row *= 2) {
      factor /= 2;
      column /= 2;
    }
    const double whole = scale_[i] * factor;
    if (column + row >= 0.95 * before || whole < kLeast || whole > kMost) return false;
    scale_[i] = whole;
    for (std::int64_t k = balance_.begin; k < n_; ++k) At(i, k) /= factor;
    for (std::int64_t k = 0; k < balance_.end; ++k) At(k, i) *= factor;
    return true;
  }

  T* a_;
  std::int64_t n_;
  double* scale_;
  Balance balance_;
};

// The eigenvectors, in columns, of the matrix as it was.
inline void UndoBalance(const Balance& balance, const double* scale, std::complex<double>* vectors,
                        std::int64_t n) {
  const auto exchange = [&](std::int64_t i) {
    const auto with = static_cast<std::int64_t>(scale[i]);
    if (with != i) std::swap_ranges(vectors + i * n, vectors + (i + 1) * n, vectors + with * n);
  };
  for (std::int64_t i = balance.begin; i < balance.end; ++i) {
    for (std::int64_t k = 0; k < n; ++k) vectors[i * n + k] *= scale[i];
  }
  for (std::int64_t i = balance.begin; i-- > 0;) exchange(i);
  for (std::int64_t i = balance.end; i < n; ++i) exchange(i);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_BALANCE_H_
