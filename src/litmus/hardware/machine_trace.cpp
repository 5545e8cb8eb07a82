#include "litmus/hardware/machine_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::litmus {
namespace {

bool same_store(const BufferedStore& a, const BufferedStore& b) {
  return a.slot == b.slot && a.address == b.address;
}

bool same_stores(const std::vector<BufferedStore>& a, const std::vector<BufferedStore>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const BufferedStore& x, const BufferedStore& y) { return same_store(x, y) && x.value == y.value; });
}

// Stores that were in the buffer before the cycle and still are.
bool stores_stay(const std::vector<BufferedStore>& before, const std::vector<BufferedStore>& now) {
  return std::any_of(now.begin(), now.end(), [&](const BufferedStore& store) {
    return std::any_of(before.begin(), before.end(),
                       [&](const BufferedStore& old) { return same_store(old, store); });
  });
}

}  // namespace

template <class Machine>
MachineTrace<Machine>::MachineTrace(const Test& test, const ProgramOfTest& program, Machine& machine)
    : test_(test),
      program_(program),
      machine_(machine),
      consistency_(consistency_from(machine.config().core.consistency)),
      line_bytes_(machine.config().caches.l1d.line_bytes),
      cores_(test.threads.size()) {
  for (Core& core : cores_) core.states.assign(test.locations.size(), "I");
  std::vector<std::string>& names = trace_.participants;
  for (std::size_t core = 0; core < cores_.size(); ++core)
    names.push_back(fmt::format("core {} (P{})", core, program.thread_on(core)));
  if constexpr (on_bus) {
    names.insert(names.end(), {"bus", "memory"});
  } else {
    for (unsigned home = 0; home < machine.config().homes; ++home)
      names.push_back(fmt::format("home {}", home));
    for (unsigned memory = 0; memory < machine.memories(); ++memory)
      names.push_back(fmt::format("memory {}", memory));
  }
}

template <class Machine>
std::string MachineTrace<Machine>::location(std::uint64_t address) const {
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    if (program_.address_of_location(l) == address) return test_.locations[l].name;
  }
  return "";
}

template <class Machine>
std::string MachineTrace<Machine>::with_value(std::uint64_t address, std::uint64_t value) const {
  return fmt::format("{}={}", location(address), value_text(test_, static_cast<Value>(value)));
}

template <class Machine>
template <class Net>
std::string MachineTrace<Machine>::line_text(const Net& net, bool carries, const LineData& value) const {
  std::string text;
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    const std::uint64_t address = program_.address_of_location(l);
    if (address / line_bytes_ != net.line) continue;
    text +=
        " " + (carries ? with_value(address, value.read(static_cast<std::uint32_t>(address % line_bytes_), 8))
                       : test_.locations[l].name);
  }
  return text;
}

template <class Machine>
unsigned MachineTrace<Machine>::participant(split_bus::NodeId node) const {
  return node < cores_.size() ? node : static_cast<unsigned>(cores_.size()) + 1;
}

template <class Machine>
template <class Net>
std::string MachineTrace<Machine>::message(const Net& net) const {
  if constexpr (on_bus) {
    if (net.is_request())
      return fmt::format("{}{} of {}", name(net.request.kind), line_text(net, false, {}),
                         trace_.participants[participant(net.request.requestor)]);
    return fmt::format("{}{} for {}", name(net.data.kind), line_text(net, net.carries_line(), net.data.value),
                       trace_.participants[participant(net.data.to)]);
  } else {
    return fmt::format("{}{}", directory::name(net.message.kind),
                       line_text(net, net.size_bytes > Net::header_bytes, net.message.value));
  }
}

