// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schur form Z·T·Z* of square matrices, by reduction to Hessenberg form and shifted QR steps, as
// LAPACK's hseqr does for small matrices. T is upper triangular; that of real matrices may have
// blocks of two rows on its diagonal, whose eigenvalues are a conjugate pair and whose diagonal
// elements are equal. Matrices are row-major; `epsilon` is that of the elements that are asked for,
// since it decides which steps are made, and so the order of eigenvalues.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SCHUR_H_
#define DRAGOMAN_RUNTIME_KERNELS_SCHUR_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

namespace dragoman::rt {

constexpr int kSchurSteps = 300;  // for one eigenvalue; a few are usual

template <class T>
void SetUnit(T* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n * n; ++i) z[i] = i % (n + 1) == 0 ? T(1) : T(0);
}

// The size of a number, as LAPACK reckons it here.
inline double SizeOf(double x) { return std::abs(x); }
inline double SizeOf(std::complex<double> x) { return std::abs(x.real()) + std::abs(x.imag()); }

// Whether element (k, k - 1) may count as zero beside the elements around it.
template <class T>
bool IsNegligible(const T* h, std::int64_t n, std::int64_t k, double epsilon) {
  constexpr double kLeast = std::numeric_limits<double>::min();
  const T *upper = h + (k - 1) * n + k - 1, *lower = upper + n;
  const double below = SizeOf(lower[0]), above = SizeOf(upper[1]);
  double size = SizeOf(upper[0]) + SizeOf(lower[1]);
  if (size == 0) {
    if (k >= 2) size += SizeOf(h[(k - 1) * n + k - 2]);
    if (k + 1 < n) size += SizeOf(h[(k + 1) * n + k]);
  }
  if (below <= kLeast) return true;
  if (below > epsilon * size) return false;
  // The test of Ahues and Tisseur.
  const double difference = SizeOf(upper[0] - lower[1]), last = SizeOf(lower[1]);
  const double most = std::max(last, difference), sum = most + std::max(below, above);
  return std::min(below, above) * (std::max(below, above) / sum) <=
         std::max(kLeast, epsilon * (std::min(last, difference) * (most / sum)));
}

// The first row of the block that ends in row `last`.
template <class T>
std::int64_t BeginOfBlock(T* h, std::int64_t n, std::int64_t last, double epsilon) {
  std::int64_t k = last;
  while (k > 0 && !IsNegligible(h, n, k, epsilon)) --k;
  if (k > 0) h[k * n + k - 1] = 0;
  return k;
}

// 1 - tau·v·v', which makes multiples of the first unit vector of a vector of up to three elements,
// or of a column. v[0] is 1 and not stored.
struct Reflection {
  double tau = 0, beta = 0;
};

// Of (alpha, x[0], x[stride], …); x becomes the rest of v.
inline Reflection MakeReflection(double alpha, double* x, std::int64_t count, std::int64_t stride) {
  double norm = 0;
  for (std::int64_t i = 0; i < count; ++i) norm = std::hypot(norm, x[i * stride]);
  if (norm == 0) return {0, alpha};
  const double beta = -std::copysign(std::hypot(alpha, norm), alpha);
  for (std::int64_t i = 0; i < count; ++i) x[i * stride] /= alpha - beta;
  return {(beta - alpha) / beta, beta};
}

// Elements x[0], x[step], … take part: count of v and one ahead.
inline void Reflect(double tau, const double* v, std::int64_t v_stride, std::int64_t count,
                    double* x, std::int64_t step) {
  double sum = x[0];
  for (std::int64_t i = 0; i < count; ++i) sum += v[i * v_stride] * x[(i + 1) * step];
  x[0] -= tau * sum;
  for (std::int64_t i = 0; i < count; ++i) x[(i + 1) * step] -= tau * sum * v[i * v_stride];
}

inline void ReduceToHessenberg(double* h, double* z, std::int64_t n) {
  for (std::int64_t k = 0; k + 2 < n; ++k) {
    double* v = h + (k + 2) * n + k;
    const std::int64_t count = n - k - 2;
    const Reflection r = MakeReflection(h[(k + 1) * n + k], v, count, n);
    for (std::int64_t j = k + 1; j < n; ++j) Reflect(r.tau, v, n, count, h + (k + 1) * n + j, n);
    for (std::int64_t i = 0; i < n; ++i) {
      Reflect(r.tau, v, n, count, h + i * n + k + 1, 1);
      Reflect(r.tau, v, n, count, z + i * n + k + 1, 1);
    }
    h[(k + 1) * n + k] = r.beta;
    for (std::int64_t i = 0; i < count; ++i) v[i * n] = 0;
  }
}

