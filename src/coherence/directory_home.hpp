// The home of a directory protocol in a run: it executes the protocol's home table for the lines dealt to it,
// with a slice of the shared last-level cache in front of memory.
//
// Requests of one line are served in the order of arrival: one that has to wait (the line is between states,
// or its data is being read from memory) waits in a queue of its line, and all later ones behind it, so that
// nobody starves; requests of DMA agents, which read and write whole lines, stand in the same queue. Puts and
// responses are taken at once. The home takes a message every `occupancy_cycles`;
// what a message causes leaves `latency_cycles` later, or sooner if it needs no line and the directory is
// done with the tags of the last level, or later if its bank of the last level is asked by others. What the
// directory remembers of the sharers is the protocol's format (sharer_set.hpp); it knows every line, or,
// sparse, those that have an entry in an array, and recalls one to make room for another (Gupta, Weber and
// Mowry, 1990). The last level holds data and may be inclusive of the private caches, then a line that it
// evicts is recalled; or not, then it is evicted silently; or exclusive of them, then it holds what they gave
// up (as the victim caches of Jouppi, 1990): a line that it gives to a cache leaves it, and every Put brings
// its line, clean or not, along.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "cache/array_timing.hpp"
#include "cache/cache_config.hpp"
#include "coherence/directory_actions.hpp"
#include "coherence/directory_message.hpp"
#include "coherence/line_table.hpp"
#include "coherence/memory_node.hpp"
#include "sim/error.hpp"
#include "sim/fields.hpp"
#include "sim/memory_port.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct HomeConfig {
  std::optional<CacheConfig> llc = CacheConfig{.size_bytes = 2 * MiB, .ways = 16};  // of one slice; or none
  std::optional<CacheConfig> sparse = {};  // entries of a sparse directory, as if each were a line
  std::string inclusion = "inclusive";     // "non_inclusive", "exclusive"
  std::string writebacks = "allocate";  // what a Put's data does: into the last level, or past it ("bypass")
  std::uint32_t latency_cycles = 20;
  std::uint32_t occupancy_cycles = 1;
  ArrayTimingConfig llc_array;

  // From a message to one that needs no line: after the directory, which is looked up like the tags.
  std::uint32_t least_latency() const { return std::min(latency_cycles, llc_array.tags(latency_cycles)); }

  void fields(Fields& f);  // without the cache, which is an object of its own in a config
};

struct HomeCounters {
  std::array<std::uint64_t, directory::home_event_count> taken{};   // messages by what they are to the home
  std::array<std::uint64_t, directory::message_kind_count> sent{};  // messages by kind
  std::uint64_t llc_reads = 0, llc_read_misses = 0;
  std::uint64_t llc_writes = 0, llc_write_misses = 0;
  std::uint64_t llc_fills = 0;                          // lines from memory written into it
  std::uint64_t llc_moved_up = 0;                       // lines that left an exclusive one for a cache
  std::uint64_t llc_evictions = 0, llc_writebacks = 0;  // all; those of dirty lines
  std::uint64_t memory_reads = 0, memory_writes = 0;
  std::uint64_t recalls = 0;
  std::uint64_t unallocated_fills = 0;    // no way of the set could be given up
  std::uint64_t directory_evictions = 0;  // entries of a sparse directory that made room
  std::uint64_t entries_beside = 0;       // that found no room in it

  // Lines over the last level, by the node whose message moved them.
  struct Moved {
    std::uint64_t read = 0, written = 0;
  };
  std::vector<Moved> by;  // up to the highest that moved any
  Moved& moved_by(std::uint16_t node) {
    if (node >= by.size()) [[unlikely]]
      grow(node);
    return by[node];
  }
  [[gnu::cold, gnu::noinline]] void grow(std::uint16_t node) { by.resize(node + std::size_t{1}); }

  std::uint64_t of(directory::HomeEvent event) const { return taken[static_cast<std::size_t>(event)]; }
  std::uint64_t of(directory::MessageKind kind) const { return sent[static_cast<std::size_t>(kind)]; }

  void write(StatWriter& out) const;  // between begin and end
  // The same of all homes' slices together, with the names that a bus machine's last level has.
  void add_llc(HomeCounters& sum) const;
  void write_llc(StatWriter& out) const;
};

// What others see of a home, whatever its directory's format.
template <class Value>
class HomePart : public Part {
 public:
  using Net = DirectoryMessage<Value>;

  Inbox<Net>& inbox() { return inbox_; }
  void connect(Inbox<Net>& network, unsigned port, Cycles latency) {
    out_.connect(*this, network, port, latency);
  }
  // At its port `port`.
  void connect_memory(MemoryDevice& memory, unsigned port, Cycles latency) {
    to_memory_.connect(*this, memory.requests(), port, latency);
    memory.connect_reply(port, replies_, 0, latency);
  }
  // Instead: over the network.
  void connect_memory(const MemoryMap& memories) { memories_ = memories; }

