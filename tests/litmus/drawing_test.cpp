// Drawings of explanations: everything that the text says is there, and nothing covers anything else.
#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <sstream>

#include "litmus/drawing/cycle_layout.hpp"
#include "litmus/explanation.hpp"
#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;

namespace {

Explanation explained(const Test& test, Model model) {
  return explain(test, run_model(test, model, Engine::automatic, {}), {});
}

// The shapes that ship, whose cycles cover each way a relation can run.
std::vector<Test> tests_to_draw() {
  std::vector<Test> tests;
  for (const auto& family : cycle_families())
    for (const auto arch : {GeneratedArch::x86, GeneratedArch::riscv})
      tests.push_back(read_test(family, generate_test(family, arch)));
  for (const char* ring : {"3.SB", "5.LB", "8.SB", "6.2W"})
    tests.push_back(read_test(ring, generate_test(ring, GeneratedArch::x86)));
  for (const TestInput& input : collect_tests({fmt::format("{}/configs/litmus", MESIM_SOURCE_DIR)}))
    tests.push_back(read_test(input.file, input.text));
  return tests;
}

// Every element with its attributes and text; reading also tells whether the document is well formed.
struct Element {
  std::string name, text, kind;
  std::string points;
};
std::vector<Element> elements(const std::string& svg) {
  std::istringstream in(svg);
  boost::property_tree::ptree document;
  boost::property_tree::read_xml(in, document);
  std::vector<Element> found;
  for (const auto& [name, node] : document.get_child("svg")) {
    found.push_back({name, node.data(), node.get("<xmlattr>.class", std::string()),
                     node.get("<xmlattr>.points", std::string())});
  }
  return found;
}

std::size_t count(const std::vector<Element>& all, const std::function<bool(const Element&)>& which) {
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), which));
}

bool inside(const Box& box, const Point& p) {
  return p.x > box.x && p.x < box.x + box.width && p.y > box.y && p.y < box.y + box.height;
}

// Looked at point by point, which is slow and plain.
bool crosses(const std::vector<Point>& path, const Box& box) {
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    for (int step = 0; step <= 100; ++step) {
      const double f = step / 100.0;
      const Point p{path[k].x + (path[k + 1].x - path[k].x) * f, path[k].y + (path[k + 1].y - path[k].y) * f};
      const Box core{box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1};
      if (inside(core, p)) return true;
    }
  }
  return false;
}

void check_layout(const Reason& reason) {
  const CycleLayout layout = cycle_layout(reason, 40);
  REQUIRE(layout.events.size() == reason.events.size());
  REQUIRE(layout.edges.size() == reason.edges.size());
  for (std::size_t e = 0; e < layout.events.size(); ++e) {
    const Box& box = layout.events[e];
    for (std::size_t other = 0; other < e; ++other) {
      CHECK_FALSE(box.overlaps(layout.events[other]));
      // of one thread: below each other in program order
      if (reason.events[other].thread == reason.events[e].thread) CHECK(layout.events[other].y < box.y);
    }
    CHECK((box.x >= 0 && box.x + box.width <= layout.width && box.y + box.height <= layout.height));
  }
  for (std::size_t k = 0; k < layout.edges.size(); ++k) {
    const auto& line = layout.edges[k];
    INFO(line.text << " of edge " << k);
    for (std::size_t e = 0; e < layout.events.size(); ++e) {
      CHECK_FALSE(crosses(line.path, layout.events[e]));
      CHECK_FALSE(line.label.overlaps(layout.events[e]));
    }
    for (std::size_t other = 0; other < k; ++other)
      CHECK_FALSE(line.label.overlaps(layout.edges[other].label));
    CHECK((line.label.x >= 0 && line.label.x + line.label.width <= layout.width));
    // it leads from the border of one event to that of the other
    const auto touches = [&](std::size_t e, const Point& p) {
      const Box& b = layout.events[e];
      return inside({b.x - 1, b.y - 1, b.width + 2, b.height + 2}, p);
    };
    CHECK(touches(reason.edges[k].from, line.path.front()));
    CHECK(touches(reason.edges[k].to, line.path.back()));
  }
}

