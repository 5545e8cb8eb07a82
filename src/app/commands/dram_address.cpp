// mesim dram decode CONFIG ADDRESS ...; mesim dram encode CONFIG FIELD=NUMBER ...
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/simulation.hpp"
#include "memory/dram/address_map.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> words;
};

constexpr std::array<const char*, 7> field_names = {"channel", "pseudo", "rank",  "group",
                                                    "bank",    "row",    "column"};
using Place = std::array<std::uint32_t, field_names.size()>;

std::uint64_t number_of(const std::string& text) {
  const bool hex = text.starts_with("0x");
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc{} || stop != end)
    throw bad_input({"mesim dram"}, fmt::format("found '{}', expected a number", text));
  return value;
}

Place place_of(const dram::Location& at, const dram::Geometry& g) {
  return {at.channel,
          g.pseudo_of(at.bank),
          g.rank_of(at.bank) % g.ranks,
          g.group_of(at.bank) % g.groups,
          at.bank % g.banks_per_group,
          at.row,
          at.column};
}

dram::AddressMap map_of(const Options& options, std::vector<std::string>& words) {
  // Overrides have a dot in their path, as memory.preset=hbm3.
  std::vector<std::string> overrides;
  for (const std::string& word : options.words) {
    (word.find('.') < word.find('=') && word.find('=') != std::string::npos ? overrides : words)
        .push_back(word);
  }
  return dram::AddressMap(read_system_config(options.config, overrides).memory, options.config);
}

Exit decode(const Options& options, Output& out) {
  std::vector<std::string> addresses;
  const dram::AddressMap map = map_of(options, addresses);
  for (const std::string& text : addresses) {
    const Place place = place_of(map.decode(number_of(text)), map.geometry());
    out.print("{}", text);
    for (std::size_t i = 0; i < place.size(); ++i) out.print(" {}={}", field_names[i], place[i]);
    out.print("\n");
  }
  return Exit::ok;
}

Exit encode(const Options& options, Output& out) {
  std::vector<std::string> fields;
  const dram::AddressMap map = map_of(options, fields);
  const dram::Geometry& g = map.geometry();
  Place place{};
  const Place sizes = {map.channels(), g.pseudo_channels, g.ranks, g.groups, g.banks_per_group,
                       g.rows,         g.bursts};
  for (const std::string& text : fields) {
    const std::string name = text.substr(0, text.find('='));
    const auto found = std::find(field_names.begin(), field_names.end(), name);
    if (found == field_names.end() || text.find('=') == std::string::npos) {
      const std::vector<std::string> known(field_names.begin(), field_names.end());
      throw bad_input({"mesim dram encode"},
                      fmt::format("found '{}', expected FIELD=NUMBER{}", text, did_you_mean(name, known)));
    }
    const auto index = static_cast<std::size_t>(found - field_names.begin());
    const std::uint64_t value = number_of(text.substr(text.find('=') + 1));
    if (value >= sizes[index]) {
      throw bad_input({"mesim dram encode"},
                      fmt::format("found {}, expected {} below {}", text, name, sizes[index]));
    }
    place[index] = static_cast<std::uint32_t>(value);
  }
  dram::Location at;
  at.channel = place[0];
  at.bank = static_cast<std::uint8_t>(
      ((place[1] * g.ranks + place[2]) * g.groups + place[3]) * g.banks_per_group + place[4]);
  at.row = place[5];
  at.column = place[6];
  out.print("{:#x}\n", map.encode(at));
  return Exit::ok;
}

}  // namespace

Command dram_decode_command() {
  return {"dram decode",
          "show where addresses lie in a DRAM",
          {"mesim dram decode configs/validation/dram.json 0x12340 memory.preset=hbm3"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("CONFIG", options->config, "a config whose memory is DRAM");
            arguments.positionals("ADDRESS", options->words, 1,
                                  "addresses, and overrides of the config's keys");
            return [options](Output& out) { return decode(*options, out); };
          },
          "Columns are counted in bursts."};
}

Command dram_encode_command() {
  return {"dram encode",
          "show the address of a place in a DRAM",
          {"mesim dram encode configs/validation/dram.json row=7 bank=1 group=2 memory.mapping=B"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("CONFIG", options->config, "a config whose memory is DRAM");
            arguments.positionals(
                "FIELD=NUMBER", options->words, 0,
                "channel, pseudo, rank, group, bank, row, column (0 where not given), and overrides");
            return [options](Output& out) { return encode(*options, out); };
          },
          "Columns are counted in bursts."};
}

}  // namespace mesim
