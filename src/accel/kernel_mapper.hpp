// An operator as tile programs for engines that work on blocks in a scratchpad: what such a mapper says of
// itself, so that whoever runs one needs to know no more.
//
// Queues 0 and 1 are loads and stores. Each ring has the tokens 2 * ring (filled) and 2 * ring + 1 (freed),
// as SlotRing counts them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "accel/tile_machine.hpp"

namespace mesim::accel {

struct RingKind {
  const char* name;
  WaitOwner filled;  // who owns the cycles that are waited for it
  WaitOwner freed;
};

class KernelMapper {
 public:
  virtual ~KernelMapper() = default;

  virtual std::vector<TileMachine::Queue> queues() const = 0;
  virtual std::vector<RingKind> rings() const = 0;
  virtual std::vector<std::uint64_t> ring_slots() const = 0;
  // Kernels, to be run one after another.
  virtual std::size_t kernels() const { return 1; }
  virtual TileProgram kernel(std::size_t number) const = 0;
  // By the number of a transfer's operand.
  virtual std::vector<std::string> operand_names() const = 0;
  // The least that has to move: each operand once.
  virtual std::uint64_t compulsory_bytes() const = 0;

  std::vector<WaitOwner> tokens() const {
    std::vector<WaitOwner> tokens;
    for (const RingKind& ring : rings()) tokens.insert(tokens.end(), {ring.filled, ring.freed});
    return tokens;
  }
  std::vector<std::string> token_names() const {
    std::vector<std::string> names;
    for (const RingKind& ring : rings()) {
      names.push_back(std::string(ring.name) + " filled");
      names.push_back(std::string(ring.name) + " freed");
    }
    return names;
  }
};

}  // namespace mesim::accel
