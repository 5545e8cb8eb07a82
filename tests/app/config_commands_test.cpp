#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/config_description.hpp"
#include "sim/config_reader.hpp"
#include "sim/config_schema.hpp"
#include "sim/config_writer.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"
#include "system/config.hpp"
#include "tests/app/mesim_process.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::test;
using Catch::Matchers::Contains;
using mesim::SystemConfig;

namespace {

const std::string source = MESIM_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::vector<std::string> shipped_configs() {
  return lines_of(
      run_shell("find configs -name '*.json' -not -path 'configs/presets/*' -not -path 'configs/schema/*'"
                " -not -path 'configs/sweeps/*' -not -path 'configs/exercises/*' | sort",
                source)
          .out);
}

}  // namespace

TEST_CASE("the committed schemas are those that the program prints") {
  INFO(
      "after a change of a config struct or a new preset: build/release/mesim config schema > "
      "configs/schema/mesim.schema.json (--of sweep: sweep.schema.json, --of exercise: "
      "exercise.schema.json)");
  const auto same = [](const std::string& kind, const std::string& file) {
    return run_mesim({"config", "schema", "--of", kind}).out == read_file(source + "/configs/schema/" + file);
  };
  CHECK(same("run", "mesim.schema.json"));
  CHECK(same("sweep", "sweep.schema.json"));
  CHECK(same("exercise", "exercise.schema.json"));
}

TEST_CASE("every shipped config is right, and its resolved form reads back the same") {
  const TemporaryFolder folder;
  for (const auto& config : shipped_configs()) {
    INFO(config);
    CHECK(run_mesim({"config", "check", config}, source).out == config + ": ok\n");
    const auto shown = run_mesim({"config", "show", config}, source);
    const std::string again = folder.write("again.json", shown.out);
    CHECK(run_mesim({"config", "show", again}).out == shown.out);
  }
}

TEST_CASE("every shipped preset is named by a command and its file is an object") {
  const auto listed = nlohmann::json::parse(run_mesim({"presets", "--json"}).out);
  std::size_t count = 0;
  for (const auto& [kind, names] : listed.items()) {
    for (const auto& [name, about] : names.items()) {
      ++count;
      INFO(kind << "/" << name);
      CHECK(run_shell("test -f configs/presets/" + kind + "/" + name + ".json", source).status == 0);
    }
  }
  CHECK(count > 0);
  CHECK_THAT(run_mesim({"presets"}).out, Contains("technology\n  "));
}

TEST_CASE("config show resolves overrides and config diff lists what differs") {
  const TemporaryFolder folder;
  const auto a = folder.write("a.json", R"({"include": "base.json", "l1d": {"ways": 4}})");
  folder.write("base.json", R"({"l1d": {"ways": 2, "size_bytes": "16K"}, "seed": 7})");
  const auto b = folder.write("b.json", R"({"l1d": {"ways": 4}, "expect": [{"at": "/x", "equals": 1}]})");
  const auto shown = nlohmann::json::parse(run_mesim({"config", "show", a, "cores.count=2"}).out);
  CHECK(shown["l1d"]["ways"] == 4);
  CHECK(shown["l1d"]["size_bytes"] == 16384);
  CHECK(shown["seed"] == 7);
  CHECK(shown["cores"]["count"] == 2);
  const auto diff = run_mesim({"config", "diff", a, b});
  CHECK(diff.status == 0);
  CHECK_THAT(diff.out, Contains("/seed: 7 -> 1\n") && Contains("/l1d/size_bytes: 16384 -> 32768\n") &&
                           Contains("/expect/0/at: none -> \"/x\"\n") && !Contains("ways"));
  CHECK(nlohmann::json::parse(run_mesim({"config", "diff", a, b, "--json"}).out)[0]["at"] == "/seed");
  CHECK(run_mesim({"config", "diff", a, a}).out.empty());
}

TEST_CASE("layers stand over each other: preset, include, file, command line") {
  const TemporaryFolder folder;
  folder.write(
      "low.json",
      R"({"preset": "horowitz-45nm", "process": "low", "tile_mm": 1, "bus_address_bits": 1, "dram_access": {"pj": 1, "source": "low"}})");
  folder.write("preset.json", R"({"preset": "./low.json", "tile_mm": 2, "bus_address_bits": 2})");
  folder.write(
      "include.json",
      R"({"technology": {"preset": "./preset.json", "bus_address_bits": 3, "dram_access": {"pj": 3}}})");
  const auto file =
      folder.write("file.json", R"({"include": ["include.json"], "technology": {"dram_access": {"pj": 4}}})");
  const auto shown = nlohmann::json::parse(
      run_mesim({"config", "show", file, "technology.core.load.pj=5"}).out)["technology"];
  CHECK(shown["preset"] == "./preset.json");
  CHECK(shown["process"] == "low");
  CHECK(shown["tile_mm"] == 2);
  CHECK(shown["bus_address_bits"] == 3);
  CHECK(shown["dram_access"]["pj"] == 4);
  CHECK(shown["dram_access"]["source"] == "low");
  CHECK(shown["core"]["load"]["pj"] == 5);
}

TEST_CASE("commands find the presets from any working directory") {
  const TemporaryFolder folder;
  const auto config = folder.write("c.json", R"({"technology": {"preset": "horowitz-45nm"}})");
  CHECK(run_mesim({"config", "check", config}, "/").status == 0);
  CHECK(run_shell("MESIM_CONFIGS=/nowhere \"$MESIM\" config check " + config, "/").status != 0);
}

