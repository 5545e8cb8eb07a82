#include "memory/dram/request_trace.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "sim/error.hpp"

namespace mesim::dram {
namespace {

enum class Form { dramsim, ramulator, load_store, coordinates, simple_o3, player };

using Words = std::vector<std::string>;

// Blanks, commas, colons and brackets all part words; which of them stood there tells the form only once.
Words words_of(const std::string& line) {
  std::string spaced = line.substr(0, line.find('#'));
  for (char& c : spaced) {
    if (c == ',' || c == ':' || c == '(' || c == ')' || c == '[' || c == ']' || c == '\t' || c == '\r')
      c = ' ';
  }
  std::istringstream in(spaced);
  Words out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::optional<std::uint64_t> number(const std::string& word) {
  const bool hex = word.starts_with("0x") || word.starts_with("0X");
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (word == name) return true;
  }
  return false;
}

bool writes(const std::string& word) {
  return is_one_of(word, {"W", "ST", "WRITE", "write", "P_MEM_WR", "BOFF"});
}
bool is_direction(const std::string& word) {
  return writes(word) || is_one_of(word, {"R", "LD", "READ", "read", "P_MEM_RD", "P_FETCH"});
}

std::optional<Form> form_of(const std::string& line) {
  const Words w = words_of(line);
  if (w.size() < 2) return std::nullopt;
  if (line.find(':') != std::string::npos) {
    return number(w[0]) && (is_direction(w[1]) || (w.size() > 2 && is_direction(w[2])))
               ? std::optional(Form::player)
               : std::nullopt;
  }
  if (is_one_of(w[0], {"LD", "ST"}) && w.size() == 2) return Form::load_store;
  if (is_one_of(w[0], {"R", "W"}) && w.size() == 7) return Form::coordinates;
  if (w[0].starts_with("0x") && is_direction(w[1])) return w.size() == 3 ? Form::dramsim : Form::ramulator;
  const bool numbers = number(w[0]) && number(w[1]) && (w.size() == 2 || (w.size() == 3 && number(w[2])));
  return numbers && !w[0].starts_with("0x") ? std::optional(Form::simple_o3) : std::nullopt;
}

std::ifstream opened(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw file_error(path, "cannot be opened", errno);
  return in;
}

std::optional<Form> form_of_file(const std::string& path) {
  std::ifstream in = opened(path);
  for (std::string line; std::getline(in, line);) {
    if (line.size() > 200) return std::nullopt;  // not text
    if (!words_of(line).empty()) return form_of(line);
  }
  return std::nullopt;
}

class TraceSource final : public RequestSource {
 public:
  TraceSource(const std::string& path, Form form, const AddressMap& map)
      : path_(path), in_(opened(path)), form_(form), relative_(path.ends_with(".rstl")), map_(map) {}

  std::span<const MemoryAccess> next() override {
    buffer_.clear();
    for (std::string line; buffer_.size() < 256 && std::getline(in_, line);) {
      ++line_;
      const Words words = words_of(line);
      if (!words.empty()) read(words);
    }
    return buffer_;
  }

 private:
  [[noreturn]] void wrong(const char* expected) const {
    throw bad_input({path_, line_}, fmt::format("expected '{}'", expected));
  }
  std::uint64_t at(const Words& w, std::size_t index, const char* expected) const {
    const auto value = index < w.size() ? number(w[index]) : std::nullopt;
    if (!value) wrong(expected);
    return *value;
  }

  void add(std::uint64_t address, bool write, Cycles earliest = 0, std::uint32_t bytes = 64) {
    MemoryAccess access;
    access.address = address;
    access.write = write;
    access.earliest = earliest;
    access.bytes = bytes;
    buffer_.push_back(access);
  }

  void read(const Words& w) {
    switch (form_) {
      case Form::dramsim:
        if (w.size() < 3 || !is_direction(w[1])) wrong("0xADDRESS READ|WRITE CYCLE");
        add(at(w, 0, "0xADDRESS ..."), writes(w[1]), at(w, 2, "0xADDRESS READ|WRITE CYCLE"));
        break;
      case Form::ramulator:
        if (w.size() < 2 || !is_direction(w[1])) wrong("0xADDRESS R|W");
        add(at(w, 0, "0xADDRESS R|W"), writes(w[1]));
        break;
      case Form::load_store:
        if (!is_direction(w[0])) wrong("LD|ST ADDRESS");
        add(at(w, 1, "LD|ST ADDRESS"), writes(w[0]));
        break;
      case Form::coordinates:
        read_coordinates(w);
        break;
      case Form::simple_o3:
        now_ += at(w, 0, "BUBBLES LOAD [STORE]");
        add(at(w, 1, "BUBBLES LOAD [STORE]"), false, now_);
        if (w.size() > 2) add(at(w, 2, "BUBBLES LOAD [STORE]"), true, now_);
        break;
      case Form::player:
        read_player(w);
    }
  }

  void read_coordinates(const Words& w) {
    constexpr const char* wanted = "R|W CHANNEL,RANK,GROUP,BANK,ROW,COLUMN";
    if (!is_direction(w[0])) wrong(wanted);
    const Geometry& g = map_.geometry();
    const std::uint64_t rank = at(w, 2, wanted);
    const std::uint64_t group = at(w, 3, wanted);
    const std::uint64_t bank = at(w, 4, wanted);
    Location place;
    place.channel = static_cast<std::uint32_t>(at(w, 1, wanted));
    place.row = static_cast<std::uint32_t>(at(w, 5, wanted));
    place.column = static_cast<std::uint32_t>(at(w, 6, wanted));
    if (place.channel >= map_.channels() || rank >= g.all_ranks() || group >= g.groups ||
        bank >= g.banks_per_group || place.row >= g.rows || place.column >= g.bursts) {
      wrong("coordinates inside the memory, the column in bursts");
    }
    place.bank = static_cast<std::uint8_t>((rank * g.groups + group) * g.banks_per_group + bank);
    add(map_.encode(place), writes(w[0]), 0, g.burst_bytes);
  }

  void read_player(const Words& w) {
    constexpr const char* wanted = "CYCLE: [(BYTES)] read|write 0xADDRESS";
    const std::uint64_t cycle = at(w, 0, wanted);
    now_ = relative_ ? now_ + cycle : cycle;
    const bool sized = w.size() > 2 && !is_direction(w[1]);
    const std::size_t verb = sized ? 2 : 1;
    if (verb >= w.size() || !is_direction(w[verb])) wrong(wanted);
    const std::uint64_t bytes = sized ? at(w, 1, wanted) : 64;
    if (bytes == 0 || bytes > 1 << 20) wrong("1 to 1048576 bytes");
    add(at(w, verb + 1, wanted), writes(w[verb]), now_, static_cast<std::uint32_t>(bytes));
  }

  std::string path_;
  std::ifstream in_;
  Form form_;
  bool relative_;
  const AddressMap& map_;
  std::uint64_t line_ = 0;
  Cycles now_ = 0;
  std::vector<MemoryAccess> buffer_;
};

}  // namespace

bool is_request_trace(const std::string& path) { return form_of_file(path).has_value(); }

std::unique_ptr<RequestSource> request_trace(const std::string& path, const AddressMap& map) {
  const auto form = form_of_file(path);
  if (!form) throw bad_input({path, 1}, "expected a request trace of DRAMsim3, Ramulator or DRAMSys");
  return std::make_unique<TraceSource>(path, *form, map);
}

}  // namespace mesim::dram
