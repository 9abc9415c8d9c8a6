// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products for MatMul, Gemm, Linear, the convolutions and the recurrent ops: tiled so that
// the compiler vectorises across results, and in an order that depends on the sizes alone.
#ifndef DRAGOMAN_RUNTIME_KERNELS_PRODUCT_H_
#define DRAGOMAN_RUNTIME_KERNELS_PRODUCT_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {

// The type in which products of T are summed. Integers are summed modulo 2^n.
template <class T>
using ProductSum =
    std::conditional_t<kIsFloating<T>, Accumulate<T>,
                       std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>>;

// A block of results and the factors of the next kDepth products.
template <class Sum>
struct ProductTile {
  static constexpr int kRows = 16;
  static constexpr int kColumns = 64;
  static constexpr int kDepth = 4;

  Sum left[kDepth][kRows];
  Sum right[kDepth][kColumns];
  Sum sums[kRows][kColumns];

  void Clear(int rows, int columns) {
    for (int r = 0; r < rows; ++r) std::fill_n(sums[r], columns, Sum(0));
  }

  // sums[r][c] += sum over d of left[d][r] * right[d][c]
  void AddProducts(int rows, int columns) {
    for (int r = 0; r < rows; ++r) {
      const Sum l0 = left[0][r], l1 = left[1][r], l2 = left[2][r], l3 = left[3][r];
      Sum* row = sums[r];
      for (int c = 0; c < columns; ++c) {
        row[c] += (l0 * right[0][c] + l1 * right[1][c]) + (l2 * right[2][c] + l3 * right[3][c]);
      }
    }
  }

  // One product, for what remains of a depth that kDepth does not divide.
  void AddProduct(int d, int rows, int columns) {
    for (int r = 0; r < rows; ++r) {
      const Sum factor = left[d][r];
      for (int c = 0; c < columns; ++c) sums[r][c] += factor * right[d][c];
    }
  }
};

struct ProductSizes {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

// The step in elements from one row, or one column, to the next.
struct MatrixStrides {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

// The sum of a(k) * b(k) for k in [0, depth), both given as Sum.
template <class Sum, class A, class B>
Sum DotProduct(std::int64_t depth, A a, B b) {
  constexpr int kLanes = 16;
  Sum lanes[kLanes] = {};
  std::int64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    for (int l = 0; l < kLanes; ++l) lanes[l] += a(k + l) * b(k + l);
  }
  for (int l = 0; k < depth; ++k, ++l) lanes[l] += a(k) * b(k);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
  }
  return lanes[0];
}

// Makes the sums over k of a(i, k) * b(k, j) for the tile of `rows` and `columns` at (i0, j0).
// Apart from what is made of them, since it is most of the code.
template <class Sum, class A, class B>
__attribute__((noinline)) void SumTile(std::int64_t depth, A a, B b, std::int64_t i0, int rows,
                                       std::int64_t j0, int columns, ProductTile<Sum>* tile) {
  using Tile = ProductTile<Sum>;
  const auto load = [&](int d, std::int64_t k) {
    for (int r = 0; r < rows; ++r) tile->left[d][r] = a(i0 + r, k);
    for (int c = 0; c < columns; ++c) tile->right[d][c] = b(k, j0 + c);
  };
  tile->Clear(rows, columns);
  std::int64_t k = 0;
  for (; k + Tile::kDepth <= depth; k += Tile::kDepth) {
    for (int d = 0; d < Tile::kDepth; ++d) load(d, k + d);
    tile->AddProducts(rows, columns);
  }
  for (; k < depth; ++k) {
    load(0, k);
    tile->AddProduct(0, rows, columns);
  }
}

// Calls store(i, j, sum over k of a(i, k) * b(k, j)) for every i and j. It suits a `b` that is
// contiguous in j.
template <class Sum, class A, class B, class Store>
void MultiplyTiles(ProductSizes sizes, A a, B b, Store store) {
  using Tile = ProductTile<Sum>;
  Tile tile;
  for (std::int64_t j0 = 0; j0 < sizes.columns; j0 += Tile::kColumns) {
    const int columns =
        static_cast<int>(std::min<std::int64_t>(Tile::kColumns, sizes.columns - j0));
    for (std::int64_t i0 = 0; i0 < sizes.rows; i0 += Tile::kRows) {
      const int rows = static_cast<int>(std::min<std::int64_t>(Tile::kRows, sizes.rows - i0));
      SumTile<Sum>(sizes.depth, a, b, i0, rows, j0, columns, &tile);
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) store(i0 + r, j0 + c, tile.sums[r][c]);
      }
    }
  }
}

// The same by dot products. It suits an `a` and a `b` that are contiguous in k.
template <class Sum, class A, class B, class Store>
void MultiplyDots(ProductSizes sizes, A a, B b, Store store) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t i0 = 0; i0 < sizes.rows; i0 += kBlock) {
    const std::int64_t i1 = std::min(sizes.rows, i0 + kBlock);
    for (std::int64_t j = 0; j < sizes.columns; ++j) {
      for (std::int64_t i = i0; i < i1; ++i) {
        store(i, j,
              DotProduct<Sum>(
                  sizes.depth, [&](std::int64_t k) { return a(i, k); },
                  [&](std::int64_t k) { return b(k, j); }));
      }
    }
  }
}

// Calls store(i, j, sum) for the product of two strided matrices.
template <class T, class Store>
void Multiply(ProductSizes sizes, const T* a, MatrixStrides sa, const T* b, MatrixStrides sb,
              Store store) {
  using Sum = ProductSum<T>;
  const auto strided_a = [=](std::int64_t i, std::int64_t k) {
    return static_cast<Sum>(a[i * sa.row + k * sa.column]);
  };
  if (sa.column == 1 && sb.row == 1) {
    MultiplyDots<Sum>(
        sizes, [=](std::int64_t i, std::int64_t k) { return static_cast<Sum>(a[i * sa.row + k]); },
        [=](std::int64_t k, std::int64_t j) { return static_cast<Sum>(b[j * sb.column + k]); },
        store);
  } else if (sb.column == 1) {
    MultiplyTiles<Sum>(
        sizes, strided_a,
        [=](std::int64_t k, std::int64_t j) { return static_cast<Sum>(b[k * sb.row + j]); }, store);
  } else {
    MultiplyTiles<Sum>(
        sizes, strided_a,
        [=](std::int64_t k, std::int64_t j) {
          return static_cast<Sum>(b[k * sb.row + j * sb.column]);
        },
        store);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_PRODUCT_H_