// A schema that accepts what the reader refuses, or the reverse, would mislead an editor. Rules between
// fields, files and what JSON parsers differ in (duplicate keys, comments, 8.0 for 8) are beyond a schema.
TEST_CASE("schema and reader agree on single wrong values") {
  if (run_shell("python3 -c 'import jsonschema'").status != 0) {
    note_skipped();  // python3-jsonschema is not installed
    return;
  }
  const TemporaryFolder folder;
  const auto root = mesim::describe_config<SystemConfig>();
  const std::vector<std::string> values = {"-1",   "0",    "1",    "3",           "64",         "2.5",
                                           "true", "null", "\"\"", "\"lru\"",     "\"4K\"",     "[]",
                                           "[1]",  "{}",   "[{}]", "{\"zz\": 1}", "99999999999"};
  nlohmann::json cases = nlohmann::json::array();
  for (const auto& [path, field] : mesim::paths_of(root)) {
    if (path.find(".0.") != std::string::npos) continue;
    for (const auto& value : values) {
      nlohmann::json config = nlohmann::json::parse(value);
      std::string rest = path;
      while (!rest.empty()) {
        const auto dot = rest.rfind('.');
        config = {{dot == std::string::npos ? rest : rest.substr(dot + 1), config}};
        rest = dot == std::string::npos ? "" : rest.substr(0, dot);
      }
      std::string fault;
      try {
        mesim::read_config<SystemConfig>({"c.json", {}, config.dump()});
      } catch (const mesim::Error& error) {
        fault = error.what();
      }
      const bool by_value = fault.empty() || fault.find("found") != std::string::npos ||
                            fault.find("unknown key") != std::string::npos;
      const bool by_file = fault.find("/preset") != std::string::npos;
      if (by_value && !by_file) cases.push_back({{"config", config}, {"right", fault.empty()}});
    }
  }
  const auto file = folder.write("cases.json", cases.dump());
  const auto checked = run_shell(
      "\"$MESIM\" config schema > schema.json && python3 - <<'END'\n"
      "import json, jsonschema\n"
      "schema = json.load(open('schema.json'))\n"
      "jsonschema.Draft7Validator.check_schema(schema)\n"
      "validator = jsonschema.Draft7Validator(schema)\n"
      "for case in json.load(open('cases.json')):\n"
      "    if validator.is_valid(case['config']) != case['right']:\n"
      "        print('reader says', case['right'], 'of', case['config'])\n"
      "END",
      folder.path());
  CHECK(cases.size() > 300);
  CHECK(checked.status == 0);
  CHECK(checked.err == "");
  CHECK(checked.out == "");
}

// One edit: a letter left out, doubled, replaced, or two swapped.
TEST_CASE("nine of ten misspelt keys get the right suggestion") {
  const auto root = mesim::describe_config<SystemConfig>();
  mesim::Random random(1);
  std::size_t asked = 0;
  std::size_t right = 0;
  for (const auto& [path, field] : mesim::paths_of(root)) {
    if (path.find(".0.") != std::string::npos) continue;
    const std::string key = field->key;
    const std::string parent = path.substr(0, path.size() - key.size());
    for (int edit = 0; edit < 12; ++edit) {
      std::string typo = key;
      const std::size_t at = random.below(typo.size());
      const char letter = static_cast<char>('a' + random.below(26));
      if (edit % 4 == 0) typo.erase(at, 1);
      if (edit % 4 == 1) typo.insert(at, 1, letter);
      if (edit % 4 == 2) typo[at] = letter;
      if (edit % 4 == 3 && at + 1 < typo.size()) std::swap(typo[at], typo[at + 1]);
      if (typo == key || typo.empty()) continue;
      try {
        mesim::read_config<SystemConfig>({"", {parent + typo + "=1"}, {}});
      } catch (const mesim::Error& error) {
        ++asked;
        if (std::string(error.what()).find("did you mean '" + key + "'?") != std::string::npos) ++right;
      }
    }
  }
  INFO(right << " of " << asked);
  CHECK(asked > 300);
  CHECK(right * 10 >= asked * 9);
}

// Whatever is done to a config, only an Error with a place may come of it.
TEST_CASE("configs with random damage are read or refused, never worse") {
  std::vector<std::string> seeds = {mesim::pretty_json(mesim::write_config(SystemConfig{}))};
  for (const auto& config : shipped_configs()) seeds.push_back(read_file(source + "/" + config));
  const std::string alphabet = "{}[]\",:/*\\0123456789-+.eE \n\tnulltruefalseKM\xFF\x80_az";
  mesim::Random random(2);
  std::size_t refused = 0;
  const int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = seeds[random.below(seeds.size())];
    const std::uint64_t edits = 1 + random.below(4);
    for (std::uint64_t edit = 0; edit < edits && !text.empty(); ++edit) {
      const std::size_t at = random.below(text.size());
      switch (random.below(5)) {
        case 0:
          text[at] = alphabet[random.below(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[random.below(alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + random.below(8));
          break;
        case 3:
          text.insert(at, text.substr(random.below(text.size()), random.below(32)));
          break;
        default:
          text.resize(at);
          break;
      }
    }
    try {
      mesim::read_config<SystemConfig>({"fuzz.json", {}, text});
    } catch (const mesim::Error& error) {
      ++refused;
      const bool placed = std::string(error.what()).find(".json") != std::string::npos;
      if (!placed) FAIL(error.what());
      if (error.status() == mesim::Exit::internal) FAIL(error.what());
    }
  }
  CHECK(refused > rounds / 4);
  CHECK(refused < rounds);
}
