#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "app/version.hpp"
#include "sim/config_layers.hpp"
#include "sim/config_scalars.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

Error usage_error(const std::string& place, const std::string& message) {
  return bad_input({place}, message);
}

// One command's arguments over its CLI11 app.
class DeclaredArguments : public Arguments {
 public:
  explicit DeclaredArguments(CLI::App& app) : app_(app) {}

  void positional(std::string_view name, std::string& value, std::string_view help) override {
    app_.add_option(std::string(name), value, std::string(help))->type_name("")->required();
  }
  void optional_positional(std::string_view name, std::string& value, std::string_view help) override {
    app_.add_option(std::string(name), value, std::string(help))->type_name("");
  }
  void positionals(std::string_view name, std::vector<std::string>& values, std::size_t at_least,
                   std::string_view help) override {
    auto* option = app_.add_option(std::string(name), values, std::string(help))->type_name("");
    if (at_least > 0) option->required()->expected(static_cast<int>(at_least), many);
  }
  void option(std::string_view flags, std::string& value, std::string_view meta,
              std::string_view help) override {
    app_.add_option(std::string(flags), value, std::string(help))->type_name(std::string(meta));
  }
  void flag(std::string_view flags, bool& value, std::string_view help) override {
    app_.add_flag(std::string(flags), value, std::string(help))->disable_flag_override();
  }
  void integer(std::string_view flags, std::uint64_t& value, const IntegerRule& rule) override {
    converted(flags, rule.unit == "bytes" ? "SIZE" : "N", fmt::format("{} [{}]", rule.help, value),
              [&value, rule](const JsonValue& given) { value = to_integer(given, "", rule); });
  }
  void number(std::string_view flags, double& value, const NumberRule& rule) override {
    converted(flags, "X", fmt::format("{} [{}]", rule.help, value),
              [&value, rule](const JsonValue& given) { value = to_number(given, "", rule); });
  }
  void choice(std::string_view flags, std::string& value, const std::vector<std::string>& names,
              std::string_view help) override {
    auto* option =
        converted(flags, fmt::format("{}", fmt::join(names, "|")), fmt::format("{} [{}]", help, value),
                  [&value, names](const JsonValue& given) { value = to_choice(given, "", names); });
    choices_[option] = names;
  }
  void list(std::string_view flags, std::vector<std::string>& values, const std::vector<std::string>& names,
            std::string_view meta, std::string_view help) override {
    const std::string label = long_name(flags);
    const auto read = [&values, names, label](const std::vector<std::string>& given) {
      values.clear();
      for (const auto& item : given) {
        values.push_back(names.empty() ? item
                                       : to_choice(command_line_value(label + "=" + item, item), "", names));
      }
    };
    auto* option =
        app_.add_option_function<std::vector<std::string>>(std::string(flags), read, std::string(help));
    option->type_name(std::string(meta))->delimiter(',')->allow_extra_args(false);
    choices_[option] = names;
  }
  void after_dashes(std::string_view meta, std::vector<std::string>& values, std::string_view help) override {
    rest_ = &values;
    rest_help_ = fmt::format("  -- {:<20} {}", meta, help);
  }

