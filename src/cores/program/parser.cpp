#include "cores/program/parser.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>

#include "cores/program/expression.hpp"
#include "cores/program/opcodes.hpp"
#include "cores/program/variables.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

struct Label {
  std::string name;
  std::uint32_t target = 0;
};

struct Jump {
  std::uint32_t from = 0;
  Token label;
};

struct Parameter {
  std::string name;
  std::uint64_t value = 0;
  bool used = false;
};

Parameter given_parameter(const std::string& text) {
  const auto equals = text.find('=');
  Parameter p{text.substr(0, equals)};
  const char* end = text.data() + text.size();
  const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto parsed = std::from_chars(begin, end, p.value);
  if (p.name.empty() || parsed.ec != std::errc() || parsed.ptr != end || begin == end) {
    throw bad_input({}, "/workload/parameters", fmt::format("found '{}', expected NAME=NUMBER", text));
  }
  return p;
}

class Parser {
 public:
  Parser(const std::string& file, const ProgramSetting& setting) : layout_(setting.line_bytes) {
    program_.file = file;
    names_.constants = {{"threads", setting.threads}, {"line_bytes", setting.line_bytes}};
    for (const auto& text : setting.parameters) given_.push_back(given_parameter(text));
  }

  Program parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ++line_;
      TokenCursor tokens(tokens_of_line(text.substr(0, end), program_.file, line_));
      statement(tokens);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return finish();
  }

 private:
  void statement(TokenCursor& text) {
    while (text.peek().kind == Token::Kind::name && text.peek(1).text == ":") label(text);
    if (text.at_end()) return;
    const Token word = text.expect_name("an instruction, a declaration or a label");
    if (word.text == "param") {
      parameter(text);
    } else if (word.text == "var") {
      const Token name = new_name(text, "a variable's name");
      names_.variables.push_back(layout_.read(text, name, names_));
    } else if (word.text == "event") {
      names_.events.push_back(new_name(text, "an event's name").text);
    } else {
      instruction(text, word);
    }
    if (!text.at_end()) text.unexpected("the end of the line");
  }

  Token new_name(TokenCursor& text, const char* what) {
    const Token name = text.expect_name(what);
    if (names_.taken(name.text)) throw bad_input(name.at, fmt::format("the name '{}' is taken", name.text));
    return name;
  }

  void label(TokenCursor& text) {
    const Token name = text.take();
    text.take();
    for (const Label& other : labels_) {
      if (other.name == name.text)
        throw bad_input(name.at, fmt::format("label '{}' stands twice", name.text));
    }
    labels_.push_back({name.text, static_cast<std::uint32_t>(program_.code.size())});
  }

  void parameter(TokenCursor& text) {
    const Token name = new_name(text, "a parameter's name");
    text.expect("=", "'=' and the parameter's value");
    std::uint64_t value = read_expression(text, names_);
    parameters_.push_back(name.text);
    for (Parameter& given : given_) {
      if (given.name != name.text) continue;
      value = given.value;
      given.used = true;
    }
    names_.constants.emplace_back(name.text, value);
  }

  void instruction(TokenCursor& text, const Token& word) {
    const OpcodeForm* form = find_opcode(word.text);
    if (form == nullptr) {
      std::vector<std::string> words = opcode_names();
      words.insert(words.end(), {"param", "var", "event"});
      throw bad_input(
          word.at, fmt::format("there is no instruction '{}'{}", word.text, did_you_mean(word.text, words)));
    }
    Instruction i;
    i.op = form->op;
    i.line = static_cast<std::uint32_t>(line_);
    bool first = true;
    for (const char kind : form->operands) {
      if (!first) text.expect(",", "','");
      first = false;
      operand(text, kind, i);
    }
    program_.code.push_back(i);
  }

  void operand(TokenCursor& text, char kind, Instruction& i) {
    switch (kind) {
      case 'd':
        i.rd = destination(text);
        break;
      case 'm':
        i.memory = read_place(text, names_);
        break;
      case 'a':
        i.a = read_value(text, names_);
        break;
      case 'b':
        i.b = read_value(text, names_);
        break;
      case 'f':
        fence(text, i);
        break;
      case 'l':
        jumps_.push_back({static_cast<std::uint32_t>(program_.code.size()), text.expect_name("a label")});
        break;
      default:
        i.target = event(text);
        break;
    }
  }

  // `fence`, or `fence rw, r`: what before it, what behind it.
  static void fence(TokenCursor& text, Instruction& i) {
    if (text.at_end()) return;
    i.before = accesses(text);
    text.expect(",", "','");
    i.after = accesses(text);
  }

  static std::uint8_t accesses(TokenCursor& text) {
    const Token name = text.expect_name("r, w or rw");
    if (name.text == "r") return fence_loads;
    if (name.text == "w") return fence_stores;
    if (name.text == "rw") return fence_all;
    throw bad_input(name.at, fmt::format("found '{}', expected r, w or rw", name.text));
  }

  std::uint8_t destination(TokenCursor& text) {
    const Token name = text.expect_name("a register, r0 to r31");
    const std::uint8_t reg = register_number(name.text);
    if (reg == thread_register) throw bad_input(name.at, "tid is only read, expected r0 to r31");
    if (reg == no_register)
      throw bad_input(name.at, fmt::format("found '{}', expected a register, r0 to r31", name.text));
    return reg;
  }

  std::uint32_t event(TokenCursor& text) {
    const Token name = text.expect_name("an event");
    for (std::uint32_t e = 0; e < names_.events.size(); ++e) {
      if (names_.events[e] == name.text) return e;
    }
    throw bad_input(
        name.at, fmt::format("there is no event '{}'{}", name.text, did_you_mean(name.text, names_.events)));
  }

  Program finish() {
    for (const Jump& jump : jumps_) program_.code[jump.from].target = target_of(jump.label);
    for (const Parameter& given : given_) {
      if (given.used) continue;
      throw bad_input({program_.file}, "/workload/parameters",
                      fmt::format("the program has no parameter '{}'{}", given.name,
                                  did_you_mean(given.name, parameters_)));
    }
    Instruction halt;
    halt.line = static_cast<std::uint32_t>(line_);
    program_.code.push_back(halt);
    program_.variables = names_.variables;
    program_.events = names_.events;
    program_.data = layout_.data();
    return std::move(program_);
  }

  std::uint32_t target_of(const Token& label) const {
    std::vector<std::string> known;
    for (const Label& l : labels_) {
      if (l.name == label.text) return l.target;
      known.push_back(l.name);
    }
    throw bad_input(label.at,
                    fmt::format("there is no label '{}'{}", label.text, did_you_mean(label.text, known)));
  }

  Program program_;
  ProgramNames names_;
  VariableLayout layout_;
  std::vector<Parameter> given_;
  std::vector<std::string> parameters_;
  std::vector<Label> labels_;
  std::vector<Jump> jumps_;
  std::uint64_t line_ = 0;
};

}  // namespace

Program parse_program(std::string_view text, const std::string& file, const ProgramSetting& setting) {
  return Parser(file, setting).parse(text);
}

Program read_program(const std::string& path, const ProgramSetting& setting) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw file_error(path, "cannot be opened", errno);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw file_error(path, "cannot be read", errno);
  return parse_program(text, path, setting);
}

}  // namespace mesim
