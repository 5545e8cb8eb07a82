// Which kind of record stands for a program's access, for those who count or replay records.
#pragma once
#include "cores/program/program.hpp"
#include "traces/record.hpp"

namespace mesim {

inline RecordKind record_kind(Opcode op) {
  switch (op) {
    case Opcode::ld:
      return RecordKind::load;
    case Opcode::st:
      return RecordKind::store;
    case Opcode::ll:
      return RecordKind::atomic_load;
    case Opcode::sc:
      return RecordKind::atomic_store;
    default:
      return RecordKind::atomic_rmw;
  }
}

}  // namespace mesim
