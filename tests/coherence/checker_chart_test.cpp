// Counterexamples as charts: every message of the trace is drawn once, between the right lifelines.
#include <catch2/catch.hpp>
#include <sstream>

#include "coherence/checker/chart.hpp"
#include "coherence/checker/directory_model.hpp"
#include "coherence/checker/protocols.hpp"

using namespace mesim;
using namespace mesim::checker;

namespace {
std::size_t count(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}
}  // namespace

TEST_CASE("a chart draws each step once and each message from its sender to its taker") {
  for (const std::string mutation :
       {"unordered-forwards", "ack-count-zero", "stale-putm-written", "no-is-d-i"}) {
    const auto model = protocol_model({.name = "msi-directory", .mutation = mutation}, 3);
    const Exploration result = explore(*model);
    REQUIRE(result.violation);
    std::size_t sent = 0, taken = 0;
    for (const StepText& step : result.violation->steps) {
      sent += step.sent.size();
      taken += !step.received.empty();
    }
    const std::string text = chart_text(model->participants(), *result.violation);
    INFO(text);
    CHECK(count(text, "under way: ") == sent - taken);
    CHECK(count(text, ">|") + count(text, "|<") == taken);
    CHECK(count(text, result.violation->invariant + ": ") == 1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);

    const std::string svg = chart_svg(model->participants(), *result.violation);
    CHECK(count(svg, "marker-end") == sent);
    CHECK(count(svg, "stroke-dasharray") == sent - taken);
    CHECK(count(svg, "<text") == count(svg, "</text>"));
  }
}

TEST_CASE("the trace of the lost race between a PutAck and an Inv reads as it happened") {
  const auto model = protocol_model({.name = "msi-directory", .mutation = "unordered-forwards"}, 2);
  const Exploration result = explore(*model);
  REQUIRE(result.violation);
  std::vector<std::string> events;
  for (const StepText& step : result.violation->steps) events.push_back(step.actor + " " + step.event);
  CHECK(events == std::vector<std::string>{"P0 Load", "P1 Store", "home receives GetS", "home receives GetM",
                                           "P0 receives Data", "P0 Evict", "home receives PutS",
                                           "P0 receives PutAck", "P0 receives Inv"});
}
