#include "accel/scalesim_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "sim/error.hpp"
#include "sim/json_document.hpp"
#include "sim/nearest.hpp"
#include "traces/printable.hpp"

namespace mesim::accel {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Of what may be no text at all.
std::string quoted(const std::string& text) { return printable(shown(text)); }

class Reader {
 public:
  Reader(AcceleratorConfig config, std::string path) : config_(std::move(config)), path_(std::move(path)) {}

  AcceleratorConfig read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      line = trimmed(line);
      if (line.empty() || line[0] == '#' || line[0] == ';' || line[0] == '[') continue;
      const auto separator = line.find_first_of(":=");
      if (separator == std::string::npos) {
        throw bad_input({path_, line_, 1},
                        fmt::format("found '{}', expected 'key : value' or '[section]'", quoted(line)));
      }
      set(lower(trimmed(line.substr(0, separator))), trimmed(line.substr(separator + 1)));
    }
    if (seen_.count("arrayheight") + seen_.count("arraywidth") == 0)
      throw bad_input({path_}, "no ArrayHeight or ArrayWidth, expected a configuration of SCALE-Sim");
    if (dram_) {
      config_.dma.memory = "dram";
    } else if (user_) {
      config_.dma.memory = "bandwidth";
      if (read_words_ != 0) config_.dma.read_bytes_per_cycle = read_words_;
      if (write_words_ != 0) config_.dma.write_bytes_per_cycle = write_words_;
    } else {
      config_.dma.memory = "ideal";
    }
    set_sparsity();
    return std::move(config_);
  }

 private:
  void set(const std::string& key, const std::string& value) {
    if (!seen_.insert(key).second) {
      throw bad_input({path_, line_, 1},
                      fmt::format("the key '{}' for the second time, expected it once", quoted(key)));
    }
    if (key == "arrayheight") {
      config_.rows = static_cast<std::uint32_t>(number(value, 65536));
    } else if (key == "arraywidth") {
      config_.columns = static_cast<std::uint32_t>(number(value, 65536));
    } else if (key == "ifmapsramszkb") {
      config_.sram.ifmap_bytes = kilobytes(value);
    } else if (key == "filtersramszkb") {
      config_.sram.filter_bytes = kilobytes(value);
    } else if (key == "ofmapsramszkb") {
      config_.sram.ofmap_bytes = kilobytes(value);
    } else if (key == "dataflow") {
      config_.dataflow = one_of(value, {"os", "ws", "is"});
    } else if (key == "bandwidth") {
      bandwidths(value);
    } else if (key == "interfacebandwidth") {
      user_ = one_of(value, {"calc", "user"}) == "user";
    } else if (key == "readrequestbuffer") {
      config_.dma.outstanding =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(number(value, 1 << 30), 1024));
    } else if (key == "useramulatortrace") {
      dram_ = one_of(value, {"true", "false"}) == "true";
    } else if (key == "optimizedmapping") {
      rows_of_their_own_ = one_of(value, {"true", "false"}) == "true";
    } else if (key == "sparsitysupport") {
      sparse_ = one_of(value, {"true", "false"}) == "true";
    } else if (key == "blocksize") {
      block_line_ = line_;
      block_ = number(value, 1024, 0);
    } else {
      look_at(key, value);
    }
  }

  // Without a word of it, what a topology says of its layers holds. OptimizedMapping: each filter keeps a
  // number of its own of every block, at most half (README_Sparsity.md; scalesim/compute/operand_matrix.py).
  void set_sparsity() {
    if (!sparse_) return;
    config_.sparsity = !*sparse_ ? "none" : rows_of_their_own_ ? "row" : "layer";
    if (config_.sparsity != "row") return;
    if (config_.dataflow != "ws") {
      throw bad_input({path_},
                      fmt::format("OptimizedMapping with the dataflow {}, expected ws: only weights that "
                                  "stay in the array leave rows out",
                                  config_.dataflow));
    }
    if (block_ == 0) throw bad_input({path_}, "OptimizedMapping is true, expected a BlockSize with it");
    if (block_ % 2 != 0 || block_ > config_.rows) {
      throw bad_input(
          {path_, block_line_, 1},
          fmt::format("found a BlockSize of {}, expected an even number of at most the array's {} rows",
                      block_, config_.rows));
    }
    config_.sparsity_block = static_cast<std::uint32_t>(block_);
  }

  // What is checked but changes nothing: where SCALE-Sim puts its traces and how it lays out its buffers.
  void look_at(const std::string& key, const std::string& value) const {
    static const std::vector<std::string> flags = {"ifmapcustomlayout", "filtercustomlayout",
                                                   "ofmapcustomlayout"};
    static const std::vector<std::string> numbers = {"ifmapoffset",
                                                     "filteroffset",
                                                     "ofmapoffset",
                                                     "writerequestbuffer",
                                                     "memorybanks",
                                                     "ifmapsrambanknum",
                                                     "ifmapsrambankport",
                                                     "ifmapsrambankbandwidth",
                                                     "filtersrambanknum",
                                                     "filtersrambankport",
                                                     "filtersrambankbandwidth",
                                                     "ofmapsrambanknum",
                                                     "ofmapsrambankport",
                                                     "ofmapsrambankbandwidth",
                                                     "randomnumbergeneratorseed"};
    static const std::vector<std::string> others = {
        "arrayheight", "arraywidth",         "ifmapsramszkb",     "filtersramszkb",    "ofmapsramszkb",
        "dataflow",    "interfacebandwidth", "readrequestbuffer", "useramulatortrace", "optimizedmapping",
        "bandwidth",   "run_name",           "sparserep",         "sparsitysupport",   "blocksize"};
    const auto among = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), key) != names.end();
    };
    if (among(flags)) {
      one_of(value, {"true", "false"});
    } else if (among(numbers)) {
      // Offsets are words, of any size.
      number(value, std::numeric_limits<std::int64_t>::max(), 0);
    } else if (key == "sparserep") {
      one_of(value, {"csr", "csc", "ellpack_block"});
    } else if (!among(others)) {
      std::vector<std::string> known = others;
      known.insert(known.end(), flags.begin(), flags.end());
      known.insert(known.end(), numbers.begin(), numbers.end());
      // Others have keys of their own, which are theirs; a misspelt one is not.
      const auto near = nearest_name(key, known);
      if (near && std::max(key.size(), near->size()) - std::min(key.size(), near->size()) <= 2) {
        throw bad_input({path_, line_, 1},
                        fmt::format("found the key '{}'{}", quoted(key), did_you_mean(key, known)));
      }
    }
  }

  // Words a cycle: one for all interfaces, or one for each of inputs, filters and results.
  void bandwidths(const std::string& value) {
    std::vector<double> words;
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      words.push_back(static_cast<double>(number(value.substr(at, end - at), 1'000'000)));
      at = end + 1;
    }
    read_words_ = words.front();
    write_words_ = words.back();
  }

  std::uint64_t kilobytes(const std::string& value) const { return number(value, 64 * 1024 * 1024) * KiB; }

  std::uint64_t number(const std::string& text, std::uint64_t most, std::uint64_t least = 1) const {
    const std::string digits = trimmed(text);
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size() || value < least || value > most) {
      throw bad_input({path_, line_, 1},
                      fmt::format("found '{}', expected a number from {} to {}", quoted(text), least, most));
    }
    return value;
  }

  std::string one_of(const std::string& value, const std::vector<std::string>& names) const {
    const std::string word = lower(value);
    if (std::find(names.begin(), names.end(), word) != names.end()) return word;
    throw bad_input({path_, line_, 1}, fmt::format("found '{}', expected one of {}{}", quoted(value),
                                                   fmt::join(names, ", "), did_you_mean(word, names)));
  }

  AcceleratorConfig config_;
  std::string path_;
  std::uint64_t line_ = 0;
  std::set<std::string> seen_;  // keys
  double read_words_ = 0;
  double write_words_ = 0;
  std::optional<bool> sparse_;
  bool rows_of_their_own_ = false;
  std::uint64_t block_ = 0;
  std::uint64_t block_line_ = 0;
  bool user_ = false;
  bool dram_ = false;
};

}  // namespace

AcceleratorConfig parse_scalesim_config(AcceleratorConfig config, const std::string& text,
                                        const std::string& path) {
  return Reader(std::move(config), path).read(text);
}

AcceleratorConfig with_scalesim_config(AcceleratorConfig config, const std::string& path) {
  constexpr std::size_t most_bytes = 1 << 20;
  return parse_scalesim_config(std::move(config), read_json_file(path, most_bytes), path);
}

}  // namespace mesim::accel