  std::vector<std::string>* rest() const { return rest_; }
  const std::string& rest_help() const { return rest_help_; }
  std::vector<std::string> choices_of(const CLI::Option* option) const {
    const auto found = choices_.find(option);
    return found == choices_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  static constexpr int many = 1 << 29;  // CLI11's own "any number"

  static std::string long_name(std::string_view flags) {
    const auto comma = flags.rfind(',');
    return std::string(comma == std::string_view::npos ? flags : flags.substr(comma + 1));
  }

  CLI::Option* converted(std::string_view flags, const std::string& meta, const std::string& help,
                         const std::function<void(const JsonValue&)>& convert) {
    const std::string label = long_name(flags);
    const auto read = [convert, label](const std::string& text) {
      convert(command_line_value(label + "=" + text, text));
    };
    return app_.add_option_function<std::string>(std::string(flags), read, help)->type_name(meta);
  }

  CLI::App& app_;
  std::vector<std::string>* rest_ = nullptr;
  std::string rest_help_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;  // looked up, never walked
};

struct DeclaredCommand {
  const Command* command;
  CLI::App* app;
  std::unique_ptr<DeclaredArguments> arguments;
  Command::Body body;
};

std::string group_help(const std::string& group) {
  static const std::map<std::string, std::string> help = {
      {"config", "check, show and explain configs"},
      {"dram", "write and check DRAM command traces, place addresses"},
      {"trace", "inspect, convert, replay and record traces"},
      {"exercise", "worked exercises with their answers"},
  };
  const auto found = help.find(group);
  return found == help.end() ? "commands of " + group : found->second;
}

// The program: one CLI11 app with an app for each command, groups ("config") in between.
class Program {
 public:
  explicit Program(std::vector<Command> all)
      : declared_(std::move(all)),
        app_("A cycle-level architecture simulator for caches, coherence and accelerators.", "mesim") {
    app_.set_version_flag("--version", version_text());
    app_.footer(
        "\nExamples:\n  mesim run configs/main.json l1d.size_bytes=8K\n"
        "  mesim compare configs/layer.json --vary accel.dataflow=os,ws,is\n"
        "  mesim litmus configs/litmus/sb.litmus --model sc,tso --explain\n\n"
        "`mesim COMMAND --help` explains a command.");
    for (const auto& command : declared_) add(command);
  }

  Exit run(std::vector<std::string> arguments, Output& out) {
    std::vector<std::string> rest;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    const bool has_rest = dashes != arguments.end();
    if (has_rest) {
      rest.assign(dashes + 1, arguments.end());
      arguments.erase(dashes, arguments.end());
    }
    check_command_names(arguments);
    try {
      std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
      app_.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      out.write(app_.help());
      return Exit::ok;
    } catch (const CLI::CallForVersion&) {
      out.write(version_text());
      return Exit::ok;
    } catch (const CLI::ExtrasError&) {
      throw unexpected(chosen_app());
    } catch (const CLI::ParseError& error) {
      throw usage_error(chosen_app().get_name().empty() ? "mesim" : full_name(chosen_app()), error.what());
    }
    for (auto& declared : commands_) {
      if (!declared.app->parsed() || !declared.app->get_subcommands().empty()) continue;
      if (has_rest && declared.arguments->rest() == nullptr) {
        throw usage_error(full_name(*declared.app), "found '--', which this command does not take");
      }
      if (has_rest) *declared.arguments->rest() = rest;
      const Exit status = declared.body(out);
      out.flush();
      return status;
    }
    throw usage_error("mesim", "found no command, expected one of " + names_below(app_));
  }

  CommandShape shape() const { return shape_of(app_); }

 private:
  void add(const Command& command) {
    CLI::App* parent = &app_;
    std::string name = command.name;
    if (const auto space = name.find(' '); space != std::string::npos) {
      const std::string group = name.substr(0, space);
      name.erase(0, space + 1);
      parent = child_of(app_, group);
      if (parent == nullptr) parent = app_.add_subcommand(group, group_help(group))->footer("\nExamples:");
      if (!is_command(*parent)) parent->footer(parent->get_footer() + "\n  " + command.examples.front());
    }
    CLI::App* app = parent->add_subcommand(name, command.help);
    auto arguments = std::make_unique<DeclaredArguments>(*app);
    auto body = command.declare(*arguments);
    std::string footer = arguments->rest_help().empty() ? "" : arguments->rest_help() + "\n\n";
    if (!command.more.empty()) footer += command.more + "\n\n";
    footer += command.examples.size() == 1 ? "Example:" : "Examples:";
    for (const auto& example : command.examples) footer += "\n  " + example;
    app->footer(footer);
    commands_.push_back({&command, app, std::move(arguments), std::move(body)});
  }

  static std::vector<CLI::App*> children_of(const CLI::App& app) {
    return const_cast<CLI::App&>(app).get_subcommands([](const CLI::App*) { return true; });
  }
  static CLI::App* child_of(const CLI::App& app, const std::string& name) {
    for (auto* child : children_of(app)) {
      if (child->get_name() == name) return child;
    }
    return nullptr;
  }
  static std::vector<std::string> names_of_children(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* child : children_of(app)) names.push_back(child->get_name());
    return names;
  }
  static std::string names_below(const CLI::App& app) {
    return fmt::format("{}", fmt::join(names_of_children(app), ", "));
  }

