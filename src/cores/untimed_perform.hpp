// What each kind of memory record does to a machine without time. An atomic access that writes is a store to
// the caches: it needs the line for itself and reads and writes it in one step.
#pragma once
#include "coherence/functional_bus.hpp"
#include "traces/record.hpp"

namespace mesim {

// `record` is a memory access or a fetch; other kinds do nothing here.
inline void perform(FunctionalBus& machine, unsigned core, const Record& record) {
  switch (record.kind) {
    case RecordKind::fetch:
      machine.fetch(core, record.address, record.size);
      break;
    case RecordKind::load:
    case RecordKind::atomic_load:
      machine.load(core, record.address, record.size, record.pc);
      break;
    case RecordKind::modify:
      machine.load(core, record.address, record.size, record.pc);
      machine.store(core, record.address, record.size, record.pc);
      break;
    case RecordKind::store:
    case RecordKind::atomic_store:
    case RecordKind::atomic_rmw:
      machine.store(core, record.address, record.size, record.pc);
      break;
    default:
      break;
  }
}

}  // namespace mesim
