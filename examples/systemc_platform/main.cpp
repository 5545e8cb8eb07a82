// A SystemC platform of somebody else's with mesim in it: four cores run a program on coherent caches, and a
// foreign TLM-2.0 initiator, a device that knows nothing of mesim, reads and writes the same memory through a
// target socket. Its accesses are coherent: they take lines from the cores, and cost what that costs.
//
//   build/release/examples/systemc_platform/systemc_platform
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>

#include "system/patterns.hpp"
#include "system/timed_directory.hpp"
#include "system/tlm_target.hpp"

namespace {

// The device: writes a table, reads it back, and watches the cores' counters meanwhile.
struct Device : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Device> socket{"socket"};
  std::uint64_t watched = 0;  // an address that the cores write
  int wrong = 0;
  int accesses = 0;
  sc_core::sc_time busy;

  explicit Device(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Device);
    SC_THREAD(run);
  }

  void access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    payload.set_byte_enable_ptr(nullptr);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    socket->b_transport(payload, delay);
    wait(delay);
    busy += sc_core::sc_time_stamp() - begin;
    ++accesses;
    wrong += payload.is_response_error();
  }

  void run() {
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t value = i * i, counter = 0;
      access(tlm::TLM_WRITE_COMMAND, 0x80000 + 4 * i, value);
      access(tlm::TLM_READ_COMMAND, watched, counter);
    }
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t value = 0;
      access(tlm::TLM_READ_COMMAND, 0x80000 + 4 * i, value);
      wrong += value != i * i;
    }
  }
};

}  // namespace

int sc_main(int, char**) {
  using namespace mesim;
  TimedDirectoryConfig config;
  config.cores = 4;
  config.agents = 1;
  TimedDirectory machine(config);
  const auto program =
      pattern_trace("counters", {.cores = 4, .rounds = 2000, .stride_bytes = 4, .line_bytes = 64});
  machine.load(*program);

  SystemCHost host("host", machine.engine());
  SparseMemory bytes;
  const auto place = machine.agent_cache(0);
  TlmTarget<TimedDirectory::Cache> port("port", host, bytes, 64u, place.caches, place.protocol, place.node,
                                        place.homes);
  machine.add_agent(0, port);
  machine.reset(1);

  Device device("device");
  device.socket.bind(port.socket);
  device.watched = program->thread(0)->next().front().address;
  sc_core::sc_start();  // until neither the cores nor the device have anything left to do

  fmt::print("cores: {} references in {} cycles\n", machine.references(), machine.cycles());
  fmt::print("device: {} accesses, {:.1f} ns each, {} wrong\n", device.accesses,
             device.busy.to_seconds() * 1e9 / device.accesses, device.wrong);
  fmt::print("device's cache: {} read misses, {} lines lost to the cores\n",
             port.cache().counters().all_misses(), port.cache().counters().invalidations);
  return machine.finished() && device.wrong == 0 ? 0 : 1;
}