  const HomeCounters& counters() const { return counters_; }
  // What the directory says of a line; nothing if no cache has it, and nobody asks for it.
  struct Told {
    directory::HomeState state;
    directory::NodeId owner;
    std::vector<std::uint16_t> sharers;
    Value value;
  };
  virtual std::optional<Told> line(std::uint64_t line) const = 0;
  // What memory holds of a line when a run begins; after the reset.
  virtual void preset(std::uint64_t line, const Value& value) = 0;

  // Directory and last level, of a home that is idle.
  struct Contents {
    virtual ~Contents() = default;
  };
  virtual std::shared_ptr<const Contents> contents() const = 0;
  // After a reset: with these contents, of another home of its shape.
  virtual void put(const Contents& contents) = 0;
  // No line is between states and nothing waits.
  virtual bool idle() const = 0;
  virtual bool in_last_level(std::uint64_t line) const = 0;

 protected:
  Inbox<Net> inbox_{*this, 1};
  Inbox<MemoryReply> replies_{*this, 1};
  Link<Net> out_;
  Link<MemoryRequest> to_memory_;
  MemoryMap memories_;
  HomeCounters counters_;
};

template <class Sharers>
Sharers empty_set(const DirectoryFormat& format, std::uint16_t caches) {
  if constexpr (std::is_same_v<Sharers, FullMap>) {
    return {};
  } else {
    return Sharers(format, caches);
  }
}

template <class Value, class Sharers = FullMap>
class DirectoryHome final : public HomePart<Value> {
 public:
  using Net = DirectoryMessage<Value>;
  using Line = directory::HomeLine<Value, Sharers>;
  using typename HomePart<Value>::Told;
  using typename HomePart<Value>::Contents;

  // `protocol` must have all events, and outlives the home. `homes` is the map that the caches use; this one
  // is number `index` in it.
  DirectoryHome(const HomeConfig& config, std::uint32_t line_bytes, const directory::Protocol& protocol,
                HomeMap homes, unsigned index);

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;
  void preset(std::uint64_t line, const Value& value) override {
    Entry& entry = lines_.find_or_add(line).entry;
    entry.line.sharers = nobody_;
    entry.line.value = value;
  }
  std::optional<Told> line(std::uint64_t line) const override;
  bool idle() const override;
  bool in_last_level(std::uint64_t line) const override {
    return llc_ && llc_->find(slice_line(line)) != no_slot;
  }

  std::shared_ptr<const Contents> contents() const override;
  void put(const Contents& contents) override;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  enum LlcState : std::uint8_t { clean = 1, dirty = 2 };

  struct Entry {
    Line line;
    std::uint32_t first = none, last = none;  // of the requests that wait
    bool fetching = false;                    // the first waiting request needs memory's answer
    bool owed =
        false;  // the owner's copy, even if clean, is newer than memory's, and the last level has none
    [[no_unique_address]] Value dma{};  // what the DMA write that is being served brings: a whole line
  };
  struct Waiting {
    Net net;
    std::uint32_t next = none;
  };
  // What causes other messages, and the time that is not in its ledger yet: first `link` cycles on the way
  // here, then all from `since` on.
  // Where the line of an answer comes from, if not from memory.
  struct Found {
    bool at_hand = false;   // the requestor has it; the answer goes without
    bool from_llc = false;  // the last level has it
  };
  struct Origin {
    std::uint64_t line;
    Segments* ledger;
    Cycles link;
    Cycles since;
    Found found = {};
  };
  class Environment;
  struct Kept;
  using Row = directory::HomeTable::Row;

  // A message goes through the pipeline: when its service begins.
  Cycles service(Cycles now) {
    const Cycles begin = std::max(now, free_at_);
    free_at_ = begin + config_.occupancy_cycles;
    return begin;
  }
  // A line that this home keeps, numbered without the other homes' lines: what the array's sets are chosen
  // by.
  std::uint64_t slice_line(std::uint64_t line) const {
    return home_bits_ >= 0 ? line >> home_bits_ : line / homes_.homes;
  }
  std::uint64_t global_line(std::uint64_t slice_line) const { return slice_line * homes_.homes + index_; }
  // A line that nobody has and nobody waits for is as if it had never been asked for; only its contents, if
  // lines have any, are worth remembering. Without this the directory of a program that streams outgrows the
  // host's caches.
  static bool forgettable(const Entry& entry) {
    return std::is_empty_v<Value> && entry.line.state == directory::HomeState::I && entry.first == none;
  }

