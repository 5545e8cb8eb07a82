#include "sim/perfetto_timeline.hpp"

#include "sim/protobuf_writer.hpp"

namespace mesim {
namespace {

using protobuf::Message;
using protobuf::Wire;

// Field numbers, by message.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet_field {
constexpr std::uint32_t timestamp = 8, sequence = 10, track_event = 11, interned = 12, flags = 13,
                        track_descriptor = 60;
}
namespace event {
constexpr std::uint32_t annotation = 4, type = 9, name_iid = 10, track = 11, counter_value = 30, flow = 47;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, counter = 4;
}  // namespace event
namespace annotation_field {
constexpr std::uint32_t name_iid = 1, pointer = 7;
}
namespace interned_field {
constexpr std::uint32_t event_names = 2, annotation_names = 3, iid = 1, name = 2;
}
namespace descriptor {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
constexpr std::uint32_t process_pid = 1, process_name = 6, thread_pid = 1, thread_tid = 2, thread_name = 5,
                        counter_unit = 3, unit_count = 2;
}  // namespace descriptor

constexpr std::uint64_t only_sequence = 1;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;
constexpr std::uint64_t address_iid = 1;

Message on_sequence(std::uint64_t flags) {
  return Message().number(packet_field::sequence, only_sequence).number(packet_field::flags, flags);
}

// A packet whose event has been written behind two lengths; fills them in. `start` is the packet's tag.
std::uint8_t* close_packet(std::uint8_t* start, std::uint8_t* event_start, std::uint8_t* end,
                           std::uint64_t flags) {
  event_start[-1] = static_cast<std::uint8_t>(end - event_start);
  end = protobuf::number(end, packet_field::sequence, only_sequence);
  if (flags != 0) end = protobuf::number(end, packet_field::flags, flags);
  start[1] = static_cast<std::uint8_t>(end - start - 2);
  return end;
}

// The packet up to its event.
std::uint8_t* open_packet(std::uint8_t* at, Tick time) {
  at = protobuf::tag(at, trace::packet, Wire::length) + 1;  // and its length
  at = protobuf::number(at, packet_field::timestamp, time);
  return protobuf::tag(at, packet_field::track_event, Wire::length) + 1;
}

}  // namespace

PerfettoTimeline::PerfettoTimeline(const std::string& path, const TimelineOptions& options)
    : Timeline(options), file_(path) {
  const Message address =
      Message().number(interned_field::iid, address_iid).text(interned_field::name, "address");
  const Message names = Message().message(interned_field::annotation_names, address);
  packet(on_sequence(state_cleared | needs_state).message(packet_field::interned, names).bytes());
}

void PerfettoTimeline::packet(const std::string& bytes) {
  flush();
  const std::string whole = Message().text(trace::packet, bytes).bytes();
  file_.write(whole);
  written_bytes_ += whole.size();
}

std::uint64_t PerfettoTimeline::group_uuid(const std::string& group) {
  const auto [it, fresh] = groups_.try_emplace(group, next_uuid_);
  if (!fresh) return it->second;
  const std::uint64_t uuid = next_uuid_++;
  const Message process =
      Message().number(descriptor::process_pid, uuid).text(descriptor::process_name, group);
  const Message track = Message().number(descriptor::uuid, uuid).message(descriptor::process, process);
  packet(on_sequence(0).message(packet_field::track_descriptor, track).bytes());
  return uuid;
}

Timeline::Track PerfettoTimeline::add(const std::string& group, const std::string& unit, bool counts) {
  const std::uint64_t parent = group_uuid(group);
  const auto [it, fresh] = tracks_.try_emplace({parent, unit}, static_cast<Track>(units_.size()));
  if (!fresh) return it->second;
  const std::uint64_t uuid = next_uuid_++;
  units_.push_back({uuid, 0});
  Message track = Message().number(descriptor::uuid, uuid);
  if (counts) {
    const Message counter = Message().number(descriptor::counter_unit, descriptor::unit_count);
    track.number(descriptor::parent, parent)
        .text(descriptor::name, unit)
        .message(descriptor::counter, counter);
  } else {
    track.message(descriptor::thread, Message()
                                          .number(descriptor::thread_pid, parent)
                                          .number(descriptor::thread_tid, uuid)
                                          .text(descriptor::thread_name, unit));
  }
  packet(on_sequence(0).message(packet_field::track_descriptor, track).bytes());
  return it->second;
}