void check_reason_drawing(const Test& test, Model model, const Explanation& e) {
  REQUIRE(e.reason);
  check_layout(*e.reason);
  const auto drawn = elements(explanation_svg(test, model, e));
  const auto is_edge = [](const Element& x) { return x.kind == "edge" || x.kind == "cycle edge"; };
  CHECK(count(drawn, is_edge) == e.reason->edges.size());
  CHECK(count(drawn, [](const Element& x) { return x.kind == "cycle edge"; }) == e.reason->cycle.size());
  for (const ReasonEvent& event : e.reason->events)
    CHECK(count(drawn, [&](const Element& x) { return x.text == event.access; }) > 0);
}

void check_trace_drawing(const Test& test, Model model, const Explanation& e) {
  REQUIRE(e.trace);
  const auto drawn = elements(explanation_svg(test, model, e));
  std::size_t moves = 0;
  for (const MachineStep& step : e.trace->steps) {
    using Kind = MachineStep::Kind;
    const bool apart = step.kind == Kind::buffer_to_core && !e.trace->buffers;
    moves += step.kind == Kind::exchange ? 2 : step.kind == Kind::nothing || apart ? 0 : 1;
    if (!step.value.empty()) CHECK(count(drawn, [&](const Element& x) { return x.text == step.value; }) > 0);
  }
  CHECK(count(drawn, [](const Element& x) { return x.kind == "move"; }) == moves);
  CHECK(count(drawn, [](const Element& x) { return x.text == "memory"; }) == 1);
  for (std::size_t t = 0; t < test.threads.size(); ++t)
    CHECK(count(drawn, [&](const Element& x) { return x.text == fmt::format("P{}", t); }) == 1);
}

}  // namespace

TEST_CASE("drawings show every event and every edge, none on top of another") {
  std::size_t cycles = 0, runs = 0;
  for (const Test& test : tests_to_draw()) {
    for (const Model model : {Model::sc, Model::tso, Model::rvwmo}) {
      if (model == Model::rvwmo && test.name.starts_with("Peterson")) continue;  // seconds
      INFO(test.name << " under " << model_name(model));
      const Explanation e = explained(test, model);
      e.allowed ? ++runs : ++cycles;
      if (e.allowed)
        check_trace_drawing(test, model, e);
      else
        check_reason_drawing(test, model, e);
    }
  }
  CHECK(cycles > 100);
  CHECK(runs > 50);
}

TEST_CASE("the edges of a cycle lead around it, and the others are those of the execution") {
  const Test test = read_test("IRIW", generate_test("IRIW", GeneratedArch::x86));
  const Explanation e = explained(test, Model::tso);
  REQUIRE(e.reason);
  const Reason& reason = *e.reason;
  REQUIRE(reason.cycle.size() == 6);
  CHECK(reason.events.size() == 6);
  for (std::size_t c = 0; c < reason.cycle.size(); ++c) {
    CHECK(reason.edges[c].in_cycle);
    CHECK(reason.edges[c].from == reason.cycle[c].event);
    CHECK(reason.edges[c].to == reason.cycle[(c + 1) % reason.cycle.size()].event);
  }
  CHECK(reason.edges.size() == 6);  // nothing else happens
}

TEST_CASE("an sc that another store came before is forbidden by atomicity, with the pair as a cycle") {
  const Test test = read_test("t", R"(RISCV t
{ 0:x5=x; 0:x6=1; 1:x5=x; 1:x6=2; }
 P0                | P1           ;
 lr.w x7,0(x5)     | sw x6,0(x5)  ;
 sc.w x8,x6,0(x5)  |              ;
exists (0:x7=0 /\ 0:x8=0 /\ x=1)
)");
  const Explanation e = explained(test, Model::rvwmo);
  REQUIRE(e.reason);
  CHECK(e.reason->axiom == "atomicity");
  std::string relations;
  for (const CycleEvent& c : e.reason->cycle) relations += c.relation + " ";
  CHECK(relations == "fr co rmw^-1 ");
  check_reason_drawing(test, Model::rvwmo, e);
}

TEST_CASE("names become XML without harm") {
  Test test = read_test("t", "X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=7)\n");
  test.name = "a<b>&c";
  const auto drawn = elements(explanation_svg(test, Model::sc, explained(test, Model::sc)));
  CHECK(count(drawn, [](const Element& x) { return x.text.find("a<b>&c") == 0; }) == 1);
}
