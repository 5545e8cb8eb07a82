#include "cores/program/opcodes.hpp"

#include <array>

namespace mesim {
namespace {

constexpr std::array<OpcodeForm, 32> forms = {{
    {"ld", Opcode::ld, "dm"},        {"st", Opcode::st, "ma"},        {"swap", Opcode::swap, "dma"},
    {"fadd", Opcode::fadd, "dma"},   {"cas", Opcode::cas, "dmab"},    {"tas", Opcode::tas, "dm"},
    {"ll", Opcode::ll, "dm"},        {"sc", Opcode::sc, "dma"},       {"fence", Opcode::fence, "f"},
    {"lea", Opcode::lea, "dm"},      {"mov", Opcode::mov, "da"},      {"add", Opcode::add, "dab"},
    {"sub", Opcode::sub, "dab"},     {"mul", Opcode::mul, "dab"},     {"div", Opcode::div, "dab"},
    {"rem", Opcode::rem, "dab"},     {"and", Opcode::bit_and, "dab"}, {"or", Opcode::bit_or, "dab"},
    {"xor", Opcode::bit_xor, "dab"}, {"shl", Opcode::shl, "dab"},     {"shr", Opcode::shr, "dab"},
    {"beq", Opcode::beq, "abl"},     {"bne", Opcode::bne, "abl"},     {"blt", Opcode::blt, "abl"},
    {"ble", Opcode::ble, "abl"},     {"bgt", Opcode::bgt, "abl"},     {"bge", Opcode::bge, "abl"},
    {"jmp", Opcode::jmp, "l"},       {"delay", Opcode::delay, "a"},   {"signal", Opcode::signal, "e"},
    {"await", Opcode::await, "ea"},  {"halt", Opcode::halt, ""},
}};

}  // namespace

const OpcodeForm* find_opcode(std::string_view name) {
  for (const OpcodeForm& form : forms) {
    if (form.name == name) return &form;
  }
  return nullptr;
}

const std::vector<std::string>& opcode_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const OpcodeForm& form : forms) list.emplace_back(form.name);
    return list;
  }();
  return names;
}

}  // namespace mesim
