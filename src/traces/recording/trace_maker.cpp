#include "traces/recording/trace_maker.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sim/error.hpp"
#include "traces/recording/address_map.hpp"
#include "traces/recording/folded_log.hpp"
#include "traces/recording/heap_blocks.hpp"
#include "traces/recording/program_file.hpp"
#include "traces/recording/recording_notes.hpp"
#include "traces/recording/recording_symbols.hpp"
#include "traces/recording/sync_plan.hpp"
#include "traces/trace_writer.hpp"

namespace mesim {

using recorder::RawKind;

namespace {

RecordKind record_kind(RawKind kind) {
  switch (kind) {
    case RawKind::load:
      return RecordKind::load;
    case RawKind::store:
      return RecordKind::store;
    case RawKind::atomic_load:
      return RecordKind::atomic_load;
    case RawKind::atomic_store:
      return RecordKind::atomic_store;
    // A failed compare-exchange and the like also take the line for writing.
    default:
      return RecordKind::atomic_rmw;
  }
}

class Maker {
 public:
  Maker(const RecordedRun& run, const std::string& output_path)
      : run_(run),
        program_(read_program_file(run.program)),
        logs_(raw_logs(run.raw_folder)),
        plan_(logs_.size()),
        addresses_(program_.end, logs_.size()),
        blocks_(logs_.size()),
        writer_(output_path,
                TraceHeader{run.command_line, static_cast<std::uint32_t>(logs_.size()), {}, {}, {}}) {}

  MadeTrace make() {
    if (logs_.empty()) throw bad_input({run_.program}, "the program ended before anything was recorded");
    open_threads();
    learn_waits();
    merge();
    finish_header();
    writer_.close();
    return made_;
  }

 private:
  struct Thread {
    std::unique_ptr<FoldedLog> log;
    RawItem item;
    bool has_item = false;
    bool ended = false;
    std::optional<SyncPlan::Wait> wait;  // of `item`, not fulfilled yet
    std::optional<RawItem> allocation;   // whose call stack is being read
    std::vector<std::uint64_t> frames;
    std::uint64_t thread_pointer = 0;
  };

  void open_threads() {
    const auto ignored = waiter_tables(program_);
    for (const auto& path : logs_) threads_.emplace_back().log = std::make_unique<FoldedLog>(path, ignored);
    made_.threads = threads_.size();
  }

  void learn_waits() {
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
      RawItem item;
      while (threads_[thread].log->next(item)) plan_.learn(thread, item);
      threads_[thread].log->rewind();
    }
    plan_.finish();
  }

  void merge() {
    for (bool all_ended = false; !all_ended;) {
      all_ended = true;
      bool any_moved = false;
      for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
        for (int turn = 0; turn < turn_records && step(thread); ++turn) any_moved = true;
        all_ended &= threads_[thread].ended;
      }
      if (!any_moved && !all_ended)
        throw bad_input({run_.raw_folder}, "the threads' logs wait for each other");
    }
  }

  // One item of the thread. False when it has ended or must wait.
  bool step(std::uint32_t index) {
    Thread& thread = threads_[index];
    if (thread.ended) return false;
    if (!thread.has_item && !fetch(index, thread)) return false;
    if (thread.wait) {
      if (signalled_[thread.wait->object] < thread.wait->count) return false;
      emit(index, RecordKind::wait, thread.wait->object, thread.wait->count, thread.item.pc);
    }
    thread.has_item = false;
    perform(index, thread, thread.item);
    if (const auto object = plan_.signal_after(thread.item)) signal(index, *object, thread.item.pc);
    return true;
  }

  bool fetch(std::uint32_t index, Thread& thread) {
    if (!thread.log->next(thread.item)) {
      name_allocation(index, thread);
      if (const auto object = plan_.signal_at_end(index)) signal(index, *object, 0);
      thread.ended = true;
      return false;
    }
    thread.has_item = true;
    thread.wait = plan_.wait_before(index, thread.item);
    return true;
  }

