#include "memory/checker/dram_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "sim/error.hpp"

namespace mesim::dram_check {
namespace {

struct Name {
  std::string_view text;
  Op op;
};

// Lower case; the first of an op is the one that we write.
constexpr std::array names = {
    Name{"act", Op::act},
    Name{"rd", Op::rd},
    Name{"rda", Op::rda},
    Name{"wr", Op::wr},
    Name{"wra", Op::wra},
    Name{"pre", Op::pre},
    Name{"prea", Op::prea},
    Name{"ref", Op::ref},
    Name{"refb", Op::refb},
    Name{"pde", Op::pde},
    Name{"pdx", Op::pdx},
    Name{"sre", Op::sre},
    Name{"srx", Op::srx},
    Name{"activate", Op::act},
    Name{"read", Op::rd},
    Name{"read_p", Op::rda},
    Name{"write", Op::wr},
    Name{"write_p", Op::wra},
    Name{"precharge", Op::pre},
    Name{"refresh", Op::ref},
    Name{"refresh_bank", Op::refb},
    Name{"self_refresh_enter", Op::sre},
    Name{"self_refresh_exit", Op::srx},
    Name{"prepb", Op::pre},
    Name{"preab", Op::prea},
    Name{"refab", Op::ref},
    Name{"refpb", Op::refb},
    Name{"refsb", Op::refb},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& path) : text_(text), path_(path) {}

  std::vector<DramCommand> read() {
    std::istringstream in(text_);
    std::string line;
    while (std::getline(in, line)) {
      ++line_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty() || line[0] == '#') continue;
      const auto words = split(line);
      if (words.empty()) continue;
      if (columns_.empty() && !is_number(words[0])) {
        for (const auto& word : words) columns_.push_back(lower(word));
        continue;
      }
      commands_.push_back(columns_.empty() ? positional(words) : by_header(words));
    }
    return std::move(commands_);
  }

 private:
  static bool is_number(const std::string& word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

  std::vector<std::string> split(const std::string& line) const {
    std::vector<std::string> words;
    const bool commas = line.find(',') != std::string::npos;
    std::string word;
    std::istringstream in(line);
    if (commas) {
      while (std::getline(in, word, ',')) words.push_back(word);
    } else {
      while (in >> word) words.push_back(word);
    }
    return words;
  }

  [[noreturn]] void wrong(const std::string& message) const { throw bad_input({path_, line_}, message); }

  std::uint64_t number(const std::string& word) const {
    const bool hex = word.starts_with("0x");
    std::uint64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
    if (error != std::errc{} || stop != end) wrong(fmt::format("found '{}', expected a number", word));
    return value;
  }
  // Ramulator leaves what a command does not name at -1.
  std::uint32_t place(const std::string& word) const {
    return word.empty() || word[0] == '-' ? 0 : static_cast<std::uint32_t>(number(word));
  }

  Op op(const std::string& word) const {
    const auto found = op_named(word);
    if (!found)
      wrong(
          fmt::format("found command '{}', expected ACT, RD, RDA, WR, WRA, PRE, PREA, REF, REFB ...", word));
    return *found;
  }

  DramCommand positional(const std::vector<std::string>& w) const {
    if (w.size() < 8)
      wrong(fmt::format("found {} words, expected 8: clock command channel rank group bank row column",
                        w.size()));
    return {number(w[0]), op(w[1]),    place(w[2]), 0,          place(w[3]),
            place(w[4]),  place(w[5]), place(w[6]), place(w[7])};
  }

  DramCommand by_header(const std::vector<std::string>& w) const {
    DramCommand out;
    for (std::size_t i = 0; i < std::min(w.size(), columns_.size()); ++i) {
      const std::string& column = columns_[i];
      if (column == "clock")
        out.at = number(w[i]);
      else if (column == "command")
        out.op = op(w[i]);
      else if (column == "channel")
        out.channel = place(w[i]);
      else if (column == "pseudo" || column == "pseudochannel")
        out.pseudo = place(w[i]);
      else if (column == "rank" || column == "sid" || column == "stackid")
        out.rank = place(w[i]);
      else if (column == "group" || column == "bankgroup")
        out.group = place(w[i]);
      else if (column == "bank")
        out.bank = place(w[i]);
      else if (column == "row")
        out.row = place(w[i]);
      else if (column == "column")
        out.column = place(w[i]);
    }
    return out;
  }

  const std::string& text_;
  const std::string& path_;
  std::uint64_t line_ = 0;
  std::vector<std::string> columns_;
  std::vector<DramCommand> commands_;
};

}  // namespace

std::optional<Op> op_named(std::string_view text) {
  const std::string name = lower(text);
  for (const Name& n : names) {
    if (n.text == name) return n.op;
  }
  return std::nullopt;
}

const char* name_of(Op op) {
  static constexpr std::array<const char*, op_count> shown = {
      "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF", "REFB", "PDE", "PDX", "SRE", "SRX"};
  return shown[static_cast<std::size_t>(op)];
}

std::vector<DramCommand> read_command_text(const std::string& text, const std::string& path) {
  return Reader(text, path).read();
}

std::vector<DramCommand> read_command_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw file_error(path, "cannot be opened", errno);
  std::ostringstream text;
  text << in.rdbuf();
  if (text.str().starts_with("SQLite format 3")) return read_dramsys_trace(path);
  auto commands = read_command_text(text.str(), path);
  if (commands.empty()) throw bad_input({path}, "holds no command; expected a trace of DRAM commands");
  return commands;
}

std::string command_trace_header() { return "clock,command,channel,pseudo,rank,group,bank,row,column\n"; }

std::string command_trace_line(const DramCommand& c) {
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", c.at, name_of(c.op), c.channel, c.pseudo, c.rank,
                     c.group, c.bank, c.row, c.column);
}

}  // namespace mesim::dram_check
