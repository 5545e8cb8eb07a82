#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <tlm_utils/simple_initiator_socket.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "sim/random.hpp"
#include "system/tlm_memory.hpp"
#include "system/tlm_target.hpp"
#include "tests/cores/fixed_cache.hpp"
#include "tests/sim/systemc_context.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr Cycles miss = 40;
constexpr Tick cycle_ps = 500;

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  std::function<void(Initiator&)> program;
  explicit Initiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Initiator);
    SC_THREAD(run);
  }
  void run() {
    if (program) program(*this);
  }
  template <class T>
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, T& value) {
    tlm::tlm_generic_payload payload;
    fill(payload, command, address, value);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  template <class T>
  static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
                   T& value) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
};

struct Platform {
  FreshSystemC systemc;
  Engine engine;
  SystemCHost host{"host", engine};
  SparseMemory bytes;
  TlmTarget<FixedCache> target{"target", host, bytes, 64u, miss, 4u};
  Initiator initiator{"initiator"};
  Platform() {
    engine.add_domain(ClockPeriod::picoseconds(cycle_ps));
    engine.add(target);
    engine.reset(1);
    initiator.socket.bind(target.socket);
  }
};

}  // namespace

TEST_CASE("a foreign initiator's accesses go through the caches and take their time") {
  Platform p;
  std::vector<Tick> took;
  std::uint64_t value = 0x1122334455667788, back = 0;
  p.initiator.program = [&](Initiator& self) {
    const auto timed = [&](tlm::tlm_command command, std::uint64_t address, std::uint64_t& data) {
      const Tick begin = SystemCHost::now();
      CHECK(self.access(command, address, data) == tlm::TLM_OK_RESPONSE);
      took.push_back(SystemCHost::now() - begin);
    };
    timed(tlm::TLM_WRITE_COMMAND, 0x1000, value);
    timed(tlm::TLM_READ_COMMAND, 0x1000, back);
    timed(tlm::TLM_WRITE_COMMAND, 0x103c, value);  // over the end of the line: the second half misses
  };
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(back == value);
  // A cycle over the border, the miss, a cycle back; the last hits in one line and misses in the next.
  CHECK(took == std::vector<Tick>{(1 + miss + 1) * cycle_ps, 2 * cycle_ps, (2 + 1 + miss + 1) * cycle_ps});
  std::uint64_t seen = 0;
  tlm::tlm_generic_payload payload;
  Initiator::fill(payload, tlm::TLM_READ_COMMAND, 0x103c, seen);
  CHECK(p.initiator.socket->transport_dbg(payload) == 8);
  CHECK(seen == value);
}

