#include "cores/program/program_trace.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "cores/program/record_kind.hpp"
#include "cores/program/thread.hpp"

namespace mesim {

namespace {

constexpr std::uint64_t event_base = 0x10;  // synchronisation objects are names, not data

Record record_of(const ProgramThread::Action& action) {
  using Kind = ProgramThread::Action::Kind;
  Record r;
  switch (action.kind) {
    case Kind::memory:
      r.kind = record_kind(action.memory.op);
      r.address = action.memory.address;
      r.size = action.memory.size_bytes;
      break;
    case Kind::fence:
      r.kind = RecordKind::fence;
      break;
    case Kind::delay:
      r.kind = RecordKind::compute;
      r.address = action.amount;
      break;
    case Kind::signal:
      r.kind = RecordKind::signal;
      r.address = event_base + action.event;
      break;
    default:
      r.kind = RecordKind::wait;
      r.address = event_base + action.event;
      r.size = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(action.amount, std::numeric_limits<std::uint32_t>::max()));
      break;
  }
  return r;
}

class ProgramStream final : public RecordStream {
 public:
  ProgramStream(const Program& program, std::uint32_t thread, std::shared_ptr<ProgramWorld> world)
      : thread_(program, thread), number_(thread), world_(std::move(world)) {}

  std::span<const Record> next() override {
    if (asked_) finish();
    const ProgramThread::Action& action = thread_.next();
    if (action.kind == ProgramThread::Action::Kind::finished) return {};
    record_ = record_of(action);
    record_.thread = static_cast<std::uint16_t>(number_);
    record_.gap = gap();
    asked_ = true;
    // A store-conditional that has lost its reservation already does not reach the caches.
    gives_up_ = is_conditional() && !world_->reservations.holds(number_, action.memory.address);
    if (gives_up_) {
      record_.kind = RecordKind::compute;
      record_.address = 1;
    }
    return {&record_, 1};
  }

 private:
  bool is_conditional() {
    const ProgramThread::Action& action = thread_.next();
    return action.kind == ProgramThread::Action::Kind::memory && action.memory.op == Opcode::sc;
  }

  // Instructions computed since the record before.
  std::uint16_t gap() {
    const std::uint64_t since = thread_.computed() - counted_;
    counted_ = thread_.computed();
    return static_cast<std::uint16_t>(
        std::min<std::uint64_t>(since, std::numeric_limits<std::uint16_t>::max()));
  }

  // The access at hand is over.
  void finish() {
    asked_ = false;
    const ProgramThread::Action& action = thread_.next();
    if (action.kind != ProgramThread::Action::Kind::memory) return thread_.done();
    const MemoryAction access = action.memory;
    Reservations& reservations = world_->reservations;
    if (access.op == Opcode::sc) {
      const bool held = !gives_up_ && reservations.holds(number_, access.address);
      reservations.drop(number_);
      if (!held) {
        ++world_->failed_store_conditionals;
        if (!gives_up_) reservations.written(number_, access.address);  // it took the line all the same
        return thread_.done(0);
      }
    }
    if (is_store(access.op)) reservations.written(number_, access.address);
    if (access.op == Opcode::ll) reservations.reserve(number_, access.address);
    thread_.done(world_->memory.perform(access));
  }

  ProgramThread thread_;
  std::uint32_t number_;
  std::shared_ptr<ProgramWorld> world_;
  Record record_;
  std::uint64_t counted_ = 0;
  bool asked_ = false;     // a record was given whose action is not over
  bool gives_up_ = false;  // a store-conditional without reservation
};

}  // namespace

ProgramTrace::ProgramTrace(const Program& program, std::uint32_t threads, std::uint32_t line_bytes)
    : program_(program), line_bytes_(line_bytes) {
  info_.path = program.file;
  info_.format = "program";
  info_.compression = "none";
  info_.threads = threads;
}

std::unique_ptr<RecordStream> ProgramTrace::merged() {
  throw std::logic_error("a program's records have no order before it runs");
}

std::unique_ptr<RecordStream> ProgramTrace::thread(std::uint32_t index) {
  if (index == 0) {
    world_ = std::make_shared<ProgramWorld>(
        ProgramWorld{DataMemory(program_.data), Reservations(info_.threads, line_bytes_)});
  }
  return std::make_unique<ProgramStream>(program_, index, world_);
}

}  // namespace mesim