// Two eigenvalues, real or a conjugate pair.
struct Shifts {
  double re[2], im[2];
};

// Of the last two rows of a block; after some steps in vain others, near the begin or the end.
inline Shifts ChooseShifts(const double* h, std::int64_t n, std::int64_t begin, std::int64_t last,
                           int step) {
  const auto at = [&](std::int64_t i, std::int64_t j) { return h[i * n + j]; };
  double a = at(last - 1, last - 1), b = at(last - 1, last), c = at(last, last - 1);
  double d = at(last, last);
  if (step % 10 == 9) {
    const bool at_begin = step % 20 == 9;
    c = at_begin ? std::abs(at(begin + 1, begin)) + std::abs(at(begin + 2, begin + 1))
                 : std::abs(at(last, last - 1)) + std::abs(at(last - 1, last - 2));
    a = d = 0.75 * c + (at_begin ? at(begin, begin) : at(last, last));
    b = -0.4375 * c;
  }
  const double scale = std::abs(a) + std::abs(b) + std::abs(c) + std::abs(d);
  if (scale == 0) return {};
  const double mean = (a / scale + d / scale) / 2;
  const double det = (a / scale - mean) * (d / scale - mean) - b / scale * (c / scale);
  const double root = std::sqrt(std::abs(det));
  if (det >= 0) return {{mean * scale, mean * scale}, {root * scale, -root * scale}};
  const double first = mean + root, second = mean - root, target = d / scale;
  const double near = std::abs(first - target) <= std::abs(second - target) ? first : second;
  return {{near * scale, near * scale}, {0, 0}};
}

// The first column of the product of both shifted matrices, from row m on.
inline void FirstColumn(const double* h, std::int64_t n, std::int64_t m, const Shifts& s,
                        double* v) {
  const double* row = h + m * n + m;  // (m, m), (m, m + 1)
  const double *next = row + n, *third = next + n;
  const double scale = std::abs(row[0] - s.re[1]) + std::abs(s.im[1]) + std::abs(next[0]);
  const double below = next[0] / scale;
  v[0] = below * row[1] + (row[0] - s.re[0]) * ((row[0] - s.re[1]) / scale) -
         s.im[0] * (s.im[1] / scale);
  v[1] = below * (row[0] + next[1] - s.re[0] - s.re[1]);
  v[2] = below * third[1];
  const double sum = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
  for (int i = 0; i < 3; ++i) v[i] /= sum;
}

// A double-shifted QR step of rows begin … last.
inline void StepQr(double* h, double* z, std::int64_t n, std::int64_t begin, std::int64_t last,
                   const Shifts& shifts, double epsilon) {
  double v[3];
  std::int64_t m = last - 2;
  for (;; --m) {
    FirstColumn(h, n, m, shifts, v);
    if (m == begin) break;
    const double around = std::abs(h[(m - 1) * n + m - 1]) + std::abs(h[m * n + m]) +
                          std::abs(h[(m + 1) * n + m + 1]);
    const double left = std::abs(h[m * n + m - 1]) * (std::abs(v[1]) + std::abs(v[2]));
    if (left <= epsilon * std::abs(v[0]) * around) break;
  }
  for (std::int64_t k = m; k < last; ++k) {
    const std::int64_t count = std::min<std::int64_t>(2, last - k);
    for (std::int64_t i = 0; k > m && i <= count; ++i) v[i] = h[(k + i) * n + k - 1];
    const Reflection r = MakeReflection(v[0], v + 1, count, 1);
    if (k > m) {
      h[k * n + k - 1] = r.beta;
      for (std::int64_t i = 1; i <= count; ++i) h[(k + i) * n + k - 1] = 0;
    } else if (m > begin) {
      h[k * n + k - 1] *= 1 - r.tau;
    }
    for (std::int64_t j = k; j < n; ++j) Reflect(r.tau, v + 1, 1, count, h + k * n + j, n);
    for (std::int64_t i = 0; i <= std::min(k + 3, last); ++i)
      Reflect(r.tau, v + 1, 1, count, h + i * n + k, 1);
    for (std::int64_t i = 0; i < n; ++i) Reflect(r.tau, v + 1, 1, count, z + i * n + k, 1);
  }
}

