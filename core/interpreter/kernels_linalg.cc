// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernels_linalg.h"

#include "runtime/kernels/complex_parts.h"
#include "runtime/kernels/dft.h"
#include "runtime/kernels/eigen.h"
#include "runtime/kernels/matrix_factors.h"
#include "runtime/kernels/triangular_solve.h"

namespace dragoman {
namespace {

using Reals = Types<float, double>;

template <class Complex>
using PartOf = Types<typename Complex::value_type>;

template <class Complex>
void AddPartKernels(KernelTable& table) {
  Add<Types<Complex>, PartOf<Complex>>(table, "ComplexToReal", []<class C, class R>() {
    return DRAGOMAN_KERNEL_ENTRY(ComplexToReal, C, R);
  });
  Add<Types<Complex>, PartOf<Complex>>(table, "RealToComplex", []<class C, class R>() {
    return DRAGOMAN_KERNEL_ENTRY(RealToComplex, C, R);
  });
}

}  // namespace

void AddLinalgKernels(KernelTable& table) {
  AddPartKernels<std::complex<float>>(table);
  AddPartKernels<std::complex<double>>(table);
  Add<Floats, Index>(table, "DFT", []<class T, class Tlength>() {
    return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(DFT, T, Tlength);
  });
  Add<Types<float, double, rt::Half>>(
      table, "Det", []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Det, T); });
  Add<Reals>(table, "Cholesky",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Cholesky, T); });
  Add<Reals>(table, "Eigen",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Eigen, T); });
  Add<Reals>(table, "HouseholderProduct",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(HouseholderProduct, T); });
  Add<Reals>(table, "HouseholderQr",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(HouseholderQr, T); });
  Add<Reals>(table, "LuFactor",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(LuFactor, T); });
  Add<Reals>(table, "Svd", []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Svd, T); });
  Add<Reals>(table, "SymmetricEigen",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(SymmetricEigen, T); });
  Add<Reals>(table, "TriangularSolve",
             []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(TriangularSolve, T); });
}

}  // namespace dragoman
