// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/lower/prelude.h"

#include <string_view>
#include <utility>

#include "importers/relay/graph/read_model.h"

namespace dragoman::relay {
namespace {

constexpr std::string_view kText = R"(#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
type Option[A] { Some(A), None, }
type Tree[A] { Rose(A, List[Tree[A]]), }

def @id(%x) { %x }
def @compose(%f, %g) { fn (%x) { %f(%g(%x)) } }
def @flip(%f) { fn (%b, %a) { %f(%a, %b) } }
def @iterate(%f, %n) { if (equal(%n, 0)) { @id } else { @compose(%f, @iterate(%f, subtract(%n, 1))) } }

def @hd(%l) { match? (%l) { Cons(%x, _) => { %x }, } }
def @tl(%l) { match? (%l) { Cons(_, %l2) => { %l2 }, } }
def @nth(%l, %n) { if (equal(%n, 0)) { @hd(%l) } else { @nth(@tl(%l), subtract(%n, 1)) } }
def @length(%l) { match (%l) { Cons(_, %l2) => { add(1, @length(%l2)) }, Nil => { 0 }, } }
def @update(%l, %n, %v) {
  if (equal(%n, 0)) { Cons(%v, @tl(%l)) } else { Cons(@hd(%l), @update(@tl(%l), subtract(%n, 1), %v)) }
}
def @map(%f, %l) { match (%l) { Cons(%x, %l2) => { Cons(%f(%x), @map(%f, %l2)) }, Nil => { Nil }, } }
def @filter(%f, %l) {
  match (%l) {
    Cons(%x, %l2) => { if (%f(%x)) { Cons(%x, @filter(%f, %l2)) } else { @filter(%f, %l2) } },
    Nil => { Nil },
  }
}
def @foldl(%f, %a, %l) { match (%l) { Cons(%x, %l2) => { @foldl(%f, %f(%a, %x), %l2) }, Nil => { %a }, } }
def @foldr(%f, %a, %l) { match (%l) { Cons(%x, %l2) => { %f(%x, @foldr(%f, %a, %l2)) }, Nil => { %a }, } }
def @foldr1(%f, %l) {
  match? (%l) { Cons(%x, Nil) => { %x }, Cons(%x, %l2) => { %f(%x, @foldr1(%f, %l2)) }, }
}
def @sum(%l) { @foldl(add, 0, %l) }
def @concat(%l, %l2) { @foldr(Cons, %l2, %l) }
def @rev(%l) { @foldl(@flip(Cons), Nil, %l) }
def @zip(%l, %m) {
  match ((%l, %m)) {
    (Cons(%x, %l2), Cons(%y, %m2)) => { Cons((%x, %y), @zip(%l2, %m2)) },
    _ => { Nil },
  }
}
def @map_accuml(%f, %a, %l) {
  @foldl(fn (%p, %x) { let %q = %f(%p.0, %x); (%q.0, Cons(%q.1, %p.1)) }, (%a, Nil), %l)
}
def @map_accumr(%f, %a, %l) {
  @foldr(fn (%x, %p) { let %q = %f(%p.0, %x); (%q.0, Cons(%q.1, %p.1)) }, (%a, Nil), %l)
}
def @unfoldr(%f, %s) {
  match (%f(%s)) { Some(%p) => { Cons(%p.1, @unfoldr(%f, %p.0)) }, None => { Nil }, }
}
def @unfoldl(%f, %s) { @rev(@unfoldr(%f, %s)) }
def @tmap(%f, %t) { match (%t) { Rose(%x, %l) => { Rose(%f(%x), @map(fn (%t2) { @tmap(%f, %t2) }, %l)) }, } }
def @size(%t) { match (%t) { Rose(_, %l) => { add(1, @sum(@map(@size, %l))) }, } }
)";

}  // namespace

const Model& Prelude() {
  static const Model kPrelude = [] {
    Result<Model> read = ReadRelayText(kText);
    return read.ok() ? *std::move(read) : Model();
  }();
  return kPrelude;
}

}  // namespace dragoman::relay
