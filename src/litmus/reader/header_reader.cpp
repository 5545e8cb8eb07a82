#include "litmus/reader/header_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "litmus/reader/grammar.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

using namespace grammar;

const auto not_blank = ~x3::char_(" \t\n\r\f");
const auto architecture = x3::rule<struct architecture_, Text>{"expected an architecture"} =
    x3::raw[x3::lexeme[*not_blank]][take_text];

// Behind the architecture, on its line; "(texName)" may follow.
const auto name_word = x3::raw[*(not_blank - x3::char_("({"))];
const auto test_name = x3::rule<struct test_name_, Text>{"expected a name"} =
    x3::no_skip[*x3::char_(" \t\r\f") >> name_word[take_text]];

// A brace in a quoted text does not count; a quotation ends with its line.
const auto quotation = '"' >> *~x3::char_("\"\n") >> -x3::lit('"');
const auto preamble = x3::omit[x3::lexeme[*(quotation | ~x3::char_("{\""))]];
const auto brace = x3::rule<struct brace_>{"expected '{' before the initial state"} = x3::lit('{');

const Architecture& architecture_of(const Text& word, const SourceText& source) {
  const std::array<const Architecture*, 4> all = {&x86_architecture(), &x86_64_architecture(),
                                                  &riscv_architecture(), &generic_architecture()};
  std::vector<std::string> names;
  for (const Architecture* a : all) {
    if (a->name == word.view()) return *a;
    names.push_back(a->name);
  }
  source.fail_at(word.begin, fmt::format("{} is no architecture; expected {}{}", source.token(word.begin),
                                         fmt::join(names, ", "), did_you_mean(word.view(), names)));
}

std::string file_name(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.rfind(".litmus"));
}

}  // namespace

Header read_header(const char*& at, const SourceText& source) {
  const char* end = source.whole().end;
  Text arch;
  parse(source, at, end, architecture, arch);
  Header header;
  header.architecture = &architecture_of(arch, source);
  at = arch.end;
  Text name;
  parse(source, at, end, x3::no_skip[test_name], name);
  if (name.empty() && (name.begin == end || *name.begin != '(')) {
    source.fail_at(arch.end, "expected the test's name behind its architecture");
  }
  header.name = name.empty() || name.view() == "--" ? file_name(source.file()) : std::string(name.view());
  parse(source, at, end, preamble > brace);
  return header;
}

}  // namespace mesim::litmus