  // A group may be a command as well: `sweep FILE` beside `sweep status`.
  bool is_command(const CLI::App& app) const {
    return std::any_of(commands_.begin(), commands_.end(), [&](const auto& c) { return c.app == &app; });
  }

  // Before CLI11 sees them: it would call a misspelt command an unexpected argument.
  void check_command_names(const std::vector<std::string>& arguments) const {
    const CLI::App* app = &app_;
    std::string path = "mesim";
    for (std::size_t i = 0; !names_of_children(*app).empty(); ++i) {
      const auto names = names_of_children(*app);
      if (i == arguments.size()) {
        if (is_command(*app)) return;
        throw usage_error(path, "found no command, expected one of " + names_below(*app));
      }
      const std::string& word = arguments[i];
      if (word.starts_with("-")) return;
      const CLI::App* next = child_of(*app, word);
      if (next == nullptr && is_command(*app)) return;  // an argument of its own
      if (next == nullptr) {
        throw usage_error(path, fmt::format("found '{}', expected a command: {}{}", shown(word),
                                            names_below(*app), did_you_mean(word, names)));
      }
      app = next;
      path += " " + word;
    }
  }

  // The innermost command that the user named.
  const CLI::App& chosen_app() const {
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }
  std::string full_name(const CLI::App& app) const {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
  }

  Error unexpected(const CLI::App& app) const {
    const auto extras = app_.remaining(true);
    const std::string word = extras.empty() ? "" : extras.front();
    if (!word.starts_with("-")) {
      return usage_error(full_name(app),
                         fmt::format("found '{}', expected no further argument", shown(word)));
    }
    std::vector<std::string> names;
    for (const auto& option : shape_of(app).options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
    const std::string name = word.substr(0, word.find('='));
    return usage_error(full_name(app),
                       fmt::format("unknown option '{}'{}", shown(name), did_you_mean(name, names)));
  }

  CommandShape shape_of(const CLI::App& app) const {
    CommandShape shape;
    shape.path = app.get_parent() == nullptr ? "" : full_name(app).substr(std::string("mesim ").size());
    shape.help = app.get_description();
    const DeclaredArguments* arguments = nullptr;
    for (const auto& declared : commands_) {
      if (declared.app == &app) arguments = declared.arguments.get();
    }
    for (const auto* option : app.get_options()) {
      if (option->get_positional()) {
        shape.takes_files = true;
        shape.takes_overrides = shape.takes_overrides || option->get_name() == "PATH=VALUE";
        continue;
      }
      OptionShape one{{}, option->get_description(), option->get_items_expected_max() > 0};
      for (const auto& name : option->get_lnames()) one.names.push_back("--" + name);
      for (const auto& name : option->get_snames()) one.names.push_back("-" + name);
      if (arguments != nullptr) one.choices = arguments->choices_of(option);
      shape.options.push_back(std::move(one));
    }
    for (const auto* child : children_of(app)) shape.children.push_back(shape_of(*child));
    return shape;
  }

  std::vector<Command> declared_;
  CLI::App app_;
  std::vector<DeclaredCommand> commands_;
};

// The command whose name the arguments begin with; of two ("litmus", "litmus generate") the longer.
const Command* named_command(const std::vector<Command>& commands,
                             const std::vector<std::string>& arguments) {
  const Command* found = nullptr;
  for (const auto& command : commands) {
    const auto space = command.name.find(' ');
    const bool named = space == std::string::npos
                           ? !arguments.empty() && arguments[0] == command.name
                           : arguments.size() > 1 && arguments[0] == command.name.substr(0, space) &&
                                 arguments[1] == command.name.substr(space + 1);
    if (named && (found == nullptr || command.name.size() > found->name.size())) found = &command;
  }
  return found;
}

}  // namespace

Exit run_command_line(const std::vector<Command>& commands, const std::vector<std::string>& arguments,
                      Output& out) {
  // Declaring every command takes longer than many commands run: only the one that is named, if one is.
  if (const Command* named = named_command(commands, arguments)) return Program({*named}).run(arguments, out);
  return Program(commands).run(arguments, out);
}

CommandShape command_line_shape(const std::vector<Command>& commands) { return Program(commands).shape(); }

}  // namespace mesim
