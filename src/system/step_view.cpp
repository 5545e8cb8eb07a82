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
  StepView(std::vector<Symbol> symbols, unsigned cores, const StepViewOptions& options)
      : symbols_(std::move(symbols)), options_(options) {
    story_.cores = cores;
  }

  void cycle(Cycles now) override { cycle_ = now; }

  void accessed(const FunctionalBus& machine, unsigned core, bool is_store, std::uint64_t address,
                std::uint32_t) override {
    if (steps_ == options_.limit) throw EnoughSteps{};
    ++steps_;
    Line& line = lines_[address & ~std::uint64_t{machine.line_bytes() - 1}];
    line.used = steps_;
    line.states.resize(machine.cores(), BusState::I);
    const std::string name = place_name(symbols_, address);
    Step& step = story_.steps.emplace_back();
    step.access = fmt::format("{}P{} {} {}0x{:x}", cycle_ ? fmt::format("cycle {}  ", *cycle_) : "", core,
                              is_store ? "writes" : "reads", name.empty() ? "" : name + " at ", address);
    const BusState before = line.states[core];
    const std::string transaction = transactions(machine);
    const bool silent = transaction.empty() && machine.state(core, address) != before;
    step.hit = transaction.empty() && !silent;
    if (step.hit) {
      step.happened = fmt::format("hit in {}", name_of(before));
      return;
    }
    step.happened = silent ? "no transaction, nobody else has the line" : transaction;
    step.lines = table(machine);
  }

  StepStory finish(bool complete) {
    story_.sums = fmt::format(
        "{} accesses: {} BusRd, {} BusRdX, {} BusUpgr, {} BusUpd, {} BusWB\n"
        "{} misses, {} invalidations, {} flushes; memory read {}, written {}\n",
        steps_, last_.bus.BusRd, last_.bus.BusRdX, last_.bus.BusUpgr, last_.bus.BusUpd, last_.bus.BusWB,
        last_.misses, last_.invalidations, last_.flushes, last_.memory.reads, last_.memory.writes);
    if (!complete) {
      story_.sums += fmt::format("stopped there: the run goes on, --step-limit shows more than {} accesses\n",
                                 options_.limit);
    }
    return std::move(story_);
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

  std::vector<StepLine> table(const FunctionalBus& machine) {
    std::vector<StepLine> out;
    for (const std::uint64_t address : shown()) {
      Line& line = lines_[address];
      StepLine& now = out.emplace_back();
      now.address = address;
      for (unsigned core = 0; core < machine.cores(); ++core) {
        const BusState state = machine.state(core, address);
        now.current = now.current && !is_dirty(state);
        now.before.push_back(letter(line.states[core]));
        now.after.push_back(letter(state));
        line.states[core] = state;
      }
    }
    return out;
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
  StepStory story_;
};

std::vector<Symbol> symbols_of(const SystemConfig& config, const std::string& source) {
  return has_program(config) ? program_symbols(open_program(config, source))
                             : open_workload(config)->info().symbols;
}

}  // namespace

StepStory step_story(const SystemConfig& config, const std::string& source, const StepViewOptions& options) {
  if (config.cores.count > most_cores) {
    throw bad_input({source}, "/cores/count",
                    fmt::format("found {} cores, expected at most {}: more do not fit in a step view",
                                config.cores.count, most_cores));
  }
  StepView view(symbols_of(config, source), config.cores.count, options);
  KeepGoing watch;
  bool complete = true;
  try {
    run_system(config, source, watch, RunEngine::fast, &view);
  } catch (const EnoughSteps&) {
    complete = false;
  }
  return view.finish(complete);
}

std::string step_text(const StepStory& story) {
  std::string text;
  for (std::size_t i = 0; i < story.steps.size(); ++i) {
    const Step& step = story.steps[i];
    text += fmt::format("{:>4}  {}", i + 1, step.access);
    if (step.hit) {
      text += ": " + step.happened + "\n";
      continue;
    }
    text += fmt::format("\n      {}\n      {:<18}", step.happened, "line");
    for (unsigned core = 0; core < story.cores; ++core)
      text += fmt::format("{:<6}", fmt::format("P{}", core));
    text += "memory\n";
    for (const StepLine& line : step.lines) {
      text += fmt::format("      {:<18}", fmt::format("0x{:x}", line.address));
      for (std::size_t core = 0; core < line.after.size(); ++core) {
        const bool same = line.before[core] == line.after[core];
        text += fmt::format("{:<6}", same ? line.after[core] : line.before[core] + ">" + line.after[core]);
      }
      text += line.current ? "current\n" : "old\n";
    }
  }
  return text + "\n" + story.sums;
}

}  // namespace mesim
