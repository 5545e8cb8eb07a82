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
}

template <class Machine>
template <class... Arguments>
void MachineTrace<Machine>::say(Cycles now, fmt::format_string<Arguments...> format,
                                Arguments&&... arguments) {
  lines_.push_back(
      fmt::format("  cycle {}: {}", now, fmt::format(format, std::forward<Arguments>(arguments)...)));
}
template <class Machine>
template <class... Arguments>
void MachineTrace<Machine>::accuse(Cycles now, fmt::format_string<Arguments...> format,
                                   Arguments&&... arguments) {
  lines_.push_back(
      fmt::format("! cycle {}: {}", now, fmt::format(format, std::forward<Arguments>(arguments)...)));
}

template <class Machine>
std::string MachineTrace<Machine>::node(unsigned number) const {
  return number < cores_.size() ? fmt::format("core {}", number)
                                : fmt::format("home {}", number - cores_.size());
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
std::string MachineTrace<Machine>::message(const ProgramDirectory::Net& net) const {
  std::string text(directory::name(net.message.kind));
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    const std::uint64_t address = program_.address_of_location(l);
    if (address / line_bytes_ != net.line) continue;
    text += " " + (net.size_bytes > ProgramDirectory::Net::header_bytes
                       ? with_value(address, net.message.value.read(
                                                 static_cast<std::uint32_t>(address % line_bytes_), 8))
                       : test_.locations[l].name);
  }
  return text;
}

template <class Machine>
void MachineTrace<Machine>::before(Cycles now) {
  if constexpr (std::is_same_v<Machine, ProgramDirectory>) {
    machine_.network().inbox().any_of(now, [&](const ProgramDirectory::Net& net) {
      if (of_test(net.line))
        say(now - 1, "{} -> {}: {}", node(net.source), node(net.destination), message(net));
      return false;
    });
    for (unsigned core = 0; core < cores_.size(); ++core) {
      machine_.tile(core).cache().inbox().any_of(now, [&](const ProgramDirectory::Net& net) {
        if (of_test(net.line)) say(now, "core {} gets {}", core, message(net));
        return false;
      });
    }
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
  if constexpr (std::is_same_v<Machine, ProgramDirectory>) one_writer(now);
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
      say(now, "core {}: {} {} -> {}", core, test_.locations[l].name, last, state);
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
          accuse(now, "core {} may write {} while core {} still reads its copy", writer,
                 test_.locations[l].name, reader);
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
  if (text != buffer_text(core.buffer)) say(now, "core {}'s buffer:{}", number, text);
  if (consistency_ <= Consistency::tso) joined_past(number, buffer, now);
  core.buffer = std::move(buffer);
}

// Where each retired store went; what stands further ahead than an older one has joined a still older one.
template <class Machine>
void MachineTrace<Machine>::joined_past(unsigned number, const std::vector<BufferedStore>& buffer,
                                        Cycles now) {
  Core& core = cores_[number];
  const Window& entries = core_of(number).window();
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
    if (core.newest[buffer[i].slot] < core.newest[buffer[i + 1].slot]) continue;
    const bool known = core.newest[buffer[i].slot] != core.newest[buffer[i + 1].slot];
    if (known && !same_stores(core.buffer, buffer))
      accuse(now, "core {}: {} joins a store that is older than {}", number,
             with_value(buffer[i].address, buffer[i].value),
             with_value(buffer[i + 1].address, buffer[i + 1].value));
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
    accuse(now, "core {}: an atomic of {} is performed with stores in the buffer:{}", number, name,
           buffer_text(buffer));
  say(now, "core {}: {} of {} is performed{}{}: {}", number, atomic ? "atomic" : "load", name,
      e.forwarded ? " from a store of its own" : "",
      !atomic && !comes_first(number, e) ? " before older accesses" : "",
      value_text(test_, static_cast<Value>(e.result)));
  if (!e.forwarded) return;
  const std::uint64_t* wanted = youngest_store(number, e);
  if (wanted != nullptr && *wanted != e.result)
    accuse(now, "core {}: the load of {} takes {} from a store, the youngest is {}", number, name, e.result,
           *wanted);
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
        say(now, "core {}: load of {} is taken back", number, name);
      } else if (load.lost && consistency_ != Consistency::weak) {
        accuse(now, "core {} keeps {}, which was lost before an older access was performed", number,
               with_value(load.address, load.value));
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
      accuse(now, "core {}: a fence is passed with stores in the buffer:{}", number, buffer_text(buffer));
    at = core.fences.erase(at);
  }
}

template class MachineTrace<ProgramDirectory>;
template class MachineTrace<ProgramSplitBus>;

}  // namespace mesim::litmus
