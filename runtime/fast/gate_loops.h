// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that follow the products of one step of a recurrent operator: gates and new states of
// `units` hidden units of one row. Only runtime/fast includes this.
//
// `x` is the input's part of the gates, `r` the state's; in both the gates lie one behind the
// other, `units` floats each. A state that is read may be the one that is written.
#ifndef DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_
#define DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_

#include <cstdint>

namespace dragoman::rt {

// Gates i, o, f, c.
void LstmRow(std::int64_t units, const float* x, const float* r, float* c, float* h);

// The same with peepholes i, o, f, `units` floats each, and bounds, which are infinite where there
// are none.
void BoundedLstmRow(std::int64_t units, const float* x, const float* r, const float* p,
                    float cell_bound, float bound, float* c, float* h);

// h, bounded by [-bound, bound].
void BoundRow(std::int64_t size, float bound, float* h);

// Gates z, r, h, of which the last multiplies the state before it resets it; `bias` is that of its
// product.
void GruRow(std::int64_t units, const float* x, const float* r, const float* bias, const float* h,
            float* next);

// Where the state is reset before: `r` begins with the gates z and r; z takes its place there.
void ResetRow(std::int64_t units, const float* x, float* r, const float* h, float* reset_h);

// `r` is gate h's part of the reset state.
void UpdateRow(std::int64_t units, const float* x, const float* r, const float* z, const float* h,
               float* next);

// The function of x + r.
void TanhRow(std::int64_t units, const float* x, const float* r, float* h);
void ReluRow(std::int64_t units, const float* x, const float* r, float* h);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_GATE_LOOPS_H_
