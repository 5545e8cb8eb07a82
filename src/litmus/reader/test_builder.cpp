#include "litmus/reader/test_builder.hpp"

#include <fmt/format.h>

#include "litmus/reader/limits.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {

void TestBuilder::grow_threads(std::size_t count) {
  if (test_.threads.size() < count) test_.threads.resize(count);
}

std::optional<std::size_t> TestBuilder::known_location(std::string_view name) const {
  for (std::size_t l = 0; l < test_.locations.size(); ++l) {
    if (test_.locations[l].name == name) return l;
  }
  return std::nullopt;
}

void TestBuilder::new_location(std::string name, Value address, std::size_t width, const char* at) {
  if (test_.locations.size() == most_locations) {
    source_.fail(at, fmt::format("expected at most {} locations", most_locations));
  }
  test_.locations.push_back({std::move(name), address, 0, static_cast<std::uint8_t>(width)});
}

std::size_t TestBuilder::location(std::string_view name, const char* at) {
  if (const auto known = known_location(name)) return *known;
  new_location(std::string(name), location_base + location_stride * next_slot_++, 4, at);
  return test_.locations.size() - 1;
}

std::vector<std::size_t> TestBuilder::array(const Text& name, std::size_t count, unsigned width) {
  if (known_location(name.view())) source_.fail_at(name.begin, "the location is known already");
  std::vector<std::size_t> elements;
  const Value base = location_base + location_stride * next_slot_;
  for (std::size_t e = 0; e < count; ++e) {
    elements.push_back(test_.locations.size());
    // the name alone means the first element
    new_location(e == 0 ? std::string(name.view()) : fmt::format("{}[{}]", name.view(), e),
                 base + static_cast<Value>(e * width), width, name.begin);
  }
  next_slot_ += (static_cast<Value>(count * width) + location_stride - 1) / location_stride;
  return elements;
}

Register TestBuilder::reg(unsigned thread, std::string_view printed_name) {
  if (printed_name.empty()) return no_register;
  grow_threads(thread + 1);
  Thread& t = test_.threads[thread];
  for (std::size_t r = 0; r < t.registers.size(); ++r) {
    if (t.registers[r] == printed_name) return static_cast<Register>(r);
  }
  t.registers.emplace_back(printed_name);
  t.initial.push_back(0);
  return static_cast<Register>(t.registers.size() - 1);
}

std::optional<Register> TestBuilder::find_register(unsigned thread, const Text& name) {
  const auto printed = architecture_.register_name(name.view());
  if (printed) return reg(thread, *printed);
  if (architecture_.symbolic_registers && name.begin[-1] == '%')
    return reg(thread, fmt::format("%{}", name.view()));
  return std::nullopt;
}

Register TestBuilder::need_register(unsigned thread, const Text& name) {
  const auto found = find_register(thread, name);
  if (!found) source_.fail(name.begin, "expected a register: {registers}");
  return *found;
}

void TestBuilder::begin_instruction(unsigned thread, SourceLine line, const char* at) {
  grow_threads(thread + 1);
  if (test_.threads[thread].code.size() >= most_instructions) {
    source_.fail(at, fmt::format("expected at most {} instructions in a thread", most_instructions));
  }
  test_.threads[thread].sources.push_back(std::move(line));
}

Instruction& TestBuilder::emit(unsigned thread, Op op) {
  Thread& t = test_.threads[thread];
  Instruction i;
  i.op = op;
  i.source = static_cast<std::uint32_t>(t.sources.size()) - 1;
  t.code.push_back(i);
  return t.code.back();
}

void TestBuilder::label(unsigned thread, const Text& name) {
  if (!labels_.emplace(std::pair(thread, name.view()), next(thread)).second) {
    source_.fail_at(name.begin, fmt::format("the label '{}' stands twice in P{}", name.view(), thread));
  }
}

void TestBuilder::jump_to(unsigned thread, const Text& label) {
  jumps_.push_back({thread, next(thread) - 1, label});
}

std::uint32_t TestBuilder::target_of(unsigned thread, const Text& label) const {
  const auto found = labels_.find({thread, label.view()});
  if (found != labels_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, index] : labels_) {
    if (key.first == thread) known.emplace_back(key.second);
  }
  source_.fail_at(label.begin, fmt::format("P{} has no label '{}'; its labels: {}{}", thread, label.view(),
                                           known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                                           did_you_mean(label.view(), known)));
}

void TestBuilder::resolve_labels() {
  for (const Jump& jump : jumps_) {
    test_.threads[jump.thread].code[jump.instruction].target = target_of(jump.thread, jump.label);
  }
  for (const Held& held : held_) {
    const Value address = code_base + code_stride * static_cast<Value>(held.label_thread) +
                          static_cast<Value>(target_of(held.label_thread, held.label));
    if (held.is_register) {
      initial(static_cast<unsigned>(held.thread_or_location), held.reg) = address;
    } else {
      test_.locations[held.thread_or_location].initial = address;
    }
  }
}

}  // namespace mesim::litmus
