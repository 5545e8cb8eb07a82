#include "app/report/frame.hpp"

#include <fmt/format.h>

#include "app/report/html.hpp"

namespace mesim {
namespace {

// Colours after Okabe and Ito (2008): told apart by readers who see few colours.
constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1c1c1c;--paper:#fff;--soft:#f1f3f5;--line:#cfd4d9;--hot:213 94 0}
@media (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#16181a;--soft:#22262a;--line:#444a50}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:56rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;border-bottom:1px solid var(--line);margin-top:2.2rem}
nav a{margin-right:1rem}a{color:inherit}a:focus-visible,summary:focus-visible{outline:3px solid #0072b2}
table{border-collapse:collapse;margin:.8rem 0;font-variant-numeric:tabular-nums}caption{text-align:left;font-style:italic}
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
.see{opacity:.65}figure{margin:1rem 0;overflow-x:auto}figure svg{background:#fff;color:#222;border-radius:6px}
.player{border:1px solid var(--line);border-radius:6px}.player input{margin:.1rem}.player input:focus-visible{outline:3px solid #0072b2}
.way label{cursor:pointer;text-decoration:underline}.way .off{opacity:.4}
.changed{background:color-mix(in srgb,#e69f00 25%,transparent);font-weight:600}
.yes{color:#009e73}.no{color:#d55e00}
@media print{.player input,.way{display:none}.frame{break-inside:avoid}nav{display:none}h2{break-after:avoid}svg,table{break-inside:avoid}}
)";

}  // namespace

std::string framed(const std::string& title, const std::vector<PageSection>& sections) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0} - mesim</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n<nav "
      "aria-label=\"Sections\">",
      html::escaped(title), style);
  for (const auto& s : sections) out += fmt::format("<a href=\"#{}\">{}</a>", s.id, html::escaped(s.title));
  out += "</nav>\n<main>\n";
  for (const auto& s : sections) {
    out += fmt::format(
        "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
        s.id, html::escaped(s.title), s.body);
  }
  return out + "</main>\n</body></html>\n";
}

}  // namespace mesim
