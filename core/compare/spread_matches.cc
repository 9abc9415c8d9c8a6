// SPDX-License-Identifier: Apache-2.0
#include "core/compare/spread_matches.h"

#include <algorithm>
#include <compare>
#include <queue>
#include <tuple>
#include <vector>

#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

// Two nodes with more unmatched readers than this are taken for hubs.
constexpr std::size_t kMaxReaders = 24;
// How many readers of a node are looked at as evidence.
constexpr std::size_t kMaxWeighed = 16;

// Points for a pair; those of matched neighbours outweigh all that may occur by chance.
constexpr int kNeighbour = 4, kStrangers = -3, kAcrossOne = 2, kOtherSlot = 1;
constexpr int kEqualLeaf = 3, kAlikeLeaf = 1, kOtherLeaf = -1;
constexpr int kComputesEqual = 6, kComputesAlike = 4, kUsedEqually = 4, kSurroundings = 2;
constexpr int kEqualNode = 2, kEqualName = 2;

struct Evidence {
  int points = 0;
  bool above = false, below = false;  // an operand, a reader agrees
  bool against = false;               // a matched neighbour says otherwise
};

struct Candidate {
  int points;
  std::int64_t a, b;
  // The best is the greatest; of equal ones that of the first nodes.
  bool operator<(const Candidate& other) const {
    return std::tuple(points, -a, -b) < std::tuple(other.points, -other.a, -other.b);
  }
};

// What speaks for and against pairs, by the matches made so far.
class Weigher {
 public:
  using Entry = GraphSide::Entry;

  Weigher(GraphSide& a, GraphSide& b) : a_(a), b_(b) {}

  Evidence Weigh(const Entry& x, const Entry& y) const {
    Evidence evidence;
    WeighOperands(x, y, evidence);
    WeighReaders(x, y, evidence);
    if (x.uses == y.uses && x.uses != 0) {
      evidence.points += kUsedEqually;
      evidence.below = true;
    }
    if (x.up == y.up || x.form == y.form) {
      evidence.points += x.up == y.up ? kComputesEqual : kComputesAlike;
      evidence.above = true;
    }
    evidence.points += (x.near == y.near) * kSurroundings + (x.far == y.far) * kSurroundings;
    evidence.points += x.local == y.local ? kEqualNode : (x.shape == y.shape ? kEqualNode / 2 : 0);
    if (!x.node->name().empty() && x.node->name() == y.node->name()) evidence.points += kEqualName;
    return evidence;
  }

 protected:
  static Entry& At(GraphSide& side, std::int64_t i) {
    return side.entries[static_cast<std::size_t>(i)];
  }
  static const Entry& At(const GraphSide& side, std::int64_t i) {
    return side.entries[static_cast<std::size_t>(i)];
  }
  static std::span<const std::int64_t> FirstOf(std::span<const std::int64_t> producers) {
    return producers.first(std::min<std::size_t>(producers.size(), 4));
  }
  static std::int64_t IndexOf(const GraphSide& side, const Entry& entry) {
    return &entry - side.entries.data();
  }

  GraphSide& a_;
  GraphSide& b_;

 private:
  void WeighOperands(const Entry& x, const Entry& y, Evidence& evidence) const {
    const auto above_x = a_.ProducersOf(x), above_y = b_.ProducersOf(y);
    const auto leaves_x = a_.LeavesOf(x), leaves_y = b_.LeavesOf(y);
    const std::size_t count = std::min({above_x.size(), above_y.size(), kMaxWeighed});
    bool of_leaves = above_x.size() == above_y.size();  // and these are alike
    for (std::size_t i = 0; i < count; ++i) {
      of_leaves &= above_x[i] < 0 && above_y[i] < 0 && leaves_x[i].form == leaves_y[i].form;
      if (above_x[i] >= 0 && above_y[i] >= 0) {
        WeighProducers(x, y, i, evidence);
      } else if (above_x[i] >= 0 || above_y[i] >= 0) {
        evidence.points += kOtherLeaf;
      } else if (leaves_x[i].exact == leaves_y[i].exact) {
        const Value* leaf = x.node->operand(i);  // nullptr: both leave it out
        evidence.points += kEqualLeaf;
        evidence.above |= leaf != nullptr && !leaf->is_constant();
      } else {
        evidence.points += leaves_x[i].form == leaves_y[i].form ? kAlikeLeaf : kOtherLeaf;
      }
    }
    evidence.above |= of_leaves;
    if (above_x.size() != above_y.size()) evidence.points += kOtherLeaf;
  }