  void arrived(const Net& net, Cycles now);
  void request(Entry& entry, directory::HomeEvent event, const Net& net, Cycles now);
  void execute(Entry& entry, directory::HomeEvent event, const Row* row, const Net& net, Cycles link,
               Cycles since, Cycles now, Found found = {});
  void drain(Entry& entry, bool have_data, Cycles now);
  void fetch(Entry& entry, Net& net, Cycles now);
  Net& enqueue(Entry& entry, const Net& net, Cycles now);
  void memory_answered(const MemoryReply& reply, Cycles now);
  // `by`: the node on whose behalf, for the accounts.
  bool read_llc(std::uint64_t line, std::uint16_t by);
  void write_llc(std::uint64_t line, LlcState state, std::uint16_t by, Cycles begin, Cycles now);
  bool fill_llc(std::uint64_t line, LlcState state, std::uint16_t by, Cycles begin, Cycles now);
  bool at_hand(const Entry& entry, directory::HomeEvent event, const Net& net) const;
  void move_up(Entry& entry, directory::HomeEvent event, const Net& net, Cycles begin, Cycles now);
  void take_victim(Entry& entry, const Net& net, bool newer, Cycles begin, Cycles now);
  // When the last level has the line that the row sends.
  void look_up_line(const Row& row, const Origin& origin, Cycles begin);
  Slot replaceable(TagArray<>& array, std::uint64_t own) const;
  bool can_recall(std::uint64_t line) const;
  void recall(std::uint64_t line, Cycles begin, Cycles now);
  void keep_entry(std::uint64_t line, directory::HomeState before, directory::HomeState after, Cycles begin,
                  Cycles now);
  static void digest_array(Digest& digest, const TagArray<>& array);
  void give_up(Slot slot, std::uint16_t by, Cycles begin, Cycles now);
  Cycles to_memory(std::uint64_t line, bool write, std::uint16_t by, Cycles begin, Cycles now);
  Cycles to_memory_node(std::uint64_t line, bool write, std::uint16_t by, Cycles begin, Cycles now);
  void post(directory::MessageKind kind, directory::NodeId to, directory::NodeId requestor, std::int16_t acks,
            const Value* value, const Origin& origin, Cycles begin, Cycles now);

  HomeConfig config_;
  unsigned line_bits_;
  const directory::Protocol& protocol_;
  HomeMap homes_;
  Sharers nobody_;
  int home_bits_;  // of the number of homes, if it is a power of two, else -1
  unsigned index_;
  ArrayPorts llc_ports_;
  std::uint32_t least_latency_, llc_hit_cycles_, llc_tags_first_cycles_;  // of the config
  Cycles line_at_ = 0, line_cycles_ = 0;       // when the line of the message being served is there; alone
  Cycles last_sent_ = 0, last_to_memory_ = 0;  // messages leave in order
  bool bypass_ = false;
  bool inclusive_ = false, exclusive_ = false;
  using HomePart<Value>::inbox_;
  using HomePart<Value>::replies_;
  using HomePart<Value>::out_;
  using HomePart<Value>::to_memory_;
  using HomePart<Value>::memories_;
  using HomePart<Value>::counters_;

  using Lines = LineTable<Entry>;
  Lines lines_;
  std::optional<TagArray<>> llc_;
  std::optional<TagArray<>> entries_;  // of a sparse directory
  std::vector<Waiting> waiting_;
  std::uint32_t free_waiting_ = none;
  Cycles free_at_ = 0;
};

template <class Value, class Sharers>
struct DirectoryHome<Value, Sharers>::Kept : Contents {
  Lines lines;
  std::optional<TagArray<>> llc, entries;
};

template <class Value, class Sharers>
auto DirectoryHome<Value, Sharers>::contents() const -> std::shared_ptr<const Contents> {
  auto kept = std::make_shared<Kept>();
  kept->lines = lines_;
  kept->llc = llc_;
  kept->entries = entries_;
  return kept;
}

template <class Value, class Sharers>
void DirectoryHome<Value, Sharers>::put(const Contents& contents) {
  const auto& kept = static_cast<const Kept&>(contents);
  lines_ = kept.lines;
  llc_ = kept.llc;
  entries_ = kept.entries;
}

// The home for the protocol's directory format: full maps without the price of a choice at run time.
template <class Value>
std::unique_ptr<HomePart<Value>> make_home(const HomeConfig& config, std::uint32_t line_bytes,
                                           const directory::Protocol& protocol, HomeMap homes,
                                           unsigned index) {
  const DirectoryKind kind = protocol.options().directory.kind;
  if (kind == DirectoryKind::full || kind == DirectoryKind::sparse)
    return std::make_unique<DirectoryHome<Value>>(config, line_bytes, protocol, homes, index);
  return std::make_unique<DirectoryHome<Value, SharerSet>>(config, line_bytes, protocol, homes, index);
}

}  // namespace mesim

#include "coherence/directory_home_impl.hpp"
