// What the grammars of a litmus test have in common: Boost Spirit X3 over the characters of the text. A
// rule's name is what a message says when an expectation (`>`) fails: "found X; NAME".
#pragma once
#include <boost/spirit/home/x3.hpp>
#include <cstdint>

#include "litmus/reader/source_text.hpp"

// An expectation with a semantic action is named as the one without.
template <typename Subject, typename Action>
struct boost::spirit::x3::get_info<boost::spirit::x3::action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};

namespace mesim::litmus::grammar {

namespace x3 = boost::spirit::x3;

inline const auto blank = x3::char_(" \t\n\r\f");
inline const auto word_char = x3::char_("a-zA-Z0-9_");

// Semantic actions: of `raw`, and of what sets a member of the rule's value.
inline const auto take_text = [](const auto& c) { x3::_val(c) = Text{_attr(c).begin(), _attr(c).end()}; };
template <auto member>
inline const auto set = [](const auto& c) { x3::_val(c).*member = x3::_attr(c); };

// At the beginning of a rule: where it begins. (A handler `on_success` gets no value from a rule with
// actions.)
template <auto member>
inline const auto place = x3::eps[([](const auto& c) { x3::_val(c).*member = x3::_where(c).begin(); })];

// The object that a grammar's actions fill: put into the context by `filling`.
struct target_tag;
template <typename Target>
auto filling(Target& target) {
  return x3::with<target_tag>(target);
}
inline const auto target = [](const auto& c) -> decltype(auto) { return x3::get<target_tag>(c); };

// A letter or '_', then letters, digits and '_'.
inline const auto name = x3::rule<struct name_, Text>{"expected a name"} =
    x3::raw[x3::lexeme[x3::char_("a-zA-Z_") >> *word_char]][take_text];

// A whole word of the format.
inline auto keyword(const char* word) { return x3::lexeme[x3::lit(word) >> !word_char]; }

// Decimal or hexadecimal, perhaps negative; 64 bits, as a two's complement.
template <unsigned base>
inline const auto digits = x3::rule<struct digits_, std::uint64_t>{"the number does not fit in 64 bits"} =
    x3::uint_parser<std::uint64_t, base>{};
inline const auto magnitude = x3::rule<struct magnitude_, std::uint64_t>{"expected digits"} =
    ((x3::no_case["0x"] >> &x3::char_("0-9a-fA-F")) > digits<16>) | (&x3::char_("0-9") > digits<10>);
inline const auto number = x3::rule<struct number_, Value>{"expected a number"} =
    x3::lexeme[((x3::lit('-') >>
                 magnitude[([](const auto& c) { x3::_val(c) = static_cast<Value>(0 - x3::_attr(c)); })]) |
                (-x3::lit('+') >>
                 magnitude[([](const auto& c) { x3::_val(c) = static_cast<Value>(x3::_attr(c)); })])) >>
               !word_char];

// "0:", "P0:": the thread of a register, or of a label.
inline const auto thread_number = x3::rule<struct thread_number_, unsigned>{"expected a thread"} =
    -x3::lit('P') >> x3::uint_ >> ':';

// Parses from `at`, which moves behind what was taken. Whether it matched; a failed expectation is bad input.
// `cell_end`: the end of the text is only that of a cell.
template <typename Parser, typename... Attribute>
bool parse(const SourceText& source, const char*& at, const char* end, const Parser& parser,
           Attribute&... attribute) {
  try {
    return x3::phrase_parse(at, end, parser, blank, attribute...);
  } catch (const x3::expectation_failure<const char*>& failure) {
    source.fail(failure.where(), failure.which(), end == source.whole().end ? nullptr : end);
  }
}

}  // namespace mesim::litmus::grammar
