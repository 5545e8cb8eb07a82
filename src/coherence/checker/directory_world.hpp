// The state that a directory model explores, its packed form and its representative under renaming of caches.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "coherence/checker/directory_model.hpp"
#include "coherence/checker/short_list.hpp"
#include "coherence/directory_actions.hpp"

namespace mesim::checker {

using Bit = std::uint8_t;
using Msg = directory::Message<Bit>;

// A multiset is kept sorted by `code`, a queue in order of sending.
using MessageList = ShortList<Msg, 16>;

enum class Dma : std::uint8_t { idle, reading, writing };
inline std::string_view dma_name(Dma dma) {
  return dma == Dma::idle ? "idle" : dma == Dma::reading ? "reading" : "writing";
}

struct World {
  World(unsigned n, const DirectoryFormat& format) : count(n) {
    home.sharers = SharerSet(format, static_cast<std::uint16_t>(n));
  }

  unsigned count;  // caches; the DMA agent is node `count`
  std::array<directory::CacheLine<Bit>, directory_model_caches> caches{};
  directory::HomeLine<Bit, SharerSet> home;
  Bit ghost = 0;  // what the last store or DMA write wrote
  Dma dma = Dma::idle;
  // Values that were current since the home took the DMA read, bit v for value v: the read may return any of
  // them, for its agent is no sharer and holds up no store. 0: no read has been taken.
  std::uint8_t dma_window = 0;
  MessageList requests, responses;
  std::array<MessageList, directory_model_caches> forwards;

  void send(const Msg& m, const directory::Protocol& protocol);
  // A store or DMA write: the new value.
  Bit write();
  bool quiescent() const;
  // The name of the first invariant that does not hold, or null.
  const char* broken_invariant(const directory::Protocol& protocol, std::string& detail) const;
};

Packed packed(const World& world);
World unpacked(std::span<const std::uint8_t> bytes, unsigned caches, const DirectoryFormat& format);
// The least packed form over all renamings that sort the caches by what can be seen of them without names.
Packed canonical_packed(const World& world, bool ordered_forwards);

}  // namespace mesim::checker