  void WeighProducers(const Entry& x, const Entry& y, std::size_t i, Evidence& evidence) const {
    const auto above_x = a_.ProducersOf(x), above_y = b_.ProducersOf(y);
    const Entry &p = At(a_, above_x[i]), &q = At(b_, above_y[i]);
    if (p.partner == above_y[i]) {
      const bool same = x.node->operand(i)->index() == y.node->operand(i)->index();
      evidence.points += same ? kNeighbour : kOtherSlot;
      evidence.above = true;
    } else if (p.partner >= 0 && q.partner >= 0) {
      const bool elsewhere = std::ranges::find(above_y, p.partner) != above_y.end();
      evidence.points += elsewhere ? kOtherSlot : kStrangers;
      evidence.against = true;
    } else if (p.partner >= 0) {
      evidence.points += Reads(b_, q, p.partner) ? kAcrossOne : kOtherLeaf;
      evidence.above |= Reads(b_, q, p.partner);
    } else if (q.partner >= 0) {
      evidence.points += Reads(a_, p, q.partner) ? kAcrossOne : kOtherLeaf;
      evidence.above |= Reads(a_, p, q.partner);
    }
  }

  // Whether the node reads a result of entry `producer` of its side.
  static bool Reads(const GraphSide& side, const Entry& entry, std::int64_t producer) {
    const auto producers = FirstOf(side.ProducersOf(entry));
    return std::ranges::find(producers, producer) != producers.end();
  }

  void WeighReaders(const Entry& x, const Entry& y, Evidence& evidence) const {
    std::size_t weighed = 0;
    for (const GraphSide::Reader& reader : a_.ReadersOf(x)) {
      if (weighed++ == kMaxWeighed) return;
      const std::int64_t partner = a_.entries[reader.entry].partner;
      if (partner < 0) continue;
      const auto read = b_.ProducersOf(At(b_, partner));
      const std::int64_t there = reader.operand < read.size() ? read[reader.operand] : -1;
      if (there >= 0 && &At(b_, there) == &y) {
        evidence.points += kNeighbour;
        evidence.below = true;
      } else if (there >= 0 && At(b_, there).partner >= 0) {
        evidence.points += kStrangers;
        evidence.against = true;
      } else if (there >= 0 && Reads(b_, At(b_, there), IndexOf(b_, y))) {
        evidence.points += kAcrossOne;
        evidence.below = true;
      } else {
        evidence.points += kOtherLeaf;
      }
    }
  }
};

class Spreader : Weigher {
 public:
  Spreader(GraphSide& a, GraphSide& b, SpreadTo to)
      : Weigher(a, b), to_(to), around_(a.entries.size()) {}