template <class Machine>
void MachineTrace<Machine>::before(Cycles now) {
  const auto each = [&](auto& inbox, auto act) {
    inbox.any_of(now, [&](const auto& net) {
      if (of_test(net.line)) act(net);
      return false;
    });
  };
  if constexpr (on_bus) {
    const auto bus = static_cast<unsigned>(cores_.size()), memory = bus + 1;
    each(machine_.bus().inbox(), [&](const auto& net) {
      const unsigned from = participant(net.is_request() ? net.request.requestor : net.data.from);
      say(now - 1, Kind::message, from, message(net), bus);
    });
    const auto arrivals = [&](auto& inbox, unsigned at) {
      each(inbox, [&](const auto& net) {
        if (!net.is_request()) {
          say(now, Kind::arrival, at, message(net), bus);
        } else if (at == memory) {  // they all see it in this cycle
          say(now, Kind::message, bus, message(net), HardwareStep::everyone);
        }
      });
    };
    for (unsigned core = 0; core < bus; ++core) arrivals(machine_.tile(core).cache().inbox(), core);
    arrivals(machine_.memory_side().inbox(), memory);
  } else {
    each(machine_.network().inbox(),
         [&](const auto& net) { say(now - 1, Kind::message, net.source, message(net), net.destination); });
    const auto arrivals = [&](auto& inbox) {
      each(inbox,
           [&](const auto& net) { say(now, Kind::arrival, net.destination, message(net), net.source); });
    };
    for (unsigned core = 0; core < cores_.size(); ++core) arrivals(machine_.tile(core).cache().inbox());
    for (unsigned home = 0; home < machine_.config().homes; ++home) arrivals(machine_.home(home).inbox());
    for (unsigned memory = 0; memory < machine_.memories(); ++memory)
      arrivals(machine_.memory_node(memory).inbox());
  }
}

template <class Machine>
bool MachineTrace<Machine>::of_test(std::uint64_t line) const {
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    if (program_.address_of_location(l) / line_bytes_ == line) return true;
  }
  return false;
}

template <class Machine>
void MachineTrace<Machine>::after(Cycles now) {
  lines_of_memory(now);
  if constexpr (!on_bus) one_writer(now);
  for (unsigned core = 0; core < cores_.size(); ++core) {
    window(core, now);
    gone(core, now);
    store_buffer(core, now);
  }
}

template <class Machine>
void MachineTrace<Machine>::lines_of_memory(Cycles now) {
  for (unsigned core = 0; core < cores_.size(); ++core) {
    for (std::size_t l = 0; l < test_.locations.size(); ++l) {
      const std::uint64_t address = program_.address_of_location(l);
      const auto& cache = machine_.tile(core).cache();
      std::string state(name(cache.state_of(address / line_bytes_)));
      if (const LineData* data = cache.contents(address / line_bytes_)) {
        const std::uint64_t value = data->read(static_cast<std::uint32_t>(address % line_bytes_), 8);
        state += " " + value_text(test_, static_cast<Value>(value));
      }
      std::string& last = cores_[core].states[l];
      if (state == last) continue;
      say(now, Kind::line, core, fmt::format("{} {} -> {}", test_.locations[l].name, last, state));
      last = state;
    }
  }
}

template <class Machine>
void MachineTrace<Machine>::one_writer(Cycles now) {
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    const std::uint64_t address = program_.address_of_location(l);
    for (unsigned writer = 0; writer < cores_.size(); ++writer) {
      const bool writes = writable(machine_.tile(writer).cache().state_of(address / line_bytes_));
      for (unsigned reader = 0; reader < cores_.size(); ++reader) {
        if (reader == writer) continue;
        if (!writes || !readable(reader, address)) {
          two_copies_.erase({l, writer, reader});
        } else if (two_copies_.insert({l, writer, reader}).second) {
          accuse(now, writer,
                 fmt::format("may write {} while core {} still reads its copy", test_.locations[l].name,
                             reader));
        }
      }
    }
  }
}

template <class Machine>
std::vector<BufferedStore> MachineTrace<Machine>::stores_of(unsigned core) const {
  const StoreBuffer& buffer = core_of(core).buffer();
  std::vector<BufferedStore> stores;
  for (std::uint32_t i = 0; i < buffer.size(); ++i) stores.push_back(buffer[i]);
  return stores;
}