  void perform(std::uint32_t index, Thread& thread, const RawItem& item) {
    if (thread.allocation && item.kind != RawKind::frame) name_allocation(index, thread);
    switch (item.kind) {
      case RawKind::load:
      case RawKind::store:
      case RawKind::atomic_load:
      case RawKind::atomic_store:
      case RawKind::atomic_rmw:
      case RawKind::atomic_attempt:
      case RawKind::barrier_arrive:
        access(index, item);
        break;
      case RawKind::fence:
        emit(index, RecordKind::fence, 0, 0, item.pc);
        break;
      case RawKind::region_begin:
        emit(index, RecordKind::region_begin, 0, 0, item.pc);
        break;
      case RawKind::region_end:
        emit(index, RecordKind::region_end, 0, 0, item.pc);
        break;
      case RawKind::thread_start:
        thread.thread_pointer = item.address;
        addresses_.start_stack(index, item.detail, item.detail2);
        break;
      case RawKind::heap_start:
        addresses_.set_heap(item.address);
        break;
      case RawKind::allocate:
        addresses_.note_block(item.address, item.detail);
        thread.allocation = item;
        thread.frames = {item.pc};
        break;
      case RawKind::frame:
        thread.frames.push_back(item.address);
        break;
      case RawKind::release:
        blocks_.release(addresses_.map(index, item.address));
        break;
      case RawKind::forked:
        forked_ = true;
        break;
      default:
        break;
    }
  }

  void name_allocation(std::uint32_t index, Thread& thread) {
    if (!thread.allocation) return;
    const RawItem& item = *thread.allocation;
    blocks_.allocate(addresses_.map(index, item.address), item.detail, item.size != 0,
                     std::move(thread.frames));
    thread.allocation.reset();
    thread.frames.clear();
  }

  void access(std::uint32_t index, const RawItem& item) {
    const std::uint64_t address = addresses_.map(index, item.address);
    if (address >= AddressMap::heap_base) blocks_.access(index, address);
    const RecordKind kind = record_kind(item.kind);
    if (kind == RecordKind::load)
      ++made_.loads;
    else if (kind == RecordKind::store)
      ++made_.stores;
    else
      ++made_.atomics;
    emit(index, kind, address, item.size, item.pc, static_cast<std::uint16_t>(run_.instructions_per_access));
  }

  void signal(std::uint32_t index, std::uint64_t object, std::uint64_t pc) {
    ++signalled_[object];
    emit(index, RecordKind::signal, object, 0, pc);
  }

  void emit(std::uint32_t index, RecordKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t pc,
            std::uint16_t gap = 0) {
    Record record;
    record.address = address;
    record.pc = program_.begin <= pc && pc < program_.end ? pc : 0;
    record.size = size;
    record.gap = gap;
    record.thread = static_cast<std::uint16_t>(index);
    record.kind = kind;
    writer_.append(record);
    ++made_.records;
    if (kind == RecordKind::wait) ++made_.waits;
    if (kind == RecordKind::signal) ++made_.signals;
  }

  void finish_header() {
    std::vector<std::uint64_t> thread_pointers;
    for (const auto& thread : threads_) thread_pointers.push_back(thread.thread_pointer);
    TraceHeader& header = writer_.header();
    header.symbols = recording_symbols(run_, program_, addresses_, blocks_, thread_pointers);
    header.notes = recording_notes(run_, forked_);
    header.regions = {"region of interest"};
    made_.notes = header.notes;
  }

  const RecordedRun& run_;
  ProgramFile program_;
  std::vector<std::string> logs_;
  SyncPlan plan_;
  AddressMap addresses_;
  HeapBlocks blocks_;
  TraceWriter writer_;
  std::deque<Thread> threads_;
  std::unordered_map<std::uint64_t, std::uint64_t> signalled_;
  bool forked_ = false;
  MadeTrace made_;
};

}  // namespace

MadeTrace make_trace(const RecordedRun& run, const std::string& output_path) {
  return Maker(run, output_path).make();
}

}  // namespace mesim
