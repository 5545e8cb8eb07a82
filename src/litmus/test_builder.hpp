// The test under construction: names to registers, locations and labels, whatever the order they are met in.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/text_cursor.hpp"

namespace mesim::litmus {

class TestBuilder;

// What an architecture adds to the reader.
struct Architecture {
  std::vector<std::string> names;  // of the file's first word
  // The printed name of a register; empty for one that always reads zero; nothing if it is no register.
  std::function<std::optional<std::string>(std::string_view)> register_name;
  std::string registers;  // for messages: "EAX, EBX, ..."
  // Reads one instruction, of the thread, to its end.
  std::function<void(TextCursor& cell, TestBuilder& builder, unsigned thread)> instruction;
};
const Architecture& x86_architecture();
const Architecture& x86_64_architecture();
const Architecture& riscv_architecture();
const Architecture& generic_architecture();

class TestBuilder {
 public:
  TestBuilder(Test& test, const Architecture& architecture) : test_(test), architecture_(architecture) {}

  const Architecture& architecture() const { return architecture_; }
  void grow_threads(std::size_t count);
  std::size_t threads() const { return test_.threads.size(); }

  // The location of a name, made if it is new.
  std::size_t location(std::string_view name);
  std::optional<std::size_t> known_location(std::string_view name) const;
  Location& at(std::size_t location) { return test_.locations[location]; }
  Value address(std::string_view name) { return at(location(name)).address; }
  // `count` locations NAME[0], NAME[1] ... that follow each other in memory; NAME is the address of the
  // first.
  std::vector<std::size_t> array(std::string_view name, std::size_t count, unsigned width);

  // The register with a printed name, made if it is new; no_register for the empty name.
  Register reg(unsigned thread, std::string_view printed_name);
  Value& initial(unsigned thread, Register reg) { return test_.threads[thread].initial[reg]; }
  // A register as written at the cursor, or an error.
  Register read_register(TextCursor& cursor, unsigned thread);
  std::optional<Operand> try_register(TextCursor& cursor, unsigned thread);

  void begin_instruction(unsigned thread, SourceLine source);
  Instruction& emit(unsigned thread, Op op);
  std::uint32_t next(unsigned thread) const {
    return static_cast<std::uint32_t>(test_.threads[thread].code.size());
  }
  // The text of an error for an unknown mnemonic.
  [[noreturn]] void unknown_instruction(const TextCursor& cell, std::size_t offset, std::string_view word,
                                        const std::vector<std::string>& known) const;

  void label(const TextCursor& cell, unsigned thread, std::string_view name, std::size_t offset);
  // The last instruction of the thread jumps to a label that may come later.
  void jump_to(unsigned thread, std::string_view label, std::size_t offset);
  // A register (of `thread_or_location`) or location whose initial value is the address of a label.
  struct Held {
    bool is_register;
    std::size_t thread_or_location;
    Register reg;
    unsigned label_thread;
    std::string label;
    std::size_t offset;
  };
  void hold_label(Held held) { held_.push_back(std::move(held)); }
  void resolve_labels(const TextCursor& text);

 private:
  struct Jump {
    unsigned thread;
    std::uint32_t instruction;
    std::string label;
    std::size_t offset;
  };
  std::uint32_t target_of(const TextCursor& text, unsigned thread, const std::string& label,
                          std::size_t offset);

  Test& test_;
  const Architecture& architecture_;
  Value next_slot_ = 0;
  std::map<std::pair<unsigned, std::string>, std::uint32_t> labels_;
  std::vector<Jump> jumps_;
  std::vector<Held> held_;
};

}  // namespace mesim::litmus
