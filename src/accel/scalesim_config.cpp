#include "accel/scalesim_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

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
                        fmt::format("found '{}', expected 'key : value' or '[section]'", line));
      }
      set(lower(trimmed(line.substr(0, separator))), trimmed(line.substr(separator + 1)));
    }
    if (!seen_array_)
      throw bad_input({path_}, "no ArrayHeight or ArrayWidth, expected a configuration of SCALE-Sim");
    if (user_) {
      config_.dma.memory = "bandwidth";
      if (bandwidth_ != 0) config_.dma.read_bytes_per_cycle = config_.dma.write_bytes_per_cycle = bandwidth_;
    } else {
      config_.dma.memory = "ideal";
    }
    return std::move(config_);
  }

 private:
  void set(const std::string& key, const std::string& value) {
    if (key == "arrayheight") {
      config_.rows = static_cast<std::uint32_t>(number(value, 65536));
      seen_array_ = true;
    } else if (key == "arraywidth") {
      config_.columns = static_cast<std::uint32_t>(number(value, 65536));
      seen_array_ = true;
    } else if (key == "ifmapsramszkb") {
      config_.sram.ifmap_bytes = kilobytes(value);
    } else if (key == "filtersramszkb") {
      config_.sram.filter_bytes = kilobytes(value);
    } else if (key == "ofmapsramszkb") {
      config_.sram.ofmap_bytes = kilobytes(value);
    } else if (key == "dataflow") {
      config_.dataflow = one_of(value, {"os", "ws", "is"});
    } else if (key == "bandwidth") {
      // One for each interface, or one for all.
      bandwidth_ = static_cast<double>(number(value.substr(0, value.find(',')), 1'000'000));
    } else if (key == "interfacebandwidth") {
      user_ = one_of(value, {"calc", "user"}) == "user";
    }
  }

  std::uint64_t kilobytes(const std::string& value) const { return number(value, 64 * 1024 * 1024) * KiB; }

  std::uint64_t number(const std::string& text, std::uint64_t most) const {
    const std::string digits = trimmed(text);
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault != std::errc() || end != digits.data() + digits.size() || value == 0 || value > most) {
      throw bad_input({path_, line_, 1},
                      fmt::format("found '{}', expected a number from 1 to {}", text, most));
    }
    return value;
  }

  std::string one_of(const std::string& value, const std::vector<std::string>& names) const {
    const std::string word = lower(value);
    if (std::find(names.begin(), names.end(), word) != names.end()) return word;
    throw bad_input({path_, line_, 1}, fmt::format("found '{}', expected one of {}{}", value,
                                                   fmt::join(names, ", "), did_you_mean(word, names)));
  }

  AcceleratorConfig config_;
  std::string path_;
  std::uint64_t line_ = 0;
  double bandwidth_ = 0;
  bool user_ = false;
  bool seen_array_ = false;
};

}  // namespace

AcceleratorConfig parse_scalesim_config(AcceleratorConfig config, const std::string& text,
                                        const std::string& path) {
  return Reader(std::move(config), path).read(text);
}

AcceleratorConfig with_scalesim_config(AcceleratorConfig config, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw file_error(path, "cannot be opened", errno);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_scalesim_config(std::move(config), text.str(), path);
}

}  // namespace mesim::accel
