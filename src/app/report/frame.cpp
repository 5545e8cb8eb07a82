#include "app/report/frame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.hpp"
#include "app/report/web/zoom.hpp"
#include "sim/sha256.hpp"

namespace mesim {
namespace {

// Colours after Okabe and Ito (2008): told apart by readers who see few colours.
constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1c1c1c;--paper:#fff;--soft:#f1f3f5;--line:#cfd4d9;--hot:213 94 0;--yes:#00694d;--no:#a84600}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#16181a;--soft:#22262a;--line:#444a50;--yes:#3ecf9f;--no:#ff9b57}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:56rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;border-bottom:1px solid var(--line);margin-top:2.2rem}
nav a{margin-right:1rem}a{color:inherit}a:focus-visible,summary:focus-visible{outline:3px solid #0072b2}
table{min-width:min(100%,26rem);border-collapse:collapse;margin:.8rem 0;font-variant-numeric:tabular-nums}caption{text-align:left;font-style:italic}
th,td{padding:.15rem .6rem;border-bottom:1px solid var(--line);text-align:right;font-weight:normal}
thead th{font-weight:600}tr>th:first-child{text-align:left}
.heat td{background:color-mix(in srgb,rgb(var(--hot)) var(--h),transparent)}
.scroll{overflow-x:auto}pre{background:var(--soft);padding:.8rem;overflow:auto}
.chart{width:100%;height:auto;display:block;margin:.6rem 0}.chart text{font:11px system-ui,sans-serif;fill:currentColor}
.legend,.tiles{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}
.legend svg{width:.8em;height:.8em;margin-right:.4em}
.tiles li{background:var(--soft);border-radius:6px;padding:.5rem .9rem}.tiles strong{display:block;font-size:1.25rem}
.warning{border-left:4px solid #d55e00;padding-left:.6rem}
.grid{stroke:var(--line)}.box{fill:var(--soft);stroke:var(--line)}polyline{fill:none;stroke-width:2}
.c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}.c4{fill:#56b4e9}.c5{fill:#d55e00}.c6{fill:#b8a900}.c7{fill:#8a8f94}
.s0{stroke:#0072b2}.s1{stroke:#e69f00}.s2{stroke:#009e73}.s3{stroke:#cc79a7}.s4{stroke:#56b4e9}.s5{stroke:#d55e00}.s6{stroke:#b8a900}.s7{stroke:#8a8f94}
.d1{stroke-dasharray:8 4}.d2{stroke-dasharray:2 3}.d3{stroke-dasharray:10 3 2 3}.d4{stroke-dasharray:5 5}.d5{stroke-dasharray:12 4}.d6{stroke-dasharray:2 6}.d7{stroke-dasharray:6 2 2 2}
.see{opacity:.65}figure{margin:1rem 0;overflow-x:auto}figure svg{background:#fff;color:#222;border-radius:6px}
.player{border:1px solid var(--line);border-radius:6px}.player input{margin:.1rem}.player input:focus-visible{outline:3px solid #0072b2}
.way label{cursor:pointer;text-decoration:underline}.way .off{opacity:.7}
.changed{background:color-mix(in srgb,#e69f00 25%,transparent);font-weight:600}
.yes{color:var(--yes)}.no{color:var(--no)}
.said{min-height:1.5em;margin:.2rem 0}.zoom:focus-visible{outline:3px solid #0072b2}
.u-legend{min-width:0;margin:0}.u-legend th,.u-legend td{border:0;font-weight:normal;white-space:nowrap}
@media screen{.plot.live>svg,.legend:has(+.plot.live:not(.own)){display:none}}@media print{.zoom,.said{display:none}}
@media print{.scroll{overflow:visible}table{font-size:.75rem}.player input,.way{display:none}.frame{break-inside:avoid}nav{display:none}h2{break-after:avoid}svg,table{break-inside:avoid}}
)";

// A source of the content security policy (W3C CSP 3): the digest of a script in base 64.
std::string policy_source(std::string_view script) {
  Sha256 digest;
  digest.update({reinterpret_cast<const std::uint8_t*>(script.data()), script.size()});
  const std::string hex = digest.hex();
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "'sha256-";
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : hex) {
    bits = bits << 4 | static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    held += 4;
    if (held < 6) continue;
    held -= 6;
    out += letters[bits >> held & 63];
  }
  if (held != 0) out += letters[bits << (6 - held) & 63];  // 256 bits: four are left
  return out + "='";
}

}  // namespace

std::string framed(const std::string& title, const std::vector<PageSection>& sections) {
  const bool zooms = std::any_of(sections.begin(), sections.end(), [](const PageSection& s) {
    return s.body.find("<div class=\"plot\">") != std::string::npos;
  });
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'{2}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0} - mesim</title>\n<style>{1}{3}</style></head>\n<body>\n<header><h1>{0}</h1>\n<nav "
      "aria-label=\"Sections\">",
      html::escaped(title), style, zooms ? "; script-src " + policy_source(zoom_script()) : "",
      zooms ? zoom_style() : "");
  for (const auto& s : sections) out += fmt::format("<a href=\"#{}\">{}</a>", s.id, html::escaped(s.title));
  out += "</nav></header>\n<main>\n";
  for (const auto& s : sections) {
    out += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
        s.id, html::escaped(s.title), s.body);
  }
  out += "</main>\n";
  if (zooms) out += fmt::format("<script>{}</script>\n", zoom_script());
  return out + "</body></html>\n";
}

}  // namespace mesim
