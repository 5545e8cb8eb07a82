#include "litmus/test_builder.hpp"

#include <fmt/format.h>

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

std::size_t TestBuilder::location(std::string_view name) {
  if (const auto known = known_location(name)) return *known;
  test_.locations.push_back({std::string(name), location_base + location_stride * next_slot_++, 0, 4});
  return test_.locations.size() - 1;
}

std::vector<std::size_t> TestBuilder::array(std::string_view name, std::size_t count, unsigned width) {
  std::vector<std::size_t> elements;
  const Value base = location_base + location_stride * next_slot_;
  for (std::size_t e = 0; e < count; ++e) {
    elements.push_back(test_.locations.size());
    // the name alone means the first element
    test_.locations.push_back({e == 0 ? std::string(name) : fmt::format("{}[{}]", name, e),
                               base + static_cast<Value>(e * width), 0, static_cast<std::uint8_t>(width)});
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

std::optional<Operand> TestBuilder::try_register(TextCursor& cursor, unsigned thread) {
  const std::size_t before = cursor.offset();
  cursor.accept('%');
  const std::string_view name = cursor.name();
  if (!name.empty()) {
    if (const auto printed = architecture_.register_name(name)) return Operand{reg(thread, *printed), 0};
  }
  cursor.move_to(before);
  return std::nullopt;
}

Register TestBuilder::read_register(TextCursor& cursor, unsigned thread) {
  const auto operand = try_register(cursor, thread);
  if (!operand) cursor.fail("expected a register: " + architecture_.registers);
  return operand->reg;
}

void TestBuilder::begin_instruction(unsigned thread, SourceLine source) {
  grow_threads(thread + 1);
  test_.threads[thread].sources.push_back(std::move(source));
}

Instruction& TestBuilder::emit(unsigned thread, Op op) {
  Thread& t = test_.threads[thread];
  Instruction i;
  i.op = op;
  i.source = static_cast<std::uint32_t>(t.sources.size()) - 1;
  t.code.push_back(i);
  return t.code.back();
}

void TestBuilder::unknown_instruction(const TextCursor& cell, std::size_t offset, std::string_view word,
                                      const std::vector<std::string>& known) const {
  cell.fail_at(offset,
               fmt::format("unknown {} instruction '{}'; expected one of {}{}", architecture_.names[0], word,
                           fmt::join(known, ", "), did_you_mean(word, known)));
}

void TestBuilder::label(const TextCursor& cell, unsigned thread, std::string_view name, std::size_t offset) {
  if (!labels_.emplace(std::pair(thread, std::string(name)), next(thread)).second) {
    cell.fail_at(offset, fmt::format("the label '{}' stands twice in P{}", name, thread));
  }
}

void TestBuilder::jump_to(unsigned thread, std::string_view label, std::size_t offset) {
  jumps_.push_back({thread, next(thread) - 1, std::string(label), offset});
}

std::uint32_t TestBuilder::target_of(const TextCursor& text, unsigned thread, const std::string& label,
                                     std::size_t offset) {
  const auto found = labels_.find({thread, label});
  if (found != labels_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, index] : labels_) {
    if (key.first == thread) known.push_back(key.second);
  }
  text.fail_at(offset, fmt::format("P{} has no label '{}'; its labels: {}{}", thread, label,
                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                                   did_you_mean(label, known)));
}

void TestBuilder::resolve_labels(const TextCursor& text) {
  for (const Jump& jump : jumps_) {
    test_.threads[jump.thread].code[jump.instruction].target =
        target_of(text, jump.thread, jump.label, jump.offset);
  }
  for (const Held& held : held_) {
    const Value address = code_base + code_stride * static_cast<Value>(held.label_thread) +
                          static_cast<Value>(target_of(text, held.label_thread, held.label, held.offset));
    if (held.is_register) {
      initial(static_cast<unsigned>(held.thread_or_location), held.reg) = address;
    } else {
      test_.locations[held.thread_or_location].initial = address;
    }
  }
}

}  // namespace mesim::litmus