Timeline::Track PerfettoTimeline::track(const std::string& group, const std::string& unit) {
  return add(group, unit, false);
}

Timeline::Track PerfettoTimeline::counter(const std::string& group, const std::string& quantity) {
  return add(group, quantity, true);
}

Timeline::Name PerfettoTimeline::name(const std::string& text) {
  const auto [it, fresh] = names_.try_emplace(text, static_cast<Name>(names_.size() + 1));
  if (!fresh) return it->second;
  const Message entry = Message().number(interned_field::iid, it->second).text(interned_field::name, text);
  const Message interned = Message().message(interned_field::event_names, entry);
  packet(on_sequence(needs_state).message(packet_field::interned, interned).bytes());
  return it->second;
}

std::uint8_t* PerfettoTimeline::room() {
  if (used_ + longest_packet + 2 > buffer_bytes) flush();
  return buffer_.data() + used_;
}

void PerfettoTimeline::flush() {
  if (used_ == 0) return;
  file_.write({reinterpret_cast<const char*>(buffer_.data()), used_});
  written_bytes_ += used_;
  used_ = 0;
}

void PerfettoTimeline::begin(Track track, Tick at, Name name, Detail detail) {
  Unit& unit = units_[track];
  // beyond the limit only the ends of what has begun are written
  if (unit.left_out != 0 || written_bytes_ + used_ >= options_.max_bytes) {
    ++unit.left_out;
    ++dropped_;
    return;
  }
  ++events_;
  std::uint8_t* const start = room();
  std::uint8_t* const inside = open_packet(start, at);
  std::uint8_t* end = protobuf::number(inside, event::type, event::slice_begin);
  end = protobuf::number(end, event::track, unit.uuid);
  end = protobuf::number(end, event::name_iid, name);
  if (detail.address != no_address) {
    end = protobuf::tag(end, event::annotation, Wire::length) + 1;
    std::uint8_t* const annotation = end;
    end = protobuf::number(end, annotation_field::name_iid, address_iid);
    end = protobuf::number(end, annotation_field::pointer, detail.address);
    annotation[-1] = static_cast<std::uint8_t>(end - annotation);
  }
  if (detail.flow != 0) end = protobuf::fixed64(end, event::flow, detail.flow);
  used_ += static_cast<std::size_t>(close_packet(start, inside, end, needs_state) - start);
}

void PerfettoTimeline::end(Track track, Tick at) {
  Unit& unit = units_[track];
  if (unit.left_out != 0) {
    --unit.left_out;
    return;
  }
  ++events_;
  std::uint8_t* const start = room();
  std::uint8_t* const inside = open_packet(start, at);
  std::uint8_t* end = protobuf::number(inside, event::type, event::slice_end);
  end = protobuf::number(end, event::track, unit.uuid);
  used_ += static_cast<std::size_t>(close_packet(start, inside, end, 0) - start);
}

void PerfettoTimeline::count(Track counter, Tick at, std::int64_t value) {
  if (written_bytes_ + used_ >= options_.max_bytes) {
    ++dropped_;
    return;
  }
  ++events_;
  std::uint8_t* const start = room();
  std::uint8_t* const inside = open_packet(start, at);
  std::uint8_t* end = protobuf::number(inside, event::type, event::counter);
  end = protobuf::number(end, event::track, units_[counter].uuid);
  end = protobuf::number(end, event::counter_value, static_cast<std::uint64_t>(value));
  used_ += static_cast<std::size_t>(close_packet(start, inside, end, 0) - start);
}

void PerfettoTimeline::close() {
  flush();
  file_.keep();
}

}  // namespace mesim