template <class Machine>
std::string MachineTrace<Machine>::buffer_text(const std::vector<BufferedStore>& buffer) const {
  std::string text;
  for (const BufferedStore& store : buffer) {
    if (!location(store.address).empty()) text += " " + with_value(store.address, store.value);
  }
  return text.empty() ? " empty" : text;
}

template <class Machine>
void MachineTrace<Machine>::store_buffer(unsigned number, Cycles now) {
  Core& core = cores_[number];
  const StoreBuffer& stands = core_of(number).buffer();
  std::vector<BufferedStore> buffer;
  for (std::uint32_t i = 0; i < stands.size(); ++i) buffer.push_back(stands[i]);
  const std::string text = buffer_text(buffer);
  if (text != buffer_text(core.buffer)) say(now, Kind::buffer, number, "buffer:" + text);
  if (consistency_ <= Consistency::tso) joined_past(number, buffer, now);
  core.buffer = std::move(buffer);
}

// Where each retired store went; what stands further ahead than an older one has joined a still older one.
template <class Machine>
void MachineTrace<Machine>::joined_past(unsigned number, const std::vector<BufferedStore>& buffer,
                                        Cycles now) {
  Core& core = cores_[number];
  const Window& entries = core_of(number).window();
  for (const BufferedStore& store : buffer) {
    if (std::none_of(core.buffer.begin(), core.buffer.end(),
                     [&](const BufferedStore& old) { return same_store(old, store); }))
      core.newest.erase(store.slot);  // whatever stood there has gone
  }
  for (auto at = core.stores.begin(); at != core.stores.end() && at->first < entries.head();) {
    for (const BufferedStore& store : buffer) {
      if (store.address == at->second.address && store.value == at->second.value)
        core.newest[store.slot] = at->first;
    }
    at = core.stores.erase(at);
  }
  core.stores.erase(core.stores.lower_bound(entries.head()), core.stores.end());  // they are found again
  for (std::uint64_t n = entries.head(); n < entries.tail(); ++n) {
    const WindowEntry& e = entries.at(n);
    if (e.op.kind != OpKind::store || e.missing != 0) continue;
    BufferedStore& store = core.stores[n];
    store.address = e.address;
    store.value = e.operands[0];
  }
  for (std::size_t i = 0; i + 1 < buffer.size(); ++i) {
    const auto first = core.newest.find(buffer[i].slot), second = core.newest.find(buffer[i + 1].slot);
    if (first == core.newest.end() || second == core.newest.end() || first->second <= second->second ||
        same_stores(core.buffer, buffer))
      continue;
    accuse(
        now, number,
        fmt::format("{} joins a store that is older than {}", with_value(buffer[i].address, buffer[i].value),
                    with_value(buffer[i + 1].address, buffer[i + 1].value)));
  }
}

// As the core has it: what must be performed before a load may keep its value.
template <class Machine>
bool MachineTrace<Machine>::comes_first(unsigned core, const WindowEntry& e) const {
  const Window& window = core_of(core).window();
  if (consistency_ == Consistency::sc && !core_of(core).buffer().empty()) return false;
  for (std::uint64_t n = window.head(); n < e.number; ++n) {
    const WindowEntry& older = window.at(n);
    if (reads_memory(older.op.kind) && !older.performed) return false;
    if (consistency_ == Consistency::sc && writes_memory(older.op.kind)) return false;
  }
  return true;
}

template <class Machine>
const std::uint64_t* MachineTrace<Machine>::youngest_store(unsigned core, const WindowEntry& e) {
  const Window& window = core_of(core).window();
  for (std::uint64_t n = e.number; n-- > window.head();) {
    const WindowEntry& older = window.at(n);
    if (older.op.kind != OpKind::store || older.address != e.address) continue;
    youngest_value_ = older.operands[0];
    return &youngest_value_;
  }
  const StoreBuffer& buffer = core_of(core).buffer();
  for (std::uint32_t i = buffer.size(); i-- > 0;) {
    if (buffer[i].address == e.address) return &buffer[i].value;
  }
  return nullptr;
}

