#include "litmus/reader/assembly.hpp"

#include "litmus/reader/grammar.hpp"

namespace mesim::litmus {
namespace {

using namespace grammar;
using O = AsmOperand;

const auto set_number = [](const auto& c) {
  x3::_val(c).number = x3::_attr(c);
  x3::_val(c).has_number = true;
};
// In two's complement.
template <bool minus>
const auto displace = [](const auto& c) {
  const auto by = static_cast<std::uint64_t>(x3::_attr(c));
  O& operand = x3::_val(c);
  const auto old = static_cast<std::uint64_t>(operand.number);
  operand.number = static_cast<Value>(minus ? old - by : old + by);
  operand.displaced = true;
};
template <auto member, char value>
const auto mark = [](const auto& c) { x3::_val(c).*member = value; };

const auto base = x3::rule<struct base_, Text>{"expected a location or a register as address"} =
    -x3::lit('%') >> name;
const auto displacement =
    x3::rule<struct displacement_, Value>{"expected a number behind the sign in an address"} = number;
const auto sum = base[set<&O::name>] > -((x3::lit('+') > displacement[displace<false>]) |
                                         (x3::lit('-') > displacement[displace<true>]));
const auto square = x3::rule<struct square_>{"expected ']' behind an address"} = x3::lit(']');
const auto round = x3::rule<struct round_>{"expected ')' behind an address"} = x3::lit(')');
const auto memory = (x3::lit('[')[mark<&O::bracket, '['>] > sum > square) |
                    (x3::lit('(')[mark<&O::bracket, '('>] > sum > round);

const auto no_immediate = x3::rule<struct no_immediate_>{"expected a number or a location behind '$'"} =
    x3::eps(false);
const auto pointee = x3::rule<struct pointee_, Text>{"expected a location behind '&'"} = name;

const auto operand = x3::rule<struct operand_, O>{"expected an operand"} =
    place<&O::at> >>
    ((number[set_number] >> -memory) | memory |
     (x3::lit('$')[mark<&O::sigil, '$'>] >
      (number[set_number] | name[set<&O::name>] | x3::expect[no_immediate])) |
     (x3::lit('&')[mark<&O::sigil, '&'>] > pointee[set<&O::name>]) | (-x3::lit('%') >> name[set<&O::name>]));

// "lw.aq", "LC00"
const auto word = x3::raw[x3::lexeme[x3::char_("a-zA-Z_") >> *(word_char | '.')]];
const auto label = x3::rule<struct label_, Text>{"expected a label"} = word[take_text] >> ':';
const auto mnemonic = x3::rule<struct mnemonic_, Text>{"expected an instruction"} = word[take_text];
const auto lock = x3::lexeme[x3::no_case["lock"] >> !(word_char | '.')];

const auto take_label = [](const auto& c) { target(c).labels.push_back(x3::_attr(c)); };
const auto take_begin = [](const auto& c) { target(c).instruction.begin = x3::_where(c).begin(); };
const auto take_lock = [](const auto& c) { target(c).instruction.lock = true; };
const auto take_mnemonic = [](const auto& c) { target(c).instruction.mnemonic = x3::_attr(c); };
const auto take_operand = [](const auto& c) { target(c).instruction.operands.push_back(x3::_attr(c)); };
const auto take_comma = [](const auto& c) { target(c).instruction.comma = true; };

const x3::rule<struct cell_> cell = "expected an instruction";
const auto cell_def = *label[take_label] >> x3::eps[take_begin] >>
                      -(((lock[take_lock] > mnemonic[take_mnemonic]) | mnemonic[take_mnemonic]) >>
                        -(operand[take_operand] % ',') >> -x3::lit(',')[take_comma]);
BOOST_SPIRIT_DEFINE(cell)

}  // namespace

void read_cell(const SourceText& source, const Text& text, AsmCell& cell_read) {
  AsmInstruction& instruction = cell_read.instruction;
  cell_read.labels.clear();
  instruction.operands.clear();
  instruction.lock = instruction.comma = false;
  instruction.mnemonic = {};
  const char* at = text.begin;
  parse(source, at, text.end, filling(cell_read)[cell]);
  instruction.rest = at;
  instruction.end = text.end;
  if (instruction.mnemonic.empty() && at != text.end) source.fail(at, "expected an instruction", text.end);
}

}  // namespace mesim::litmus
