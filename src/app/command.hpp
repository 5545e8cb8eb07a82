// What a command of the `mesim` program is. Each stands in one file of commands/, declares its arguments and
// returns what to do once they are read; the command line itself (CLI11) is hidden in command_line.cpp.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/output.hpp"
#include "sim/error.hpp"
#include "sim/fields.hpp"

namespace mesim {

// Arguments of one command. `flags` are names as "-o,--out"; the variables keep their values, the defaults,
// when the user gives none, and must live until the command has run. Wrong values are refused with the rule.
class Arguments {
 public:
  virtual ~Arguments() = default;
  // Positional, in the order of declaration; `name` as in "CONFIG". Only the last may be optional or a list.
  virtual void positional(std::string_view name, std::string& value, std::string_view help) = 0;
  virtual void optional_positional(std::string_view name, std::string& value, std::string_view help) = 0;
  virtual void positionals(std::string_view name, std::vector<std::string>& values, std::size_t at_least,
                           std::string_view help) = 0;
  // `--out DIR`, where `meta` is "DIR".
  virtual void option(std::string_view flags, std::string& value, std::string_view meta,
                      std::string_view help) = 0;
  virtual void flag(std::string_view flags, bool& value, std::string_view help) = 0;
  virtual void integer(std::string_view flags, std::uint64_t& value, const IntegerRule& rule) = 0;
  virtual void number(std::string_view flags, double& value, const NumberRule& rule) = 0;
  virtual void choice(std::string_view flags, std::string& value, const std::vector<std::string>& names,
                      std::string_view help) = 0;
  // `--model sc,tso`: names between commas; the option may also be repeated. Empty `names` allow any.
  virtual void list(std::string_view flags, std::vector<std::string>& values,
                    const std::vector<std::string>& names, std::string_view meta, std::string_view help) = 0;
  // Everything behind `--`.
  virtual void after_dashes(std::string_view meta, std::vector<std::string>& values,
                            std::string_view help) = 0;
};

struct Command {
  // Does the work: the result to `out`, progress to stderr, faults thrown as Error.
  using Body = std::function<Exit(Output& out)>;

  std::string name;  // "run", or with its group "config check"
  std::string help;  // one line
  std::vector<std::string> examples;
  std::function<Body(Arguments&)> declare;
  std::string more = {};  // further text of --help
};

}  // namespace mesim
