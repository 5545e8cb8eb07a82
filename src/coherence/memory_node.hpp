// A memory controller as a node of the network: homes ask it for lines and send it what they write back. A
// request of a home is a DmaRead or DmaWrite in the virtual network of forwards, which memory always takes,
// so that nothing waits in a circle; the line comes back as Data in that of responses. `time.since` of both
// counts the cycles that they stood behind others in the network, and behind other requests in the memory.
#pragma once
#include "coherence/directory_message.hpp"
#include "sim/link.hpp"
#include "sim/memory_port.hpp"

namespace mesim {

// Which node is the controller of a line: each gets as many lines in a row as there are homes, so that every
// home uses all of them.
struct MemoryMap {
  std::uint16_t first_node = 0xffff;
  std::uint16_t count = 0;
  std::uint16_t homes = 1;

  bool has(std::uint16_t node) const { return node >= first_node; }
  std::uint16_t node_of(std::uint64_t line) const {
    return static_cast<std::uint16_t>(first_node + line / homes % count);
  }
};

template <class Value>
class MemoryNode final : public Part {
 public:
  using Net = DirectoryMessage<Value>;

  // `line_bytes` is a power of two.
  MemoryNode(std::uint16_t node, HomeMap homes, std::uint32_t line_bytes)
      : node_(node), homes_(homes), line_bytes_(line_bytes) {}

  Inbox<Net>& inbox() { return inbox_; }
  void connect(Inbox<Net>& network, unsigned port, Cycles latency) {
    out_.connect(*this, network, port, latency);
  }
  // At its port `port`.
  void connect_memory(MemoryDevice& memory, unsigned port, Cycles latency) {
    to_memory_.connect(*this, memory.requests(), port, latency);
    memory.connect_reply(port, replies_, 0, latency);
  }

  void step(Cycles now) override {
    replies_.take(now, [&](unsigned, const MemoryReply& reply) { answer(reply, now); });
    inbox_.take(now, [&](unsigned, const Net& net) {
      to_memory_.send(now, {.address = net.line * line_bytes_,
                            .bytes = line_bytes_,
                            .tag = static_cast<std::uint32_t>(net.time.since),
                            .unit = net.message.requestor,
                            .write = net.message.kind == directory::MessageKind::DmaWrite});
    });
  }
  void reset(std::uint64_t) override {}
  void digest(Digest&) const override {}

 private:
  void answer(const MemoryReply& reply, Cycles now) {
    Net net;
    net.message.kind = directory::MessageKind::Data;
    net.line = reply.address / line_bytes_;
    net.time.since = Cycles{reply.tag} + reply.queue_cycles;
    net.destination = net.message.to = homes_.node_of(net.line);
    net.source = node_;
    net.size_bytes = Net::size_of(true, line_bytes_);
    net.network = 2;
    out_.send(now, net);
  }

  std::uint16_t node_;
  HomeMap homes_;
  std::uint32_t line_bytes_;
  Inbox<Net> inbox_{*this, 1};
  Inbox<MemoryReply> replies_{*this, 1};
  Link<Net> out_;
  Link<MemoryRequest> to_memory_;
};

}  // namespace mesim