  void Run(std::span<const std::pair<std::int64_t, std::int64_t>> guesses) {
    for (const auto& [x, y] : guesses) Propose(x, y, true);
    for (std::size_t i = 0; i < a_.entries.size(); ++i) {
      if (a_.entries[i].partner < 0) ProposeForNode(a_.entries[i]);
    }
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (At(a_, best.a).partner >= 0 || At(b_, best.b).partner >= 0) continue;
      const Evidence evidence = Weigh(At(a_, best.a), At(b_, best.b));
      if (evidence.points < best.points) {
        if (Suffices(evidence)) queue_.push({evidence.points, best.a, best.b});
        continue;
      }
      Link(best.a, best.b);
    }
  }

 private:
  bool Suffices(const Evidence& evidence) const {
    if (to_ == SpreadTo::kReplacedOp) return evidence.above && evidence.below && !evidence.against;
    return evidence.points > 0;
  }

  void Link(std::int64_t a, std::int64_t b) {
    At(a_, a).partner = b;
    At(b_, b).partner = a;
    ProposeAround(a, b);
  }

  void Propose(std::int64_t a, std::int64_t b, bool guess = false) {
    if (a < 0 || b < 0) return;
    const Entry &x = At(a_, a), &y = At(b_, b);
    if (x.partner >= 0 || y.partner >= 0 || x.scope != y.scope) return;
    if ((x.op == y.op) != (to_ == SpreadTo::kSameOp)) return;
    const Evidence evidence = Weigh(x, y);
    const bool near = guess || evidence.above || evidence.below;
    if (near && Suffices(evidence)) queue_.push({evidence.points, a, b});
  }

  // Pairs of the node with the neighbours of its matched neighbours' partners.
  void ProposeForNode(const Entry& x) {
    for (const std::int64_t producer : a_.ProducersOf(x)) {
      if (producer >= 0 && At(a_, producer).partner >= 0)
        ProposeAround(producer, At(a_, producer).partner);
    }
    for (const GraphSide::Reader& reader : a_.ReadersOf(x)) {
      if (a_.entries[reader.entry].partner >= 0)
        ProposeAround(reader.entry, a_.entries[reader.entry].partner);
    }
  }

  // Pairs of the unmatched neighbours of a matched pair.
  void ProposeAround(std::int64_t a, std::int64_t b) {
    const auto i = static_cast<std::size_t>(a);
    if (around_[i]) return;
    around_[i] = true;
    ProposeProducers(At(a_, a), At(b_, b));
    ProposeReaders(At(a_, a), At(b_, b));
  }

  void ProposeProducers(const Entry& x, const Entry& y) {
    const auto above_x = a_.ProducersOf(x), above_y = b_.ProducersOf(y);
    for (std::size_t i = 0; i < std::min(above_x.size(), above_y.size()); ++i) {
      Propose(above_x[i], above_y[i]);
      if (above_x[i] < 0 || above_y[i] < 0) continue;
      // One of them may have been inserted into the edge.
      for (const std::int64_t next : FirstOf(b_.ProducersOf(At(b_, above_y[i]))))
        Propose(above_x[i], next);
      for (const std::int64_t next : FirstOf(a_.ProducersOf(At(a_, above_x[i]))))
        Propose(next, above_y[i]);
    }
  }

  struct Reader {
    std::uint64_t kind;
    std::int64_t entry;
    auto operator<=>(const Reader&) const = default;
  };

  // The unmatched readers, and theirs in turn, since one may have been inserted into the edge.
  static std::vector<Reader> UnmatchedReaders(const Entry& entry, const GraphSide& side) {
    std::vector<Reader> readers;
    for (const GraphSide::Reader& reader : side.ReadersOf(entry)) {
      const Entry& user = side.entries[reader.entry];
      if (user.partner >= 0) continue;
      readers.push_back({HashCombine(user.shape, reader.operand), reader.entry});
    }
    const std::size_t direct = readers.size();
    for (std::size_t i = 0; i < direct && direct <= kMaxReaders / 4; ++i) {
      const Entry& user = At(side, readers[i].entry);
      if (user.num_readers > kMaxReaders / 4) continue;
      for (const GraphSide::Reader& next : side.ReadersOf(user)) {
        if (side.entries[next.entry].partner >= 0) continue;
        readers.push_back({HashCombine(side.entries[next.entry].shape, 0), next.entry});
      }
    }
    return readers;
  }

  void ProposeReaders(const Entry& x, const Entry& y) {
    std::vector<Reader> below_x = UnmatchedReaders(x, a_);
    if (below_x.empty()) return;
    std::vector<Reader> below_y = UnmatchedReaders(y, b_);
    if (below_x.size() <= kMaxReaders && below_y.size() <= kMaxReaders) {
      for (const Reader& r : below_x) {
        for (const Reader& s : below_y) Propose(r.entry, s.entry);
      }
      return;
    }
    std::ranges::sort(below_x);
    std::ranges::sort(below_y);
    for (std::size_t i = 0, j = 0; i < below_x.size() && j < below_y.size();) {
      if (below_x[i].kind == below_y[j].kind) {
        Propose(below_x[i++].entry, below_y[j++].entry);
      } else {
        ++(below_x[i].kind < below_y[j].kind ? i : j);
      }
    }
  }

  SpreadTo to_;
  std::priority_queue<Candidate> queue_;
  std::vector<bool> around_;  // entries of a that proposed their neighbours
};

class Repairer : Weigher {
 public:
  using Weigher::Weigher;

