// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that follow the products of one step of a recurrent operator: gates and new states of
// `units` hidden units of one row. Only runtime/fast includes this.
//
// `x` is the input's part of the gates, `r` the state's; in both the gates lie one after the
// other, `units` floats each. A state that is read may be the one that is written.
#ifndef DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_
#define DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_

#include <cmath>
#include <cstdint>

#include "runtime/params/recurrent.h"

namespace dragoman::rt {

// The functions of a cell, as the formulas of its operator name them, and what bounds their
// operands and results; infinite: nothing.
struct CellFunctions {
  RnnFunction f, g, h;
  float clip = INFINITY;    // arguments of f and g
  float cell = INFINITY;    // an LSTM's cell state
  float output = INFINITY;  // the hidden state that is given
  bool input_forget = false;
  bool are_usual = true;  // Sigmoid and Tanh, of an RNN Tanh or Relu, and no clip
};

// Gates i, o, f, c.
void LstmRow(std::int64_t units, const float* x, const float* r, float* c, float* h);

// The same by any functions, with peepholes i, o, f, `units` floats each, unless p is null. Like
// all loops by any functions, it computes in r.
void AnyLstmRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                const float* p, float* c, float* h);

// h, bounded by [-bound, bound].
void BoundRow(std::int64_t size, float bound, float* h);

// Gates z, r, h, of which the last multiplies the state before it resets it; `bias` is that of its
// product.
void GruRow(std::int64_t units, const float* x, const float* r, const float* bias, const float* h,
            float* next);
void AnyGruRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
               const float* bias, const float* h, float* next);

// Where the state is reset before: `r` begins with the gates z and r; z takes its place there.
void ResetRow(std::int64_t units, const float* x, float* r, const float* h, float* reset_h);
void AnyResetRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                 const float* h, float* reset_h);

// `r` is gate h's part of the reset state.
void UpdateRow(std::int64_t units, const float* x, const float* r, const float* z, const float* h,
               float* next);
void AnyUpdateRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                  const float* z, const float* h, float* next);

// The function of x + r.
void TanhRow(std::int64_t units, const float* x, const float* r, float* h);
void ReluRow(std::int64_t units, const float* x, const float* r, float* h);
void AnyRnnRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
               float* h);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_