template <class Machine>
void MachineTrace<Machine>::performed(unsigned number, const WindowEntry& e, Cycles now) {
  const std::string name = location(e.address);
  if (name.empty()) return;
  const bool atomic = e.op.kind != OpKind::load;
  // an atomic is performed at the head of the window: what is buffered then is older
  const std::vector<BufferedStore> buffer = stores_of(number);
  if (e.op.kind == OpKind::atomic && consistency_ != Consistency::weak && !buffer.empty())
    accuse(
        now, number,
        fmt::format("an atomic of {} is performed with stores in the buffer:{}", name, buffer_text(buffer)));
  say(now, Kind::load, number,
      fmt::format("{} of {} is performed{}{}: {}", atomic ? "atomic" : "load", name,
                  e.forwarded ? " from a store of its own" : "",
                  !atomic && !comes_first(number, e) ? " before older accesses" : "",
                  value_text(test_, static_cast<Value>(e.result))));
  if (!e.forwarded) return;
  const std::uint64_t* wanted = youngest_store(number, e);
  if (wanted != nullptr && *wanted != e.result)
    accuse(now, number,
           fmt::format("the load of {} takes {} from a store, the youngest is {}", name, e.result, *wanted));
}

template <class Machine>
void MachineTrace<Machine>::window(unsigned number, Cycles now) {
  Core& core = cores_[number];
  const Window& entries = core_of(number).window();
  for (std::uint64_t n = entries.head(); n < entries.tail(); ++n) {
    const WindowEntry& e = entries.at(n);
    if (e.op.kind == OpKind::fence && (e.op.before & fence_stores) != 0 && (e.op.after & fence_loads) != 0)
      core.fences[e.stamp] = e.number;
    if (!reads_memory(e.op.kind) || !e.performed) continue;
    const auto [at, fresh] = core.loads.try_emplace(e.stamp, Performed{e.number, e.address, e.result, false});
    if (fresh) performed(number, e, now);
    at->second.lost |=
        e.op.kind == OpKind::load && !e.forwarded && !comes_first(number, e) && !readable(number, e.address);
  }
}

// Entries that have left the window: retired, or taken back.
template <class Machine>
void MachineTrace<Machine>::gone(unsigned number, Cycles now) {
  Core& core = cores_[number];
  const Window& entries = core_of(number).window();
  const auto left = [&](std::uint64_t stamp, std::uint64_t place) {
    return place < entries.head() || place >= entries.tail() || entries.at(place).stamp != stamp;
  };
  for (auto at = core.loads.begin(); at != core.loads.end();) {
    const auto& [stamp, load] = *at;
    if (!left(stamp, load.number)) {
      ++at;
      continue;
    }
    if (const std::string name = location(load.address); !name.empty()) {
      if (load.number >= entries.head()) {
        say(now, Kind::load, number, fmt::format("load of {} is taken back", name));
      } else if (load.lost && consistency_ != Consistency::weak) {
        accuse(now, number,
               fmt::format("keeps {}, which was lost before an older access was performed",
                           with_value(load.address, load.value)));
      }
    }
    at = core.loads.erase(at);
  }
  std::vector<BufferedStore> buffer = stores_of(number);
  for (auto at = core.fences.begin(); at != core.fences.end();) {
    if (!left(at->first, at->second)) {
      ++at;
      continue;
    }
    if (at->second < entries.head() && stores_stay(core.buffer, buffer))
      accuse(now, number, fmt::format("a fence is passed with stores in the buffer:{}", buffer_text(buffer)));
    at = core.fences.erase(at);
  }
}

template class MachineTrace<ProgramDirectory>;
template class MachineTrace<ProgramSplitBus>;

}  // namespace mesim::litmus
