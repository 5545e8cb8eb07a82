// A foreign TLM-2.0 target as mesim's memory: a device behind the memory port that passes every request on
// through an initiator socket (IEEE 1666-2011, blocking transport) and answers when the target has. Up to
// `outstanding` requests are with the target at once, in any order of completion; others wait in order.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/memory_port.hpp"
#include "sim/systemc_host.hpp"

namespace mesim {

class TlmMemory final : public sc_core::sc_module, public MemoryDevice {
 public:
  tlm_utils::simple_initiator_socket<TlmMemory> socket;

  TlmMemory(const sc_core::sc_module_name& name, SystemCHost& host, unsigned ports,
            unsigned outstanding = 16);

  Inbox<MemoryRequest>& requests() override { return requests_; }
  void connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) override;

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

 private:
  struct Job {
    MemoryRequest request;
    unsigned port = 0;
    Cycles arrived = 0;
  };
  void work();

  SystemCHost& host_;
  Inbox<MemoryRequest> requests_;
  std::vector<Link<MemoryReply>> replies_;
  std::deque<Job> jobs_;
  sc_core::sc_event work_to_do_;
};

}  // namespace mesim