struct PlaneRotation {
  double cosine = 1, sine = 0;
};

// Makes of a block [a b; c d] a triangular one, or one with equal diagonal elements (lanv2).
inline PlaneRotation StandardiseBlock(double& a, double& b, double& c, double& d, double epsilon) {
  const auto sign = [](double x) { return std::copysign(1.0, x); };
  if (c == 0 || (a == d && sign(b) != sign(c))) return {};
  if (b == 0) {
    std::swap(a, d);
    b = std::exchange(c, 0) * -1;
    return {0, 1};
  }
  const double p = (a - d) / 2, most = std::max(std::abs(b), std::abs(c));
  const double least = std::min(std::abs(b), std::abs(c)) * sign(b) * sign(c);
  const double scale = std::max(std::abs(p), most);
  double disc = p / scale * p + most / scale * least;
  if (disc >= 4 * epsilon) {
    disc = p + std::copysign(std::sqrt(scale) * std::sqrt(disc), p);
    const double length = std::hypot(c, disc);
    a = d + disc;
    d -= most / disc * least;
    const PlaneRotation r = {disc / length, c / length};
    b -= std::exchange(c, 0);
    return r;
  }
  const double sum = b + c, length = std::hypot(sum, a - d);
  PlaneRotation r;
  r.cosine = std::sqrt((1 + std::abs(sum) / length) / 2);
  r.sine = -(p / (length * r.cosine)) * sign(sum);
  const double aa = a * r.cosine + b * r.sine, bb = -a * r.sine + b * r.cosine;
  const double cc = c * r.cosine + d * r.sine, dd = -c * r.sine + d * r.cosine;
  b = bb * r.cosine + dd * r.sine;
  c = -aa * r.sine + cc * r.cosine;
  const double mean = (aa * r.cosine + cc * r.sine - bb * r.sine + dd * r.cosine) / 2;
  a = d = mean;
  if (c == 0 || (b != 0 && sign(b) != sign(c))) return r;
  if (b == 0) {
    b = std::exchange(c, 0) * -1;
    return {-r.sine, r.cosine};
  }
  const double root_b = std::sqrt(std::abs(b)), root_c = std::sqrt(std::abs(c));
  const double shift = std::copysign(root_b * root_c, c), tau = 1 / std::sqrt(std::abs(b + c));
  a = mean + shift;
  d = mean - shift;
  b -= std::exchange(c, 0);
  const double cosine = root_b * tau, sine = root_c * tau;
  return {r.cosine * cosine - r.sine * sine, r.cosine * sine + r.sine * cosine};
}

// The block of rows k and k + 1 in its standard form, and all around it.
inline void SplitBlock(double* h, double* z, std::int64_t n, std::int64_t k, double epsilon) {
  double *upper = h + k * n, *lower = upper + n;
  const PlaneRotation r = StandardiseBlock(upper[k], upper[k + 1], lower[k], lower[k + 1], epsilon);
  const auto turn = [&](double& x, double& y) {
    const double old = x;
    x = r.cosine * x + r.sine * y;
    y = r.cosine * y - r.sine * old;
  };
  for (std::int64_t j = k + 2; j < n; ++j) turn(upper[j], lower[j]);
  for (std::int64_t i = 0; i < k; ++i) turn(h[i * n + k], h[i * n + k + 1]);
  for (std::int64_t i = 0; i < n; ++i) turn(z[i * n + k], z[i * n + k + 1]);
}

// h becomes T. Whether the steps came to an end.
inline bool FactorSchur(double* h, double* z, std::int64_t n, double epsilon) {
  SetUnit(z, n);
  ReduceToHessenberg(h, z, n);
  for (std::int64_t last = n - 1; last >= 0;) {
    std::int64_t begin = 0;
    int step = 0;
    for (;; ++step) {
      begin = BeginOfBlock(h, n, last, epsilon);
      if (begin >= last - 1 || step == kSchurSteps) break;
      StepQr(h, z, n, begin, last, ChooseShifts(h, n, begin, last, step), epsilon);
    }
    if (begin < last - 1) return false;
    if (begin == last - 1) SplitBlock(h, z, n, begin, epsilon);
    last = begin - 1;
  }
  return true;
}

using ComplexDouble = std::complex<double>;

// Rows, or columns, x and y of `count` elements: (x, y) becomes (c·x + s·y, c·y - s'·x), by which
// the element that it was made of vanishes.
struct UnitaryRotation {
  double cosine = 1;
  ComplexDouble sine = 0;

