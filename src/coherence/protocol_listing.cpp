#include "coherence/protocol_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace mesim {
namespace {

std::string what(const ListedRow& row) {
  return row.guard.empty() ? row.event : row.event + " [" + row.guard + "]";
}
bool moves(const ListedRow& row) { return !row.next.empty() && row.next != row.state; }

// Words on lines that end before column 98; the first starts at column `start`, later ones at `indent`.
std::string wrapped(std::string_view text, std::size_t start, std::size_t indent) {
  constexpr std::size_t width = 98;
  std::string out;
  std::size_t column = start;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!first && column + 1 + end > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    first = false;
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string listing_text(const ProtocolListing& listing) {
  std::string out = listing.name + "\n" + wrapped(listing.summary, 0, 0) + "\n";
  for (const ListedTable& table : listing.tables) {
    out += fmt::format("\n{} ({} states, {} events)\n", table.controller, table.states.size(),
                       table.events.size());
    for (const ListedState& state : table.states) {
      out += fmt::format("\n  {:<10}{}\n", state.name, wrapped(state.meaning, 12, 12));
      std::string stalls;
      for (const ListedRow& row : table.rows) {
        if (row.state != state.name) continue;
        if (row.actions == "stall") {
          stalls += (stalls.empty() ? "" : ", ") + what(row);
          continue;
        }
        const std::string left = what(row);
        const std::string pad(left.size() < 26 ? 26 - left.size() : 1, ' ');
        const std::string right =
            (row.actions.empty() ? "-" : row.actions) + (moves(row) ? " -> " + row.next : "");
        const bool long_left = left.size() > 40;
        out += "    " + left + (long_left ? "\n" + std::string(30, ' ') : pad);
        const std::size_t column = long_left ? 30 : 4 + left.size() + pad.size();
        out += wrapped(right, column, 32) + "\n";
      }
      if (!stalls.empty()) out += "    waits: " + wrapped(stalls, 11, 11) + "\n";
    }
  }
  return out;
}

std::string listing_html(const ProtocolListing& listing) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
      "body{{font:14px/1.4 sans-serif;margin:2em}} table{{border-collapse:collapse;margin:1em 0}}\n"
      "th,td{{border:1px solid #bbb;padding:3px 6px;vertical-align:top;text-align:left}} "
      "th{{background:#eee}}\n"
      "td.none{{background:#f6f6f6}} td .stall{{color:#888}} b{{white-space:nowrap}}\n"
      "</style></head><body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
      html_escaped(listing.name), html_escaped(listing.summary));
  for (const ListedTable& table : listing.tables) {
    out += fmt::format("<h2>{}</h2>\n<table>\n<tr><th>state</th>", html_escaped(table.controller));
    for (const std::string& event : table.events) out += "<th>" + html_escaped(event) + "</th>";
    out += "</tr>\n";
    for (const ListedState& state : table.states) {
      out +=
          fmt::format("<tr><th title=\"{}\">{}</th>", html_escaped(state.meaning), html_escaped(state.name));
      for (const std::string& event : table.events) {
        std::string cell;
        for (const ListedRow& row : table.rows) {
          if (row.state != state.name || row.event != event) continue;
          if (!cell.empty()) cell += "<br>";
          if (!row.guard.empty()) cell += "<i>" + html_escaped(row.guard) + ":</i> ";
          cell += row.actions == "stall" ? "<span class=\"stall\">stall</span>" : html_escaped(row.actions);
          if (moves(row)) cell += " <b>/" + html_escaped(row.next) + "</b>";
        }
        out += cell.empty() ? "<td class=\"none\"></td>" : "<td>" + cell + "</td>";
      }
      out += "</tr>\n";
    }
    out += "</table>\n";
  }
  return out + "</body></html>\n";
}

std::string listing_dot(const ProtocolListing& listing) {
  std::string out = fmt::format(
      "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=ellipse, fontname=\"sans-serif\"];\n", listing.name);
  for (const ListedTable& table : listing.tables) {
    out += fmt::format("  subgraph \"cluster_{0}\" {{\n    label=\"{0}\";\n", table.controller);
    for (const ListedState& state : table.states) {
      out += fmt::format("    \"{0}.{1}\" [label=\"{1}\"];\n", table.controller, state.name);
    }
    std::map<std::pair<std::string, std::string>, std::string> edges;  // sorted, so that the output is stable
    for (const ListedRow& row : table.rows) {
      if (!moves(row)) continue;
      std::string& label = edges[{row.state, row.next}];
      label += (label.empty() ? "" : "\\n") + what(row);
    }
    for (const auto& [ends, label] : edges) {
      out += fmt::format("    \"{0}.{1}\" -> \"{0}.{2}\" [label=\"{3}\"];\n", table.controller, ends.first,
                         ends.second, label);
    }
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace mesim
