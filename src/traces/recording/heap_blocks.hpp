// Blocks of heap while the trace is merged: which allocation each access belongs to, so that the blocks that
// matter get names.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "traces/recording/source_lines.hpp"
#include "traces/trace.hpp"

namespace mesim {

class HeapBlocks {
 public:
  explicit HeapBlocks(std::size_t threads) : last_(threads, none) {}

  // `frames`: the call, then the calls of its callers.
  void allocate(std::uint64_t address, std::uint64_t size_bytes, bool by_new,
                std::vector<std::uint64_t> frames);
  void release(std::uint64_t address);
  void access(std::uint32_t thread, std::uint64_t address);

  // Every code address in the call stacks, once.
  std::vector<std::uint64_t> frames() const;
  // The accessed blocks, most accesses first. A block lies where no block before it does; memory that was
  // used again thus has the name of its most accessed use.
  std::vector<Symbol> symbols(const std::unordered_map<std::uint64_t, std::vector<SourceLine>>& lines) const;

  static constexpr std::size_t most_symbols = 100'000;

 private:
  struct Block {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t accesses = 0;
    std::size_t site = 0;
  };
  struct Site {
    bool by_new = false;
    std::vector<std::uint64_t> frames;
    friend auto operator<=>(const Site&, const Site&) = default;
  };
  static constexpr std::size_t none = ~std::size_t{0};

  std::vector<Block> blocks_;
  std::map<std::uint64_t, std::size_t> live_;  // by address
  std::map<Site, std::size_t> sites_;
  std::vector<std::size_t> last_;  // by thread
};

}  // namespace mesim
