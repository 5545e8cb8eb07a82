// Why a cache missed, after Hill and Smith (IEEE Trans. Computers 38(12), 1989): compulsory if the line was
// never referenced before, capacity if a fully associative LRU cache of the same size misses too, else
// conflict. The classes of single misses are counted, so they sum to the misses.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

namespace mesim {

// In rising order of precedence: an access of several lines counts as its strongest miss.
enum class MissClass : std::uint8_t { none, conflict, capacity, compulsory };

class MissClassifier {
 public:
  // A cache of `lines` lines, at least 1.
  explicit MissClassifier(std::uint64_t lines) : capacity_(lines), nodes_(1) {}

  // The cache referenced `line` and found it or not; to be told of every reference, in order.
  MissClass reference(std::uint64_t line, bool hit) {
    const auto [place, is_new] = seen_.try_emplace(line, evicted);
    std::uint32_t& node = place.value();
    const bool resident = node != evicted;
    if (resident) {
      unlink(node);
    } else if (nodes_.size() <= capacity_) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.line = line});
    } else {
      const std::uint32_t oldest = nodes_[head].previous;
      unlink(oldest);
      node = oldest;  // before the other entry changes: it may lie in the same table, but nothing moves
      seen_.find(nodes_[oldest].line).value() = evicted;
      nodes_[oldest].line = line;
    }
    link_first(node);
    if (hit) return MissClass::none;
    if (is_new) return MissClass::compulsory;
    return resident ? MissClass::conflict : MissClass::capacity;
  }

 private:
  // Node 0 heads a ring of the resident lines, the most recently used first.
  struct Node {
    std::uint64_t line = 0;
    std::uint32_t next = 0;
    std::uint32_t previous = 0;
  };
  static constexpr std::uint32_t head = 0;
  static constexpr std::uint32_t evicted = 0;  // value of a line that was seen but is not resident

  // Lines come in strides, which the table's masking would pile up.
  struct Mixed {
    std::size_t operator()(std::uint64_t line) const {
      line *= 0x9e3779b97f4a7c15ULL;
      return line ^ line >> 32;
    }
  };

  void unlink(std::uint32_t node) {
    nodes_[nodes_[node].previous].next = nodes_[node].next;
    nodes_[nodes_[node].next].previous = nodes_[node].previous;
  }
  void link_first(std::uint32_t node) {
    const std::uint32_t second = nodes_[head].next;
    nodes_[node].next = second;
    nodes_[node].previous = head;
    nodes_[second].previous = node;
    nodes_[head].next = node;
  }

  std::uint64_t capacity_;
  std::vector<Node> nodes_;
  tsl::robin_map<std::uint64_t, std::uint32_t, Mixed> seen_;  // every line ever referenced -> its node
};

}  // namespace mesim
