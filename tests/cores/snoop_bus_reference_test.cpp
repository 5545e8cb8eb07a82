// The bus of Georgia Tech's CS 4290/6290 coherence project against a simulator that steps through every cycle
// and keeps each processor's lines in a map: random traces of up to 16 processors, six protocols, to the
// cycle.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>

#include "cores/timed_bus.hpp"
#include "sim/random.hpp"
#include "tests/cores/vector_trace.hpp"

using namespace mesim;
using test::record;
using test::VectorTrace;

namespace {

struct Access {
  bool write;
  std::uint64_t line;
};
using Program = std::vector<std::vector<Access>>;

struct Figures {
  std::uint64_t cycles = 0, misses = 0, accesses = 0, silent_upgrades = 0, cache_to_cache = 0;
  bool operator==(const Figures&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Figures& f) {
  return out << f.cycles << ' ' << f.misses << ' ' << f.accesses << ' ' << f.silent_upgrades << ' '
             << f.cache_to_cache;
}

// Every cycle, every processor, as the project's text has it.
class Reference {
 public:
  Reference(const Program& program, const std::string& protocol)
      : program_(program), processors_(program.size()) {
    has_e_ = protocol.find('E') != std::string::npos;
    has_o_ = protocol.find('O') != std::string::npos;
    has_f_ = protocol.find('F') != std::string::npos;
    only_m_ = protocol == "MI";
  }

  Figures run() {
    for (long now = 0; !finished(); ++now) {
      for (std::size_t p = 0; p < processors_.size(); ++p) processor(p, now);
      bus(now);
    }
    out_.cycles = static_cast<std::uint64_t>(last_ + 1);
    return out_;
  }

 private:
  struct Processor {
    std::map<std::uint64_t, char> lines;
    std::size_t next = 0;  // access
    long fetch_at = 0;     // -1: waits
    long look_up_at = -1;
    bool finished = false;
  };
  struct Request {
    std::size_t processor;
    bool exclusive;
    std::uint64_t line;
    long queued_at;
  };

  bool finished() const {
    for (const Processor& p : processors_) {
      if (!p.finished) return false;
    }
    return true;
  }

  char state(std::size_t p, std::uint64_t line) const {
    const auto found = processors_[p].lines.find(line);
    return found == processors_[p].lines.end() ? 'I' : found->second;
  }

  void complete(std::size_t p, long now) {
    ++out_.accesses;
    last_ = std::max(last_, now);
    processors_[p].fetch_at = now;
  }

  void processor(std::size_t p, long now) {
    Processor& self = processors_[p];
    if (self.fetch_at == now) {
      self.fetch_at = -1;
      if (self.next == program_[p].size()) {
        self.finished = true;
        return;
      }
      self.look_up_at = now + 1;
      return;
    }
    if (self.look_up_at != now) return;
    self.look_up_at = -1;
    const Access access = program_[p][self.next++];
    char& mine = self.lines.try_emplace(access.line, 'I').first->second;
    if (access.write ? mine == 'M' || mine == 'E' : mine != 'I') {
      if (access.write && mine == 'E') {
        ++out_.silent_upgrades;
        mine = 'M';
      }
      complete(p, now + 1);
      return;
    }
    ++out_.misses;
    queue_.push_back({p, access.write || only_m_, access.line, now});
    if (access.write || only_m_) own_queued_.insert({p, access.line});
  }

  void bus(long now) {
    if (queue_.empty() || now < free_at_ || now < queue_.front().queued_at + 1) return;
    const Request request = queue_.front();
    queue_.pop_front();
    own_queued_.erase({request.processor, request.line});
    bool shared = false, supplied = false;
    for (std::size_t p = 0; p < processors_.size(); ++p) {
      if (p != request.processor) snoop(p, request, shared, supplied);
    }
    out_.cache_to_cache += supplied;
    processors_[request.processor].lines[request.line] = request.exclusive   ? 'M'
                                                         : has_e_ && !shared ? 'E'
                                                                             : 'S';
    const long data = now + (supplied ? 1 : 101);
    free_at_ = data + 1;
    complete(request.processor, data + 1);
  }

  void snoop(std::size_t p, const Request& request, bool& shared, bool& supplied) {
    const char before = state(p, request.line);
    if (before == 'I') return;
    const bool leaving = own_queued_.contains({p, request.line});
    char& mine = processors_[p].lines[request.line];
    if (request.exclusive) {
      if (before != 'S' && !(leaving && (before == 'O' || before == 'F'))) supplied = true;
      mine = 'I';
      return;
    }
    if (!(before == 'S' && leaving)) shared = true;
    if (before != 'S' && !(before == 'O' && leaving)) supplied = true;
    if (before == 'M') mine = has_o_ ? 'O' : 'S';
    if (before == 'E') mine = has_f_ ? 'F' : 'S';
  }

  const Program& program_;
  std::vector<Processor> processors_;
  std::deque<Request> queue_;
  std::set<std::pair<std::size_t, std::uint64_t>> own_queued_;
  bool has_e_ = false, has_o_ = false, has_f_ = false, only_m_ = false;
  long free_at_ = 0;
  long last_ = 0;
  Figures out_;
};

Figures simulated(const Program& program, const std::string& protocol) {
  FunctionalBusConfig config;
  config.cores = static_cast<unsigned>(program.size());
  config.coherence.protocol = protocol;
  config.l1d = {.size_bytes = 4 * MiB, .ways = 64};
  config.coherence.upgrade = "BusRdX";
  config.coherence.forwarder = "first";
  config.coherence.pending_upgrade = "leaver";
  config.coherence.upgrade_is_miss = true;
  std::vector<std::vector<Record>> threads;
  for (const auto& accesses : program) {
    threads.emplace_back();
    for (const Access& a : accesses)
      threads.back().push_back(record(a.write ? RecordKind::store : RecordKind::load, a.line * 64));
  }
  VectorTrace trace(threads);
  TimedBus bus(trace, config);
  Figures out;
  out.cycles = run_timed_bus(bus, 1).cycles;
  for (unsigned core = 0; core < config.cores; ++core) {
    const CoreCounters& c = bus.machine().core(core);
    out.misses += c.misses[0] + c.misses[1];
    out.accesses += c.accesses[0] + c.accesses[1];
    out.silent_upgrades += c.silent_upgrades;
    out.cache_to_cache += c.cache_to_cache;
  }
  return out;
}

Program random_program(unsigned processors, unsigned lines, double writes, std::uint64_t seed) {
  Program program(processors);
  Random random(seed, processors);
  for (auto& accesses : program) {
    const std::size_t count = 20 + random.below(120);
    for (std::size_t i = 0; i < count; ++i) accesses.push_back({random.chance(writes), random.below(lines)});
  }
  return program;
}

}  // namespace

TEST_CASE("the snooping-bus project with up to 16 processors equals a simulator that steps every cycle") {
  for (const char* protocol : {"MI", "MSI", "MESI", "MOSI", "MOESI", "MOESIF"}) {
    for (const unsigned processors : {1u, 2u, 4u, 7u, 16u}) {
      for (const unsigned lines : {1u, 3u, 20u, 200u}) {
        for (const double writes : {0.1, 0.5}) {
          const Program program = random_program(processors, lines, writes, processors * 1000 + lines);
          INFO(protocol << ", " << processors << " processors, " << lines << " lines, writes " << writes);
          CHECK(simulated(program, protocol) == Reference(program, protocol).run());
        }
      }
    }
  }
}
