#include "litmus/reader.hpp"

#include <fmt/format.h>

#include <array>

#include "litmus/condition_reader.hpp"
#include "litmus/init_reader.hpp"
#include "litmus/semantics.hpp"
#include "litmus/test_builder.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

const Architecture* architecture_of(std::string_view word) {
  for (const Architecture* a :
       {&x86_architecture(), &x86_64_architecture(), &riscv_architecture(), &generic_architecture()}) {
    for (const std::string& name : a->names) {
      if (name == word) return a;
    }
  }
  return nullptr;
}

std::string_view word_of(std::string_view text, std::size_t& at) {
  while (at < text.size() && TextCursor::is_blank(text[at])) ++at;
  const std::size_t begin = at;
  while (at < text.size() && !TextCursor::is_blank(text[at])) ++at;
  return text.substr(begin, at - begin);
}

class TestReader {
 public:
  TestReader(const std::string& file, std::string_view original)
      : file_(file), text_(without_comments(original)) {}

  Test read() {
    test_.file = file_;
    std::size_t at = header();
    TestBuilder builder(test_, *architecture_);
    TextCursor cursor(file_, text_, at, text_.size());
    read_initial_state(cursor, builder);
    cursor.accept(';');
    program(cursor, builder);
    read_condition(cursor, builder, test_);
    builder.resolve_labels(cursor);
    test_.index_locations();
    refuse_mixed_sizes();
    return std::move(test_);
  }

 private:
  // ARCH NAME, and any text up to the brace; the place behind it.
  std::size_t header() {
    std::size_t at = 0;
    const std::string_view arch = word_of(text_, at);
    architecture_ = architecture_of(arch);
    const std::size_t arch_at = at - arch.size();
    if (architecture_ == nullptr) {
      const std::vector<std::string> names = {"X86", "X86_64", "RISCV", "GENERIC"};
      TextCursor cursor(file_, text_, arch_at, text_.size());
      cursor.fail_at(arch_at, fmt::format("{} is no architecture; expected {}{}",
                                          arch.empty() ? "the end of the file" : cursor.token(),
                                          fmt::join(names, ", "), did_you_mean(arch, names)));
    }
    test_.arch = arch;
    const std::size_t line_end = std::min(text_.find('\n', at), text_.size());
    std::string_view name = word_of(text_, at);
    if (at > line_end || name.empty() || name[0] == '{') {
      TextCursor(file_, text_, line_end, text_.size())
          .fail_at(line_end, "expected the test's name behind its architecture");
    }
    test_.name = name.substr(0, name.find('('));
    if (test_.name == "--" || test_.name.empty()) test_.name = file_name();
    return behind_brace(at);
  }

  std::string file_name() const {
    std::string name = file_.substr(file_.rfind('/') + 1);
    const std::size_t dot = name.rfind(".litmus");
    return dot == std::string::npos ? name : name.substr(0, dot);
  }

  // A brace in a quoted text does not count.
  std::size_t behind_brace(std::size_t at) const {
    bool quoted = false;
    for (; at < text_.size(); ++at) {
      if (text_[at] == '"') quoted = !quoted;
      if (text_[at] == '\n') quoted = false;
      if (text_[at] == '{' && !quoted) return at + 1;
    }
    TextCursor(file_, text_, at, at)
        .fail_at(at, "found the end of the file; expected '{' before the initial state");
  }

  void program(TextCursor& cursor, TestBuilder& builder) {
    cursor.skip_blanks();
    const std::size_t at = cursor.offset();
    columns(cursor);
    builder.grow_threads(columns_.size());
    if (test_.threads.size() > columns_.size()) {
      cursor.fail_at(at, fmt::format("the initial state names thread {}, the program has {} columns",
                                     test_.threads.size() - 1, columns_.size()));
    }
    while (!at_condition(cursor)) row(cursor, builder);
  }

