// A run of the machine cycle by cycle, to be read: messages between caches and homes, or on the bus, the
// states of lines and what they hold, store buffers, and when loads are performed, retire or are taken back.
//
//   cycle 212: core 1 -> home 1: GetS y
//   cycle 218: core 1: load of x is performed before older accesses: 0
//   cycle 230: core 0: buffer: x=1 y=1
// ! cycle 251: core 1: keeps x=0, which was lost before an older access was performed
//
// A '!' marks a step that no machine of its consistency takes, whatever was broken: two copies of a line of
// which one is writable; a fence or atomic that leaves stores behind; a load that keeps a value it had to
// give up, or gets another than the youngest older store's; a store that joins another one past a third.
// Sources of the rules: Sorin, Hill, Wood and Nagarajan, "A Primer on Memory Consistency and Cache
// Coherence", 2nd ed., sections 2.3, 4.4, 5.2; Gharachorloo, Gupta and Hennessy, ICPP 1991.
#pragma once
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "litmus/hardware/hardware_step.hpp"
#include "litmus/hardware/program_of_test.hpp"
#include "system/timed_directory.hpp"
#include "system/timed_split_bus.hpp"

namespace mesim::litmus {

// `Machine`: ProgramDirectory or ProgramSplitBus, whose caches snoop late, so that the first rule is not
// theirs.
template <class Machine>
class MachineTrace {
 public:
  // All must outlive the trace; the machine runs without running ahead.
  MachineTrace(const Test& test, const ProgramOfTest& program, Machine& machine);

  // Before cycle `now` is run: what arrives in it.
  void before(Cycles now);
  // After it was run: what it changed.
  void after(Cycles now);

  const HardwareTrace& steps() const { return trace_; }

 private:
  using Kind = HardwareStep::Kind;
  static constexpr bool on_bus = std::is_same_v<Machine, ProgramSplitBus>;

  // A load that is performed and in the window.
  struct Performed {
    std::uint64_t number = 0;
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    bool lost = false;  // its line, while something was unperformed that must come first
  };
  struct Core {
    std::vector<std::string> states;                // of the locations' lines
    std::vector<BufferedStore> buffer;              // as the last cycle left it
    std::map<std::uint64_t, Performed> loads;       // by stamp
    std::map<std::uint64_t, std::uint64_t> fences;  // in the window: number by stamp
    std::map<std::uint64_t, BufferedStore> stores;  // in the window, by number
    std::map<unsigned, std::uint64_t> newest;       // in each slot of the buffer: the store's number
  };

  void messages(Cycles now);
  void lines_of_memory(Cycles now);
  void one_writer(Cycles now);
  void store_buffer(unsigned core, Cycles now);
  void joined_past(unsigned core, const std::vector<BufferedStore>& buffer, Cycles now);
  void window(unsigned core, Cycles now);
  void performed(unsigned core, const WindowEntry& e, Cycles now);
  void gone(unsigned core, Cycles now);
  bool comes_first(unsigned core, const WindowEntry& e) const;
  // The youngest older store to the load's bytes, if it still stands somewhere.
  const std::uint64_t* youngest_store(unsigned core, const WindowEntry& e);
  bool readable(unsigned core, std::uint64_t address) const {
    return machine_.tile(core).cache().contents(address / line_bytes_) != nullptr;
  }

  const auto& core_of(unsigned core) const { return machine_.tile(core).core(); }
  std::vector<BufferedStore> stores_of(unsigned core) const;
  bool of_test(std::uint64_t line) const;
  // "x", or nothing for what is not the test's.
  std::string location(std::uint64_t address) const;
  std::string with_value(std::uint64_t address, std::uint64_t value) const;
  // Of what is on its way: "GetS x", "Data x=1", of a bus with whom it is for.
  template <class Net>
  std::string message(const Net& net) const;
  template <class Net>
  std::string line_text(const Net& net, bool carries, const LineData& value) const;
  unsigned participant(split_bus::NodeId node) const;
  std::string buffer_text(const std::vector<BufferedStore>& buffer) const;
  void say(Cycles now, HardwareStep::Kind kind, unsigned at, std::string text, unsigned other = 0) {
    trace_.steps.push_back({now, kind, at, other, std::move(text)});
  }
  void accuse(Cycles now, unsigned core, std::string text) { say(now, Kind::wrong, core, std::move(text)); }

  const Test& test_;
  const ProgramOfTest& program_;
  Machine& machine_;
  Consistency consistency_;
  std::uint64_t line_bytes_;
  std::vector<Core> cores_;
  std::set<std::tuple<std::size_t, unsigned, unsigned>> two_copies_;  // location, writer, reader
  std::uint64_t youngest_value_ = 0;
  HardwareTrace trace_;
};

extern template class MachineTrace<ProgramDirectory>;
extern template class MachineTrace<ProgramSplitBus>;

}  // namespace mesim::litmus
