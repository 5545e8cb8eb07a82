#include "litmus/reader.hpp"

#include <fmt/format.h>

#include <array>

#include "litmus/reader/condition_reader.hpp"
#include "litmus/reader/grammar.hpp"
#include "litmus/reader/header_reader.hpp"
#include "litmus/reader/init_reader.hpp"
#include "litmus/reader/limits.hpp"
#include "litmus/reader/operands.hpp"
#include "litmus/semantics.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

using namespace grammar;

struct Column {
  const char* at = nullptr;
  unsigned thread = most_threads;
};
const auto take_column = [](const auto& c) { target(c).column(x3::_attr(c)); };
const auto take_row = [](const auto& c) { target(c).row(Text{x3::_attr(c).begin(), x3::_attr(c).end()}); };
const auto take_cell = [](const auto& c) { target(c).cell(Text{x3::_attr(c).begin(), x3::_attr(c).end()}); };

// The program is a table: P0 | P1 ; then rows of cells.
const auto no_column = x3::rule<struct no_column_>{"expected the columns of the program: P0 | P1 ;"} =
    x3::eps(false);
const auto column_head = x3::rule<struct column_, Column>{
    "expected a column"} = place<&Column::at> >> x3::lit('P') >> x3::uint_[set<&Column::thread>];
const auto columns_end = x3::rule<struct columns_end_>{"expected ';' or '|' behind a column"} = x3::lit(';');
const x3::rule<struct columns_> columns_rule = "expected the columns of the program";
const auto columns_rule_def = ((column_head[take_column] | x3::expect[no_column]) % '|') > columns_end;
const x3::rule<struct row_> row_rule = "expected a row of the program";
const auto row_rule_def = x3::lexeme[x3::raw[*~x3::char_(';')] >> &x3::lit(';')][take_row] >> ';';
const x3::rule<struct cells_> cells_rule = "expected cells";
const auto cells_rule_def = x3::no_skip[x3::raw[*~x3::char_('|')][take_cell] % '|'];
BOOST_SPIRIT_DEFINE(columns_rule, row_rule, cells_rule)

class TestReader {
 public:
  TestReader(const std::string& file, std::string_view text) : source_(file, text) {}

  Test read() {
    const char* at = source_.whole().begin;
    const Header header = read_header(at, source_);
    test_.file = source_.file();
    test_.name = header.name;
    test_.arch = header.architecture->name;
    source_.set_registers(header.architecture->register_example, header.architecture->registers);
    TestBuilder builder(test_, source_, *header.architecture);
    builder_ = &builder;
    read_initial_state(at, builder);
    program(at);
    read_condition(at, builder, test_);
    builder.resolve_labels();
    test_.index_locations();
    refuse_mixed_sizes();
    return std::move(test_);
  }

  // The grammar's actions.
  void column(const Column& c) {
    if (c.thread >= most_threads) {
      source_.fail_at(c.at, fmt::format("expected a column from P0 to P{}", most_threads - 1));
    }
    for (const Column& other : columns_) {
      if (other.thread == c.thread) {
        source_.fail_at(c.at, fmt::format("P{} has two columns", c.thread));
      }
    }
    columns_.push_back(c);
  }
  void row(const Text& text) {
    next_ = 0;
    const char* at = text.begin;
    parse(source_, at, text.end, filling(*this)[cells_rule]);
  }
  void cell(const Text& text) {
    if (next_ == columns_.size()) {
      source_.fail_at(text.begin,
                      fmt::format("the row has more cells than the program's {} columns", columns_.size()));
    }
    const unsigned thread = columns_[next_++].thread;
    read_cell(source_, text, cell_);
    for (const Text& label : cell_.labels) builder_->label(thread, label);
    if (cell_.instruction.mnemonic.empty()) return;
    builder_->begin_instruction(thread, source_line(cell_.instruction.begin, text.end),
                                cell_.instruction.begin);
    Operands operands(*builder_, thread, cell_.instruction);
    builder_->architecture().instruction(operands);
    operands.expect_end();
  }

 private:
  void program(const char*& at) {
    const char* end = source_.whole().end;
    parse(source_, at, end, filling(*this)[columns_rule]);
    for (const Column& c : columns_) {
      if (c.thread >= columns_.size()) {
        source_.fail_at(c.at, fmt::format("P{} stands among {} columns; expected P0 to P{}", c.thread,
                                          columns_.size(), columns_.size() - 1));
      }
    }
    builder_->grow_threads(columns_.size());
    if (test_.threads.size() > columns_.size()) {
      source_.fail_at(columns_[0].at,
                      fmt::format("the initial state names thread {}, the program has {} columns",
                                  test_.threads.size() - 1, columns_.size()));
    }
    while (!at_condition(source_, at)) {
      if (!parse(source_, at, end, filling(*this)[row_rule])) refuse_row(at);
    }
  }
  [[noreturn]] void refuse_row(const char* at) const {
    const std::vector<std::string> words = {"exists", "~exists", "forall", "final", "locations", "filter"};
    const std::string found = source_.token(at);
    const std::string_view word = std::string_view(found).substr(1, found.size() - 2);  // without quotes
    source_.fail(at, fmt::format("expected ';' at the end of a row, or {}{}", fmt::join(words, ", "),
                                 did_you_mean(word, words)));
  }

  // Runs of blanks as one.
  SourceLine source_line(const char* at, const char* end) {
    for (; counted_ < at; ++counted_) {
      if (*counted_ == '\n') {
        ++line_;
        line_begin_ = counted_ + 1;
      }
    }
    while (end > at && SourceText::is_blank(end[-1])) --end;
    std::string text;
    for (const char* c = at; c < end; ++c) {
      const bool blank_here = SourceText::is_blank(*c);
      if (!blank_here || text.back() != ' ') text += blank_here ? ' ' : *c;
    }
    return {std::move(text), line_, static_cast<std::uint64_t>(at - line_begin_) + 1};
  }

  // A store narrower than its location would change a part of a word; both engines know whole words only.
  void refuse_mixed_sizes() const {
    for (const Thread& thread : test_.threads) {
      std::array<bool, 256> written{};
      for (const Instruction& i : thread.code) {
        if (i.dst != no_register) written[i.dst] = true;
      }
      for (const Instruction& i : thread.code) {
        if (!is_memory(i.op) || (i.address.is_register() && written[i.address.reg])) continue;
        const Value address = address_of(i, thread.initial.data());
        const int l = test_.location_at(address);
        const SourceLine& at = thread.sources[i.source];
        if (l < 0) {
          throw bad_input(
              {source_.file(), at.line, at.column},
              fmt::format("'{}' uses an address that is no location's; each access must be of a whole "
                          "location (mixed sizes are not modelled)",
                          at.text));
        }
        const Location& location = test_.locations[static_cast<std::size_t>(l)];
        if (may_write(i.op) && i.width < location.width && location.width > 4) {
          throw bad_input(
              {source_.file(), at.line, at.column},
              fmt::format("'{}' stores {} of the {} bytes of {}; each access must be of a whole location "
                          "(mixed sizes are not modelled)",
                          at.text, i.width, location.width, location.name));
        }
      }
    }
  }

  SourceText source_;
  TestBuilder* builder_ = nullptr;
  Test test_;
  std::vector<Column> columns_;
  std::size_t next_ = 0;  // column of the row
  AsmCell cell_;
  const char* counted_ = source_.whole().begin;  // lines are counted up to here
  const char* line_begin_ = counted_;
  std::uint64_t line_ = 1;
};

}  // namespace

Test read_test(const std::string& file, std::string_view text) { return TestReader(file, text).read(); }

}  // namespace mesim::litmus