  UnitaryRotation(ComplexDouble x, ComplexDouble y) {
    const double length = std::hypot(std::abs(x), std::abs(y));
    if (y == 0.0) return;
    cosine = std::abs(x) / length;
    const ComplexDouble phase = x == 0.0 ? ComplexDouble(1) : x / std::abs(x);
    sine = phase * std::conj(y) / length;
  }

  void TurnRows(ComplexDouble* x, ComplexDouble* y, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const ComplexDouble old = x[i];
      x[i] = cosine * old + sine * y[i];
      y[i] = cosine * y[i] - std::conj(sine) * old;
    }
  }
  void TurnColumns(ComplexDouble* x, std::int64_t count, std::int64_t stride) const {
    for (std::int64_t i = 0; i < count; ++i, x += stride) {
      const ComplexDouble old = x[0];
      x[0] = cosine * old + std::conj(sine) * x[1];
      x[1] = cosine * x[1] - sine * old;
    }
  }
};

inline void ReduceToHessenberg(ComplexDouble* h, ComplexDouble* z, std::int64_t n) {
  for (std::int64_t k = 0; k + 2 < n; ++k) {
    for (std::int64_t i = n - 1; i > k + 1; --i) {
      ComplexDouble *upper = h + (i - 1) * n, *lower = upper + n;
      const UnitaryRotation r(upper[k], lower[k]);
      r.TurnRows(upper + k, lower + k, n - k);
      lower[k] = 0;
      r.TurnColumns(h + i - 1, n, n);
      r.TurnColumns(z + i - 1, n, n);
    }
  }
}

// The eigenvalue of the last two rows that is nearer to the last element.
inline ComplexDouble ChooseShift(const ComplexDouble* h, std::int64_t n, std::int64_t last,
                                 int step) {
  const ComplexDouble *upper = h + (last - 1) * n + last - 1, *lower = upper + n;
  if (step % 10 == 9) return lower[1] + 0.75 * std::abs(lower[0]);
  const ComplexDouble half = (upper[0] - lower[1]) / 2.0;
  const ComplexDouble root = std::sqrt(half * half + upper[1] * lower[0]);
  const bool same = half.real() * root.real() + half.imag() * root.imag() >= 0;
  const ComplexDouble sum = same ? half + root : half - root;
  return sum == 0.0 ? lower[1] : lower[1] - upper[1] * lower[0] / sum;
}

inline void StepQr(ComplexDouble* h, ComplexDouble* z, std::int64_t n, std::int64_t begin,
                   std::int64_t last, ComplexDouble shift, double epsilon) {
  // From where two elements below the diagonal, one after the other, are small.
  std::int64_t m = last - 1;
  for (; m > begin; --m) {
    const ComplexDouble own = h[m * n + m], next = h[(m + 1) * n + m + 1];
    const double first = SizeOf(own - shift), below = SizeOf(h[(m + 1) * n + m]);
    const double sum = first + below;
    if (SizeOf(h[m * n + m - 1]) * (below / sum) <=
        epsilon * (first / sum * (SizeOf(own) + SizeOf(next))))
      break;
  }
  ComplexDouble x = h[m * n + m] - shift, y = h[(m + 1) * n + m];
  for (std::int64_t k = m; k < last; ++k) {
    const UnitaryRotation r(x, y);
    const std::int64_t from = std::max(begin, k - 1);
    r.TurnRows(h + k * n + from, h + (k + 1) * n + from, n - from);
    if (k > begin) h[(k + 1) * n + k - 1] = 0;
    r.TurnColumns(h + k, std::min(k + 2, last) + 1, n);
    r.TurnColumns(z + k, n, n);
    if (k + 1 == last) break;
    x = h[(k + 1) * n + k];
    y = h[(k + 2) * n + k];
  }
}

inline bool FactorSchur(ComplexDouble* h, ComplexDouble* z, std::int64_t n, double epsilon) {
  SetUnit(z, n);
  ReduceToHessenberg(h, z, n);
  for (std::int64_t last = n - 1; last >= 0;) {
    for (int step = 0;; ++step) {
      const std::int64_t begin = BeginOfBlock(h, n, last, epsilon);
      if (begin == last) break;
      if (step == kSchurSteps) return false;
      StepQr(h, z, n, begin, last, ChooseShift(h, n, last, step), epsilon);
    }
    --last;
  }
  return true;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SCHUR_H_
