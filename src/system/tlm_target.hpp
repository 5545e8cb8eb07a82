// A TLM-2.0 target socket (IEEE 1666-2011, clauses 10-16) on the coherent memory system: a foreign initiator
// becomes one more agent with a private cache of its own, behind the same port as a core.
//
//   b_transport   takes the access to the caches and returns when it was performed; the initiator's `delay`
//   is
//                 waited for first, and comes back as zero
//   nb_transport  approximately timed, any number of transactions at once (the socket's own conversion)
//   transport_dbg reads and writes the bytes at once, without time and without touching a cache
//
// An access that crosses lines becomes one per line, in order of addresses. Byte enables and streaming are
// answered with TLM's error responses. The bytes lie in a backing store that is read and written in the cycle
// in which the caches perform the access.
#pragma once
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>
#include <systemc>
#include <tlm>

#include "sim/core_port.hpp"
#include "sim/link.hpp"
#include "sim/systemc_host.hpp"
#include "system/sparse_memory.hpp"

namespace mesim {

template <CoreCache Cache>
class TlmTarget final : public sc_core::sc_module, public Part {
 public:
  tlm_utils::simple_target_socket<TlmTarget> socket;

  template <class... CacheArguments>
  TlmTarget(const sc_core::sc_module_name& name, SystemCHost& host, SparseMemory& bytes,
            std::uint32_t line_bytes, CacheArguments&&... cache_arguments)
      : sc_core::sc_module(name),
        socket("socket"),
        cache_(*this, std::forward<CacheArguments>(cache_arguments)...),
        host_(host),
        bytes_(bytes),
        line_bytes_(line_bytes) {
    socket.register_b_transport(this, &TlmTarget::b_transport);
    socket.register_transport_dbg(this, &TlmTarget::transport_dbg);
    border_.connect(*this, posted_, 0, 1);
  }

  Cache& cache() { return cache_; }

  void step(Cycles now) override {
    for (const CoreCompletion& done : cache_.receive(now)) {
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (waiting_[i].token != done.token || !waiting_[i].accepted) continue;
        tokens_ |= 1u << done.token;
        perform(*waiting_[i].access, now, 1);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    }
    posted_.take(now, [this](unsigned, const Posted& posted) {
      waiting_.push_back({posted.access, 0, false});
    });
    ask(now);
  }
  void reset(std::uint64_t seed) override {
    waiting_.clear();
    cache_.reset(seed);
    tokens_ = all_tokens;
  }
  void digest(Digest& digest) const override { cache_.digest(digest); }

 private:
  static constexpr std::uint32_t all_tokens = 0xffff;
  // One line's part of a transaction; lives on the stack of the waiting process.
  struct Access {
    std::uint64_t address = 0;
    std::uint16_t size = 0;
    bool write = false;
    unsigned char* data = nullptr;
    sc_core::sc_event done;
  };
  struct Posted {
    Access* access;
  };
  struct Waiting {
    Access* access;
    std::uint16_t token;
    bool accepted;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (!usable(payload)) return;
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    const std::uint64_t end = payload.get_address() + payload.get_data_length();
    for (std::uint64_t at = payload.get_address(); at < end;) {
      const std::uint64_t next = std::min(end, (at / line_bytes_ + 1) * line_bytes_);
      Access access;
      access.address = at;
      access.size = static_cast<std::uint16_t>(next - at);
      access.write = payload.is_write();
      access.data = payload.get_data_ptr() + (at - payload.get_address());
      border_.send(clock().first_edge_from(SystemCHost::now()), {&access});
      host_.kick();
      wait(access.done);
      at = next;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::span bytes(payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) bytes_.read(payload.get_address(), bytes);
    if (payload.is_write()) bytes_.write(payload.get_address(), bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
  }

  static bool usable(tlm::tlm_generic_payload& payload) {
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    } else if (payload.get_streaming_width() < payload.get_data_length()) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    } else if (!payload.is_read() && !payload.is_write()) {
      payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    } else {
      return true;
    }
    return false;
  }

  // Everything that the cache has not accepted yet, oldest first, until it refuses.
  void ask(Cycles now) {
    for (std::size_t i = 0; i < waiting_.size();) {
      Waiting& waiting = waiting_[i];
      if (waiting.accepted) {
        ++i;
        continue;
      }
      const Access& access = *waiting.access;
      CoreRequest request;
      request.address = access.address;
      request.size = access.size;
      request.kind = access.write ? AccessKind::store : AccessKind::load;
      if (const CoreHit hit = cache_.try_hit(request, now); hit.done) {
        perform(*waiting.access, now, hit.latency);
        waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      if (tokens_ == 0) return;
      request.token = static_cast<std::uint16_t>(std::countr_zero(tokens_));
      if (cache_.miss(request, now) == MissReply::refused) return;
      waiting.token = request.token;
      waiting.accepted = true;
      tokens_ &= tokens_ - 1;
      ++i;
    }
  }

  // The bytes move in cycle `now`; the process goes on when they have travelled back.
  void perform(Access& access, Cycles now, Cycles latency) {
    const std::span bytes(access.data, access.size);
    if (access.write) {
      bytes_.write(access.address, bytes);
    } else {
      bytes_.read(access.address, bytes);
    }
    const Tick back = clock().edge(now + latency);
    access.done.notify(sc_core::sc_time::from_value(back - SystemCHost::now()));
  }

  Cache cache_;
  SystemCHost& host_;
  SparseMemory& bytes_;
  std::uint32_t line_bytes_;
  Inbox<Posted> posted_{*this, 1};
  Link<Posted> border_;
  std::deque<Waiting> waiting_;
  std::uint32_t tokens_ = all_tokens;
};

}  // namespace mesim
