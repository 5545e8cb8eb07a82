#include "traces/mtr_decoder.hpp"

#include <cstddef>

namespace mesim::mtr {

Decoder::Decoder(std::uint16_t thread) : thread_(thread), sites_(1) {}

void Decoder::start_chunk(const std::uint8_t* raw, std::size_t control_bytes, std::size_t raw_bytes,
                          std::uint64_t records) {
  control_ = raw;
  control_end_ = addresses_ = raw + control_bytes;
  addresses_end_ = raw + raw_bytes;
  remaining_ = records;
  run_ = records == 0 ? 0 : number();
  if (run_ > remaining_) throw CorruptChunk{"a run is longer than the chunk"};
}

std::size_t Decoder::decode(Record* out, std::size_t most) {
  const std::size_t wanted = most < remaining_ ? most : static_cast<std::size_t>(remaining_);
  Record* const end = out + wanted;
  for (Record* to = out; to != end;) {
    if (run_ != 0) {
      const auto room = static_cast<std::uint64_t>(end - to);
      const std::uint64_t count = run_ < room ? run_ : room;
      to = repeat(to, count);
      run_ -= count;
      remaining_ -= count;
      continue;
    }
    decode_event(to++);
    if (--remaining_ != 0) run_ = number();
    if (run_ > remaining_) throw CorruptChunk{"a run is longer than the chunk"};
  }
  // A run that ends with the batch: the event after it belongs to the next batch.
  return wanted;
}

inline void Decoder::emit(const Site& site, std::uint64_t address, Record* out) {
  struct Rest {
    std::uint64_t words[2];
  } rest;
  const std::uint64_t pc = site.pc;
  std::memcpy(&rest, site.rest, sizeof(rest));
  char* const to = reinterpret_cast<char*>(out);
  std::memcpy(to, &address, sizeof(address));
  std::memcpy(to + 8, &pc, sizeof(pc));
  std::memcpy(to + 16, &rest, sizeof(rest));
}

// The hot loop: records that are as predicted.
Record* Decoder::repeat(Record* out, std::uint64_t count) {
  char* const base = reinterpret_cast<char*>(sites_.data());
  std::uint64_t current = current_;
  for (Record* const end = out + count; out != end; ++out) {
    current = reinterpret_cast<const Site*>(base + current)->next;
    Site& site = *reinterpret_cast<Site*>(base + current);
    const std::uint64_t address = site.address + site.stride;
    site.address = address;
    emit(site, address, out);
  }
  current_ = current;
  return out;
}

void Decoder::decode_event(Record* out) {
  if (control_ >= control_end_) throw CorruptChunk{"the control bytes end too early"};
  const unsigned event = *control_++;
  const std::uint64_t from = current_;
  switch (event & event::site_mask) {
    case event::site_predicted:
      current_ = site_at(from).next;
      break;
    case event::site_numbered:
      current_ = numbered_site();
      break;
    case event::site_defined:
      current_ = defined_site(Site(site_at(from)));
      break;
    default:
      throw CorruptChunk{"an unknown event"};
  }
  if (event & event::link) site_at(from).next = current_;
  Site& site = site_at(current_);
  if (event & event::resize) resize(site);

  const bool defined = (event & event::site_mask) == event::site_defined;
  switch (event & event::address_mask) {
    case event::address_predicted:
      site.address += site.stride;
      break;
    case event::address_is_pc:
      site.address = site.pc;
      break;
    case event::address_jump:
      site.address = (defined ? anchor_ : site.address + site.stride) + difference(event);
      anchor_ = site.address;
      break;
    case event::address_restride:
      site.stride += difference(event);
      site.address += site.stride;
      anchor_ = site.address;
      break;
  }
  emit(site, site.address, out);
}

std::uint64_t Decoder::numbered_site() {
  const std::uint64_t number_of_site = current_ / sizeof(Site) + unzigzag(number());
  if (number_of_site >= sites_.size()) throw CorruptChunk{"an unknown site"};
  return number_of_site * sizeof(Site);
}

std::uint64_t Decoder::defined_site(const Site& previous) {
  std::uint64_t index = sites_.size();
  if (index < most_sites) {
    sites_.emplace_back();
  } else {
    index = oldest_;
    oldest_ = oldest_ + 1 < most_sites ? oldest_ + 1 : 1;
  }
  if (control_ >= control_end_) throw CorruptChunk{"the control bytes end too early"};
  const unsigned head = *control_++;
  Record record;
  record.thread = thread_;
  if ((head & definition::kind_mask) > static_cast<unsigned>(RecordKind::region_end))
    throw CorruptChunk{"an unknown kind of record"};
  record.kind = static_cast<RecordKind>(head & definition::kind_mask);
  record.size = static_cast<std::uint32_t>(number());
  record.pc = previous.pc + (head & definition::pc ? unzigzag(number()) : 0);
  if (head & definition::gap) record.gap = static_cast<std::uint16_t>(number());
  if (head & definition::core) {
    if (control_end_ - control_ < 7) throw CorruptChunk{"the control bytes end too early"};
    record.flags = *control_++;
    for (std::uint8_t& r : record.registers) r = *control_++;
  }
  Site site;
  site.pc = record.pc;
  std::memcpy(site.rest, reinterpret_cast<const char*>(&record) + offsetof(Record, size), sizeof(site.rest));
  sites_[index] = site;
  return index * sizeof(Site);
}

void Decoder::resize(Site& site) {
  std::uint32_t size;
  std::memcpy(&size, site.rest, sizeof(size));
  size += static_cast<std::uint32_t>(unzigzag(number()));
  std::memcpy(site.rest, &size, sizeof(size));
}

std::uint64_t Decoder::difference(unsigned event) {
  const unsigned width = 1U << (event >> event::width_shift);
  if (static_cast<std::size_t>(addresses_end_ - addresses_) < width)
    throw CorruptChunk{"the address bytes end too early"};
  std::uint64_t code;
  std::memcpy(&code, addresses_, sizeof(code));  // the margin makes this safe at the end
  addresses_ += width;
  return unzigzag(code & (~0ULL >> (64 - 8 * width)));
}

std::uint64_t Decoder::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (control_ == control_end_) break;
    const std::uint8_t byte = *control_++;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw CorruptChunk{"a number without end"};
}

}  // namespace mesim::mtr
