// The test under construction: names to registers, locations and labels, whatever the order they are met in.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/reader/source_text.hpp"

namespace mesim::litmus {

class Operands;
class TestBuilder;

// What an architecture adds to the reader.
struct Architecture {
  std::string name;  // the file's first word
  // The printed name of a register; empty for one that always reads zero; nothing if it is no register.
  std::optional<std::string> (*register_name)(std::string_view);
  std::string registers;         // for messages: "EAX, EBX, ..."
  std::string register_example;  // "EAX"
  // What one instruction does.
  void (*instruction)(Operands& operands);
  bool symbolic_registers = false;  // %NAME, of no register of the architecture, is one more of the thread
};
const Architecture& x86_architecture();
const Architecture& x86_64_architecture();
const Architecture& riscv_architecture();
const Architecture& generic_architecture();

class TestBuilder {
 public:
  TestBuilder(Test& test, const SourceText& source, const Architecture& architecture)
      : test_(test), source_(source), architecture_(architecture) {}

  const Architecture& architecture() const { return architecture_; }
  const SourceText& source() const { return source_; }
  void grow_threads(std::size_t count);
  std::size_t threads() const { return test_.threads.size(); }

  // The location of a name, made if it is new. A name that is not of the text needs a place for messages.
  std::size_t location(const Text& name) { return location(name.view(), name.begin); }
  std::size_t location(std::string_view name, const char* at);
  Location& at(std::size_t location) { return test_.locations[location]; }
  Value address(const Text& name) { return at(location(name)).address; }
  // `count` locations NAME, NAME[1] ... that follow each other in memory. The name must be new.
  std::vector<std::size_t> array(const Text& name, std::size_t count, unsigned width);

  // The register with a printed name, made if it is new; no_register for the empty name.
  Register reg(unsigned thread, std::string_view printed_name);
  Value& initial(unsigned thread, Register reg) { return test_.threads[thread].initial[reg]; }
  // A register as written, or nothing; or an error.
  std::optional<Register> find_register(unsigned thread, const Text& name);
  Register need_register(unsigned thread, const Text& name);

  // What is emitted next comes from this line.
  void begin_instruction(unsigned thread, SourceLine line, const char* at);
  Instruction& emit(unsigned thread, Op op);
  std::uint32_t next(unsigned thread) const {
    return static_cast<std::uint32_t>(test_.threads[thread].code.size());
  }

  void label(unsigned thread, const Text& name);
  // The last instruction of the thread jumps to a label that may come later.
  void jump_to(unsigned thread, const Text& label);
  // A register (of `thread_or_location`) or location whose initial value is the address of a label.
  struct Held {
    bool is_register;
    std::size_t thread_or_location;
    Register reg;
    unsigned label_thread;
    Text label;
  };
  void hold_label(const Held& held) { held_.push_back(held); }
  void resolve_labels();

 private:
  struct Jump {
    unsigned thread;
    std::uint32_t instruction;
    Text label;
  };
  std::optional<std::size_t> known_location(std::string_view name) const;
  std::uint32_t target_of(unsigned thread, const Text& label) const;
  void new_location(std::string name, Value address, std::size_t width, const char* at);

  Test& test_;
  const SourceText& source_;
  const Architecture& architecture_;
  Value next_slot_ = 0;
  std::map<std::pair<unsigned, std::string_view>, std::uint32_t> labels_;
  std::vector<Jump> jumps_;
  std::vector<Held> held_;
};

}  // namespace mesim::litmus