TEST_CASE("stepping the platform by nanoseconds changes nothing") {
  std::vector<std::vector<Tick>> runs;
  for (const bool stepped : {false, true}) {
    Platform p;
    std::vector<Tick> times;
    p.initiator.program = [&](Initiator& self) {
      Random random(4);
      for (int i = 0; i < 200; ++i) {
        std::uint32_t data = 0;
        self.access(random.chance(0.5) ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                    random.below(4096) * 4, data);
        times.push_back(SystemCHost::now());
        sc_core::wait(sc_core::sc_time::from_value(random.below(3'000)));
      }
    };
    if (stepped) {
      for (int ns = 0; ns < 10'000; ++ns) sc_core::sc_start(1, sc_core::SC_NS);
    } else {
      p.host.run_until(10'000'000);
    }
    CHECK(times.size() == 200);
    runs.push_back(times);
  }
  CHECK(runs[0] == runs[1]);
}

TEST_CASE("non-blocking transactions overlap") {
  Platform p;
  struct Overlap {
    tlm::tlm_generic_payload payload[4];
    std::uint64_t data[4] = {};
    std::vector<Tick> answered;
  } o;
  struct Backward {
    static tlm::tlm_sync_enum answer(Overlap& overlap) {
      overlap.answered.push_back(SystemCHost::now());
      return tlm::TLM_COMPLETED;
    }
  };
  struct NbInitiator : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<NbInitiator> socket{"socket"};
    Overlap& overlap;
    NbInitiator(const sc_core::sc_module_name& name, Overlap& o) : sc_core::sc_module(name), overlap(o) {
      SC_HAS_PROCESS(NbInitiator);
      socket.register_nb_transport_bw(this, &NbInitiator::backward);
      SC_THREAD(run);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
      return phase == tlm::BEGIN_RESP ? Backward::answer(overlap) : tlm::TLM_ACCEPTED;
    }
    void run() {
      for (int i = 0; i < 4; ++i) {
        Initiator::fill(overlap.payload[i], tlm::TLM_READ_COMMAND, 0x1000u + 64u * static_cast<unsigned>(i),
                        overlap.data[i]);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_fw(overlap.payload[i], phase, delay);
        wait(2, sc_core::SC_NS);
      }
    }
  };
  TlmTarget<FixedCache> target("target2", p.host, p.bytes, 64u, miss, 4u);
  p.engine.add(target);
  p.engine.reset(1);
  NbInitiator initiator("nb", o);
  initiator.socket.bind(target.socket);
  sc_core::sc_start(200, sc_core::SC_NS);
  REQUIRE(o.answered.size() == 4);
  CHECK(o.answered.back() - o.answered.front() < 2 * miss * cycle_ps);
  for (auto& payload : o.payload) CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("what the target cannot do is answered with TLM's errors") {
  Platform p;
  p.initiator.program = [&](Initiator& self) {
    std::uint64_t data = 0;
    unsigned char enables[8] = {};
    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    Initiator::fill(payload, tlm::TLM_READ_COMMAND, 0, data);
    payload.set_byte_enable_ptr(enables);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    Initiator::fill(payload, tlm::TLM_READ_COMMAND, 0, data);
    payload.set_streaming_width(4);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_BURST_ERROR_RESPONSE);
    Initiator::fill(payload, tlm::TLM_IGNORE_COMMAND, 0, data);
    self.socket->b_transport(payload, delay);
    CHECK(payload.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
  };
  sc_core::sc_start(100, sc_core::SC_NS);
}

namespace {

// A foreign memory of fixed latency.
struct ForeignMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<ForeignMemory> socket{"socket"};
  int accesses = 0;
  explicit ForeignMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_b_transport(this, &ForeignMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    delay += sc_core::sc_time(30, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Home : Part {
  Inbox<MemoryReply> replies{*this, 1};
  Link<MemoryRequest> link;
  std::vector<std::pair<std::uint32_t, Cycles>> got;
  void step(Cycles now) override {
    replies.take(now, [&](unsigned, const MemoryReply& reply) { got.emplace_back(reply.tag, now); });
    if (now == 0) {
      for (std::uint32_t i = 0; i < 3; ++i) link.send(now, {.address = i * 64, .bytes = 64, .tag = i});
      link.send(now, {.address = 0, .bytes = 64, .write = true});
    }
  }
  void reset(std::uint64_t) override { wake(0); }
  void digest(Digest&) const override {}
};

}  // namespace

TEST_CASE("a foreign target serves as memory, several requests at a time") {
  FreshSystemC systemc;
  Engine engine;
  SystemCHost host("host", engine);
  TlmMemory memory("memory", host, 1, 2);
  ForeignMemory foreign("foreign");
  Home home;
  engine.add_domain(ClockPeriod::picoseconds(cycle_ps));
  engine.add(memory);
  engine.add(home);
  home.link.connect(home, memory.requests(), 0, 1);
  memory.connect_reply(0, home.replies, 0, 1);
  engine.reset(1);
  memory.socket.bind(foreign.socket);
  sc_core::sc_start(1, sc_core::SC_US);
  CHECK(foreign.accesses == 4);
  // 1 cycle there, 60 in the memory, 1 back; the third had to wait for one of two places.
  CHECK(home.got == std::vector<std::pair<std::uint32_t, Cycles>>{{0, 62}, {1, 62}, {2, 122}});
}
