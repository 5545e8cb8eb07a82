#include "traces/mtr_encoder.hpp"

namespace mesim::mtr {
namespace {

constexpr std::uint8_t most_confidence = 3;

bool is_synchronisation(RecordKind kind) { return kind == RecordKind::wait || kind == RecordKind::signal; }

// Everything but address, pc and size, as the 12 bytes that they are.
bool same_rest(const Record& a, const Record& b) {
  return a.gap == b.gap && a.kind == b.kind && a.flags == b.flags && a.registers == b.registers;
}

}  // namespace

std::size_t Encoder::KeyHash::operator()(const Record& key) const {
  std::uint64_t registers = 0;
  std::memcpy(&registers, key.registers.data(), key.registers.size());
  std::uint64_t h = key.pc * 0x9e3779b97f4a7c15ULL;
  h ^= (registers << 16 | static_cast<std::uint64_t>(key.kind) << 8 | key.flags) * 0xbf58476d1ce4e5b9ULL;
  h ^= (static_cast<std::uint64_t>(key.size) << 16 | key.gap) * 0x94d049bb133111ebULL;
  return h ^ h >> 32;
}

Record Encoder::key_of(const Record& record) {
  Record key = record;
  key.address = 0;
  key.thread = 0;
  if (is_synchronisation(key.kind)) key.size = 0;
  return key;
}

bool Encoder::same_site(const Record& a, const Record& b) {
  return a.pc == b.pc && same_rest(a, b) && (a.size == b.size || is_synchronisation(a.kind));
}

Encoder::Encoder() : sites_(1) { sites_[0].last.kind = static_cast<RecordKind>(0xff); }

void Encoder::append(const Record& record) {
  ++records_;
  Site& from = sites_[current_];
  Site& site = sites_[from.next];
  if (record.pc == site.last.pc && record.address == site.last.address + site.stride &&
      record.size == site.last.size && same_rest(record, site.last)) {
    site.last.address = record.address;
    site.last_difference = site.stride;
    site.fresh = false;
    from.next_confidence =
        static_cast<std::uint8_t>(from.next_confidence + (from.next_confidence < most_confidence));
    current_ = from.next;
    ++run_;
    return;
  }
  append_event(record);
}

void Encoder::append_event(const Record& record) {
  put_number(control_, run_);
  run_ = 0;
  const std::size_t event_at = control_.size();
  control_ += '\0';
  unsigned event = 0;

  const std::uint32_t from = current_;
  const std::uint32_t predicted = sites_[from].next;
  bool defined = false;
  if (same_site(sites_[predicted].last, record)) {
    event |= event::site_predicted;
    if (sites_[from].next_confidence < most_confidence) ++sites_[from].next_confidence;
    current_ = predicted;
  } else {
    const auto found = numbers_.find(key_of(record));
    defined = found == numbers_.end();
    if (defined) {
      event |= event::site_defined;
      put_definition(record, sites_[from].last);
      current_ = define(record);
    } else {
      event |= event::site_numbered;
      current_ = found->second;
      put_number(control_, zigzag(static_cast<std::uint64_t>(current_) - from));
    }
    if (sites_[from].next_confidence == 0) {
      event |= event::link;
      sites_[from].next = current_;
    } else {
      --sites_[from].next_confidence;
    }
  }

  Site& site = sites_[current_];
  if (record.size != site.last.size) {
    event |= event::resize;
    put_number(control_, zigzag(static_cast<std::uint64_t>(record.size) - site.last.size));
  }
  event |= put_address(site, record, defined);
  site.last = record;
  control_[event_at] = static_cast<char>(event);
}

std::uint32_t Encoder::define(const Record& record) {
  std::uint32_t number;
  if (sites_.size() < most_sites) {
    number = static_cast<std::uint32_t>(sites_.size());
    sites_.emplace_back();
  } else {
    number = oldest_;
    oldest_ = oldest_ + 1 < most_sites ? oldest_ + 1 : 1;
    numbers_.erase(key_of(sites_[number].last));
    sites_[number] = Site{};
  }
  sites_[number].last = record;
  numbers_.emplace(key_of(record), number);
  return number;
}

void Encoder::put_definition(const Record& record, const Record& previous) {
  const bool has_core = record.flags != 0 || record.registers != decltype(record.registers){};
  unsigned head = static_cast<unsigned>(record.kind);
  if (record.pc != previous.pc) head |= definition::pc;
  if (record.gap != 0) head |= definition::gap;
  if (has_core) head |= definition::core;
  control_ += static_cast<char>(head);
  put_number(control_, record.size);
  if (record.pc != previous.pc) put_number(control_, zigzag(record.pc - previous.pc));
  if (record.gap != 0) put_number(control_, record.gap);
  if (!has_core) return;
  control_ += static_cast<char>(record.flags);
  for (const std::uint8_t r : record.registers) control_ += static_cast<char>(r);
}

// A stride changes when it never held, or when the new difference came twice in a row; a single other
// difference (a loop begins anew) is a jump that keeps it.
unsigned Encoder::put_address(Site& site, const Record& record, bool defined) {
  if (defined && record.address == record.pc) return event::address_is_pc;
  if (defined) {
    const unsigned width = put_difference(record.address - anchor_);
    anchor_ = record.address;
    return event::address_jump | width;
  }
  const std::uint64_t difference = record.address - site.last.address;
  const std::uint64_t error = difference - site.stride;
  const bool restride = site.fresh || difference == site.last_difference;
  site.fresh = false;
  site.last_difference = difference;
  if (error == 0) return event::address_predicted;
  anchor_ = record.address;
  const unsigned width = put_difference(error);
  if (!restride) return event::address_jump | width;
  site.stride = difference;
  return event::address_restride | width;
}

unsigned Encoder::put_difference(std::uint64_t difference) {
  const std::uint64_t code = zigzag(difference);
  const unsigned width = code < 1ULL << 8 ? 0 : code < 1ULL << 16 ? 1 : code < 1ULL << 32 ? 2 : 3;
  char bytes[8];
  std::memcpy(bytes, &code, sizeof(bytes));
  addresses_.append(bytes, std::size_t{1} << width);
  return width << event::width_shift;
}

Encoder::Chunk Encoder::finish() {
  if (run_ != 0) put_number(control_, run_);
  run_ = 0;
  return {control_, addresses_, records_};
}

void Encoder::start_chunk() {
  control_.clear();
  addresses_.clear();
  records_ = 0;
}

}  // namespace mesim::mtr