  void columns(TextCursor& cursor) {
    do {
      cursor.skip_blanks();
      const std::size_t at = cursor.offset();
      const std::optional<Value> n = cursor.accept('P') ? cursor.number() : std::nullopt;
      if (!n || *n < 0 || *n > 63) {
        cursor.move_to(at);
        cursor.fail("expected the columns of the program: P0 | P1 ;");
      }
      for (const unsigned other : columns_) {
        if (other == static_cast<unsigned>(*n)) cursor.fail_at(at, fmt::format("P{} has two columns", *n));
      }
      columns_.push_back(static_cast<unsigned>(*n));
    } while (cursor.accept('|'));
    cursor.expect(';', "or '|' behind a column");
    for (const unsigned thread : columns_) {
      if (thread >= columns_.size()) {
        cursor.fail_at(cursor.offset() - 1, fmt::format("P{} stands among {} columns; expected P0 to P{}",
                                                        thread, columns_.size(), columns_.size() - 1));
      }
    }
  }

  void row(TextCursor& cursor, TestBuilder& builder) {
    const std::size_t end = text_.find(';', cursor.offset());
    if (end == std::string::npos) {
      cursor.fail("expected ';' at the end of a row, or exists, ~exists, forall, final, locations, filter");
    }
    std::size_t column = 0;
    std::size_t begin = cursor.offset();
    while (true) {
      const std::size_t bar = std::min(text_.find('|', begin), end);
      if (column == columns_.size()) {
        cursor.fail_at(begin,
                       fmt::format("the row has more cells than the program's {} columns", columns_.size()));
      }
      cell(begin, bar, columns_[column], builder);
      ++column;
      if (bar == end) break;
      begin = bar + 1;
    }
    cursor.move_to(end + 1);
  }

  void cell(std::size_t begin, std::size_t end, unsigned thread, TestBuilder& builder) {
    TextCursor cell(file_, text_, begin, end);
    while (!cell.at_end()) {
      const std::size_t at = cell.offset();
      const std::string_view word = cell.name(".");
      if (!word.empty() && cell.accept(':')) {
        builder.label(cell, thread, word, at);
        continue;
      }
      cell.move_to(at);
      builder.begin_instruction(thread, source(at, end));
      architecture_->instruction(cell, builder, thread);
      if (!cell.at_end()) cell.fail("expected '|' or ';' behind the instruction");
    }
  }

  SourceLine source(std::size_t at, std::size_t end) {
    for (; counted_ < at; ++counted_) {
      if (text_[counted_] == '\n') {
        ++line_;
        line_begin_ = counted_ + 1;
      }
    }
    while (end > at && TextCursor::is_blank(text_[end - 1])) --end;
    std::string text;
    for (std::size_t c = at; c < end; ++c) {  // runs of blanks as one
      const bool blank = TextCursor::is_blank(text_[c]);
      if (!blank || text.back() != ' ') text += blank ? ' ' : text_[c];
    }
    return {std::move(text), line_, at - line_begin_ + 1};
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
              {file_, at.line, at.column},
              fmt::format("'{}' uses an address that is no location's; each access must be of a whole "
                          "location (mixed sizes are not modelled)",
                          at.text));
        }
        const Location& location = test_.locations[static_cast<std::size_t>(l)];
        if (may_write(i.op) && i.width < location.width && location.width > 4) {
          throw bad_input(
              {file_, at.line, at.column},
              fmt::format("'{}' stores {} of the {} bytes of {}; each access must be of a whole location "
                          "(mixed sizes are not modelled)",
                          at.text, i.width, location.width, location.name));
        }
      }
    }
  }

  const std::string& file_;
  std::string text_;
  const Architecture* architecture_ = nullptr;
  Test test_;
  std::vector<unsigned> columns_;
  std::size_t counted_ = 0;
  std::size_t line_begin_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

Test read_test(const std::string& file, std::string_view text) { return TestReader(file, text).read(); }

}  // namespace mesim::litmus
