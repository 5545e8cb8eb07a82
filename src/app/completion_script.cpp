#include "app/completion_script.hpp"

#include <fmt/format.h>

#include <functional>

namespace mesim {
namespace {

void walk(const CommandShape& shape, const std::function<void(const CommandShape&)>& visit) {
  visit(shape);
  for (const auto& child : shape.children) walk(child, visit);
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }
std::string without_last_word(const std::string& path) {
  const auto space = path.rfind(' ');
  return space == std::string::npos ? "" : path.substr(0, space);
}

// In single quotes, for all three shells.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// The steps from one command to the next as patterns of a `case`: "/config" "config/check".
std::vector<std::string> steps(const CommandShape& program) {
  std::vector<std::string> patterns;
  walk(program, [&](const CommandShape& shape) {
    if (!shape.path.empty())
      patterns.push_back(quoted(without_last_word(shape.path) + "/" + last_word(shape.path)));
  });
  return patterns;
}

std::string names_of(const OptionShape& option, const std::string& path) {
  std::string patterns;
  for (const auto& name : option.names) {
    patterns += (patterns.empty() ? "" : "|") + quoted(path + ":" + name);
  }
  return patterns;
}

std::string bash_script(const CommandShape& program, const std::vector<std::string>& keys) {
  std::string values;
  std::string words;
  walk(program, [&](const CommandShape& shape) {
    std::string list;
    for (const auto& child : shape.children) list += last_word(child.path) + " ";
    for (const auto& option : shape.options) {
      list += fmt::format("{} ", fmt::join(option.names, " "));
      if (!option.takes_value) continue;
      values += option.choices.empty()
                    ? fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n",
                                  names_of(option, shape.path))
                    : fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                                  names_of(option, shape.path), fmt::join(option.choices, " "));
    }
    words += fmt::format("    {}) words={} files={} keys={} ;;\n", quoted(shape.path), quoted(list),
                         shape.takes_files ? 1 : 0, shape.takes_overrides ? 1 : 0);
  });
  return fmt::format(R"(# Completion of mesim for bash: source <(mesim completion bash)
_mesim() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" path="" words="" files=0 keys=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/${{COMP_WORDS[i]}}" in
      {}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path:$prev" in
{}  esac
  case "$path" in
{}  esac
  if [[ $files = 1 && $cur != -* ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
    if [[ $keys = 1 ]]; then
      COMPREPLY+=($(compgen -S = -W "{}" -- "$cur"))
      [[ "${{COMPREPLY[*]}}" = *= ]] && compopt -o nospace 2>/dev/null
    fi
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}}
complete -o filenames -F _mesim mesim
)",
                     fmt::join(steps(program), "|"), values, words, fmt::join(keys, " "));
}

std::string zsh_item(const std::string& name, const std::string& help) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return quoted(escaped + ":" + help) + " ";
}

std::string zsh_script(const CommandShape& program, const std::vector<std::string>& keys) {
  std::string values;
  std::string words;
  walk(program, [&](const CommandShape& shape) {
    std::string list;
    for (const auto& child : shape.children) list += zsh_item(last_word(child.path), child.help);
    for (const auto& option : shape.options) {
      for (const auto& name : option.names) list += zsh_item(name, option.help);
      if (!option.takes_value) continue;
      const std::string action =
          option.choices.empty() ? "_files" : fmt::format("compadd {}", fmt::join(option.choices, " "));
      values += fmt::format("    {}) {}; return ;;\n", names_of(option, shape.path), action);
    }
    words += fmt::format("    {}) items=({}); {}{}_describe mesim items ;;\n", quoted(shape.path), list,
                         shape.takes_files ? "_files; " : "",
                         shape.takes_overrides ? "compadd -S = -a keys; " : "");
  });
  return fmt::format(R"(#compdef mesim
# Completion of mesim for zsh: source <(mesim completion zsh)
_mesim() {{
  local at="" word
  local -a items
  local -a keys=({})
  for word in ${{words[2,CURRENT-1]}}; do
    case "$at/$word" in
      {}) at="${{at:+$at }}$word" ;;
    esac
  done
  case "$at:${{words[CURRENT-1]}}" in
{}  esac
  case "$at" in
{}  esac
}}
if [ "$funcstack[1]" = _mesim ]; then _mesim "$@"; else compdef _mesim mesim; fi
)",
                     fmt::join(keys, " "), fmt::join(steps(program), "|"), values, words);
}

std::string fish_script(const CommandShape& program, const std::vector<std::string>& keys) {
  std::string lines;
  walk(program, [&](const CommandShape& shape) {
    const std::string here = fmt::format("complete -c mesim -n \"__mesim_at {}\"", quoted(shape.path));
    if (shape.takes_files) lines += here + " -F\n";
    if (shape.takes_overrides) lines += fmt::format("{} -a '{}='\n", here, fmt::join(keys, "= "));
    for (const auto& child : shape.children) {
      lines += fmt::format("{} -a {} -d {}\n", here, last_word(child.path), quoted(child.help));
    }
    for (const auto& option : shape.options) {
      lines += here;
      for (const auto& name : option.names) {
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value && option.choices.empty()) lines += " -r -F";
      if (!option.choices.empty()) lines += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
      lines += " -d " + quoted(option.help) + "\n";
    }
  });
  return fmt::format(
      R"(# Completion of mesim for fish: mesim completion fish > ~/.config/fish/completions/mesim.fish
function __mesim_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at/$word"
      case {}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c mesim -f
{})",
      fmt::join(steps(program), " "), lines);
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CommandShape& program, const std::vector<std::string>& keys,
                              const std::string& shell) {
  if (shell == "bash") return bash_script(program, keys);
  return shell == "zsh" ? zsh_script(program, keys) : fish_script(program, keys);
}

}  // namespace mesim
