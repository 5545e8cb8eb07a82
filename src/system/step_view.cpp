#include "system/step_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "sim/error.hpp"
#include "system/program_run.hpp"
#include "system/run.hpp"
#include "system/sharing.hpp"
#include "system/workload.hpp"

namespace mesim {
namespace {

constexpr unsigned most_cores = 8;
constexpr std::size_t most_lines = 12;  // those used last

struct EnoughSteps {};

class KeepGoing final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
};

// What the machine has counted so far; the difference of two is what happened between them.
struct Counts {
  BusCounters bus;
  MemoryCounters memory;
  std::uint64_t misses = 0, invalidations = 0, flushes = 0, snooped_writebacks = 0;

  static Counts of(const FunctionalBus& machine) {
    Counts c{machine.bus(), machine.memory()};
    for (unsigned core = 0; core < machine.cores(); ++core) {
      const CoreCounters& counters = machine.core(core);
      c.misses += counters.misses[0] + counters.misses[1];
      c.invalidations += counters.invalidations;
      c.flushes += counters.flushes;
      c.snooped_writebacks += counters.snooped_writebacks;
    }
    return c;
  }
};

class StepView final : public BusObserver {
 public:
  StepView(std::vector<Symbol> symbols, const StepViewOptions& options)
      : symbols_(std::move(symbols)), options_(options) {}

  void cycle(Cycles now) override { cycle_ = now; }

  void accessed(const FunctionalBus& machine, unsigned core, bool is_store, std::uint64_t address,
                std::uint32_t) override {
    if (steps_ == options_.limit) throw EnoughSteps{};
    ++steps_;
    Line& line = lines_[address & ~std::uint64_t{machine.line_bytes() - 1}];
    line.used = steps_;
    line.states.resize(machine.cores(), BusState::I);
    const std::string name = place_name(symbols_, address);
    text_ += fmt::format("{:>4}  {}P{} {} {}0x{:x}", steps_, cycle_ ? fmt::format("cycle {}  ", *cycle_) : "",
                         core, is_store ? "writes" : "reads", name.empty() ? "" : name + " at ", address);
    const BusState before = line.states[core];
    const std::string transaction = transactions(machine);
    const bool silent = transaction.empty() && machine.state(core, address) != before;
    if (transaction.empty() && !silent) {
      text_ += fmt::format(": hit in {}\n", name_of(before));
      return;
    }
    text_ += fmt::format("\n      {}\n", silent ? "no transaction, nobody else has the line" : transaction);
    table(machine);
  }

  std::string finish(bool complete) {
    text_ += fmt::format(
        "\n{} accesses: {} BusRd, {} BusRdX, {} BusUpgr, {} BusUpd, {} BusWB\n"
        "{} misses, {} invalidations, {} flushes; memory read {}, written {}\n",
        steps_, last_.bus.BusRd, last_.bus.BusRdX, last_.bus.BusUpgr, last_.bus.BusUpd, last_.bus.BusWB,
        last_.misses, last_.invalidations, last_.flushes, last_.memory.reads, last_.memory.writes);
    if (!complete) {
      text_ += fmt::format("stopped there: the run goes on, --step-limit shows more than {} accesses\n",
                           options_.limit);
    }
    return std::move(text_);
  }

 private:
  struct Line {
    std::vector<BusState> states;  // as last shown
    std::uint64_t used = 0;
  };

  // What went over the bus since the last step, in words; empty if nothing did.
  std::string transactions(const FunctionalBus& machine) {
    const Counts now = Counts::of(machine);
    const FunctionalBus::Served& served = machine.served();
    std::vector<std::string> said;
    const auto say = [&](const char* what, std::uint64_t after, std::uint64_t before) {
      if (after != before) said.emplace_back(what);
    };
    say("BusRd", now.bus.BusRd, last_.bus.BusRd);
    say("BusRdX", now.bus.BusRdX, last_.bus.BusRdX);
    say("BusUpgr", now.bus.BusUpgr, last_.bus.BusUpgr);
    say("BusUpd", now.bus.BusUpd, last_.bus.BusUpd);
    if (served.line)
      said.push_back(served.from_cache ? fmt::format("P{} supplies", served.supplier) : "memory supplies");
    say(served.from_cache ? "memory takes the line" : "a dirty copy is written to memory first",
        now.snooped_writebacks, last_.snooped_writebacks);
    if (served.wrote_back) said.push_back(fmt::format("BusWB of 0x{:x} makes room", served.written_line));
    last_ = now;
    return fmt::format("{}", fmt::join(said, ", "));
  }

  void table(const FunctionalBus& machine) {
    std::string head = fmt::format("      {:<18}", "line");
    for (unsigned core = 0; core < machine.cores(); ++core)
      head += fmt::format("{:<6}", fmt::format("P{}", core));
    text_ += head + "memory\n";
    for (const std::uint64_t address : shown()) {
      Line& line = lines_[address];
      text_ += fmt::format("      {:<18}", fmt::format("0x{:x}", address));
      bool dirty = false;
      for (unsigned core = 0; core < machine.cores(); ++core) {
        const BusState state = machine.state(core, address);
        dirty = dirty || is_dirty(state);
        const std::string after = letter(state);
        text_ += fmt::format("{:<6}",
                             state == line.states[core] ? after : letter(line.states[core]) + ">" + after);
        line.states[core] = state;
      }
      text_ += dirty ? "old\n" : "current\n";
    }
  }

  static std::string letter(BusState state) {
    return state == BusState::I ? "-" : std::string(name_of(state));
  }

  // The lines used last, by address.
  std::vector<std::uint64_t> shown() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    for (const auto& [address, line] : lines_) order.emplace_back(line.used, address);
    std::sort(order.rbegin(), order.rend());
    order.resize(std::min(order.size(), most_lines));
    std::vector<std::uint64_t> addresses;
    for (const auto& [used, address] : order) addresses.push_back(address);
    std::sort(addresses.begin(), addresses.end());
    return addresses;
  }

  std::vector<Symbol> symbols_;
  StepViewOptions options_;
  std::map<std::uint64_t, Line> lines_;
  Counts last_;
  std::optional<Cycles> cycle_;
  std::uint64_t steps_ = 0;
  std::string text_;
};

std::vector<Symbol> symbols_of(const SystemConfig& config, const std::string& source) {
  return has_program(config) ? program_symbols(open_program(config, source))
                             : open_workload(config)->info().symbols;
}

}  // namespace

std::string step_view(const SystemConfig& config, const std::string& source, const StepViewOptions& options) {
  if (config.cores.count > most_cores) {
    throw bad_input({source}, "/cores/count",
                    fmt::format("found {} cores, expected at most {}: more do not fit in a step view",
                                config.cores.count, most_cores));
  }
  StepView view(symbols_of(config, source), options);
  KeepGoing watch;
  bool complete = true;
  try {
    run_system(config, source, watch, RunEngine::fast, &view);
  } catch (const EnoughSteps&) {
    complete = false;
  }
  return view.finish(complete);
}

}  // namespace mesim
