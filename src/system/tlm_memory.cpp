// Workers are spawned, one for each transaction that the target may hold.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "system/tlm_memory.hpp"

namespace mesim {

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, SystemCHost& host, unsigned ports,
                     unsigned outstanding)
    : sc_core::sc_module(name), socket("socket"), host_(host), requests_(*this, ports), replies_(ports) {
  for (unsigned i = 0; i < outstanding; ++i) {
    sc_core::sc_spawn([this] { work(); }, sc_core::sc_gen_unique_name("worker"));
  }
}

void TlmMemory::connect_reply(unsigned port, Inbox<MemoryReply>& inbox, unsigned inbox_port, Cycles latency) {
  replies_[port].connect(*this, inbox, inbox_port, latency);
}

void TlmMemory::step(Cycles now) {
  bool any = false;
  requests_.take(now, [&](unsigned port, const MemoryRequest& request) {
    jobs_.push_back({request, port, now});
    any = true;
  });
  // The wheel may be ahead of SystemC: the workers start at the time of this cycle.
  if (any) work_to_do_.notify(sc_core::sc_time::from_value(clock().edge(now) - SystemCHost::now()));
}

void TlmMemory::reset(std::uint64_t) { jobs_.clear(); }

void TlmMemory::digest(Digest& digest) const {
  for (const Job& job : jobs_) job.request.digest(digest);
}

void TlmMemory::work() {
  tlm::tlm_generic_payload payload;
  std::vector<unsigned char> bytes;
  for (;;) {
    while (jobs_.empty()) sc_core::wait(work_to_do_);
    const Job job = jobs_.front();
    jobs_.pop_front();
    const Cycles begin = clock().first_edge_from(SystemCHost::now());
    bytes.resize(job.request.bytes);
    payload.set_command(job.request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(job.request.address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(job.request.bytes);
    payload.set_streaming_width(job.request.bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    if (payload.is_response_error()) {
      SC_REPORT_ERROR("mesim", ("memory target: " + payload.get_response_string()).c_str());
    }
    if (job.request.write) continue;
    const Cycles end = clock().first_edge_from(SystemCHost::now());
    replies_[job.port].send(
        end, {job.request.address, job.request.tag, static_cast<std::uint32_t>(begin - job.arrived),
              static_cast<std::uint32_t>(end - begin)});
    host_.kick();
  }
}

}  // namespace mesim