  void Run() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool changed = false;
      for (std::int64_t i = std::ssize(a_.entries) - 1; i >= 0; --i) changed |= Repair(i);
      if (!changed) return;
    }
  }

 private:
  static constexpr int kSweeps = 4;
  static constexpr std::size_t kMaxExchanged = 32;

  bool Repair(std::int64_t i) {
    const Entry& x = At(a_, i);
    const std::int64_t wanted = WantedByReaders(x);
    if (wanted < 0 || wanted == x.partner) return false;
    const Entry& z = At(b_, wanted);
    if (x.op != z.op) return false;
    if (x.partner < 0)
      return z.partner < 0 || IsBetter(x, z, z.partner, wanted) ? Take(i, wanted) : false;
    if (x.op != At(b_, x.partner).op) return false;
    if (z.partner >= 0) return Exchange(i, z.partner);
    return IsBetter(x, z, i, x.partner) && Take(i, wanted);
  }

  bool IsBetter(const Entry& x, const Entry& z, std::int64_t a, std::int64_t b) const {
    return Weigh(x, z).points > Weigh(At(a_, a), At(b_, b)).points;
  }

  // Leaves the partners that they had without one.
  bool Take(std::int64_t i, std::int64_t wanted) {
    const std::int64_t of_i = At(a_, i).partner, of_wanted = At(b_, wanted).partner;
    if (of_i >= 0) At(b_, of_i).partner = -1;
    if (of_wanted >= 0) At(a_, of_wanted).partner = -1;
    Link(i, wanted);
    return true;
  }

  // The producer that the partner of a reader reads at the same place.
  std::int64_t WantedByReaders(const Entry& x) const {
    for (const GraphSide::Reader& reader : a_.ReadersOf(x)) {
      const std::int64_t partner = a_.entries[reader.entry].partner;
      if (partner < 0) continue;
      const auto read = b_.ProducersOf(At(b_, partner));
      return reader.operand < read.size() ? read[reader.operand] : -1;
    }
    return -1;
  }

  // With the two nodes go those that only they read.
  bool Exchange(std::int64_t i, std::int64_t k) {
    if (At(a_, k).op != At(b_, At(a_, i).partner).op) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs = {{i, k}};
    for (std::size_t at = 0; at < pairs.size() && pairs.size() < kMaxExchanged; ++at)
      AddOwnProducers(pairs[at].first, pairs[at].second, pairs);
    const int before = Points(pairs);
    ExchangePartners(pairs);
    if (Points(pairs) >= before) return true;
    ExchangePartners(pairs);
    return false;
  }

  void AddOwnProducers(std::int64_t i, std::int64_t k,
                       std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) const {
    const auto above_i = a_.ProducersOf(At(a_, i)), above_k = a_.ProducersOf(At(a_, k));
    for (std::size_t n = 0; n < std::min(above_i.size(), above_k.size()); ++n) {
      if (above_i[n] < 0 || above_k[n] < 0 || above_i[n] == above_k[n]) continue;
      const Entry &p = At(a_, above_i[n]), &q = At(a_, above_k[n]);
      const bool own = p.num_readers == 1 && q.num_readers == 1 && p.op == q.op;
      if (own && p.partner >= 0 && q.partner >= 0) pairs.emplace_back(above_i[n], above_k[n]);
    }
  }

  void ExchangePartners(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) {
    for (const auto& [i, k] : pairs) {
      const std::int64_t of_i = At(a_, i).partner, of_k = At(a_, k).partner;
      Link(i, of_k);
      Link(k, of_i);
    }
  }

  int Points(std::span<const std::pair<std::int64_t, std::int64_t>> pairs) const {
    int points = 0;
    for (const auto& [i, k] : pairs) points += Points(i) + Points(k);
    return points;
  }

  int Points(std::int64_t i) const { return Weigh(At(a_, i), At(b_, At(a_, i).partner)).points; }

  void Link(std::int64_t a, std::int64_t b) {
    At(a_, a).partner = b;
    At(b_, b).partner = a;
  }
};

}  // namespace

void RepairMatches(GraphSide& a, GraphSide& b) { Repairer(a, b).Run(); }

void SpreadMatches(GraphSide& a, GraphSide& b, SpreadTo to,
                   std::span<const std::pair<std::int64_t, std::int64_t>> guesses) {
  Spreader(a, b, to).Run(guesses);
}

}  // namespace dragoman::compare
