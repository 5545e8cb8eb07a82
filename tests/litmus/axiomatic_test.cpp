// The axiomatic engine on shapes whose verdicts are known from theory (Adve and Gharachorloo, "Shared Memory
// Consistency Models", 1996; Sewell et al., "x86-TSO", CACM 2010; SPARC V9), and against plain interleaving.
#include "litmus/axiomatic/axiomatic.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "litmus/generator/generator.hpp"
#include "litmus/reader.hpp"
#include "litmus/semantics.hpp"

using namespace mesim::litmus;

namespace {

std::string row(const std::string& text, std::initializer_list<Model> models) {
  const Test test = read_test("t", text);
  const AxiomaticEngine engine(test);
  std::string letters;
  for (const Model model : models) letters += judge(test, engine.explore(model).outcomes).allowed ? 'S' : '-';
  return letters;
}

// Sequential consistency by running every interleaving, with no cleverness at all.
void interleave(const Test& test, std::vector<std::uint32_t> pc, std::vector<std::vector<Value>> registers,
                std::vector<Value> memory, std::set<Outcome>& outcomes) {
  bool ended = true;
  for (unsigned t = 0; t < test.threads.size(); ++t) {
    const Thread& thread = test.threads[t];
    if (pc[t] >= thread.code.size()) continue;
    ended = false;
    auto next_pcs = pc;
    auto next_registers = registers;
    auto next_memory = memory;
    const Instruction& i = thread.code[pc[t]];
    Value* r = next_registers[t].data();
    next_pcs[t] = next_pc(thread, t, pc[t], r);
    if (i.op == Op::compute && i.dst != no_register) r[i.dst] = computed(i, r);
    if (is_memory(i.op)) {
      Value& word = next_memory[static_cast<std::size_t>(test.location_at(address_of(i, r)))];
      if (i.op == Op::load && i.dst != no_register) r[i.dst] = loaded(i, word);
      if (i.op == Op::store) word = stored(i, r);
      if (i.op == Op::rmw) {
        const Value old = loaded(i, word);
        const auto result = modified(i, r, old);
        finish_rmw(i, r, old, result);
        if (result) word = *result;
      }
    }
    interleave(test, next_pcs, next_registers, next_memory, outcomes);
  }
  if (!ended) return;
  Outcome outcome;
  for (const Observable& o : test.observables) {
    outcome.push_back(o.is_register ? registers[o.thread][o.index] : memory[o.index]);
  }
  outcomes.insert(outcome);
}

}  // namespace

TEST_CASE("the classical shapes separate the models by axioms") {
  const auto x86 = {Model::sc, Model::tso, Model::pso, Model::rmo};
  const std::map<std::string, std::string> rows = {{"SB", "-SSS"},   {"R", "-SSS"},         {"MP", "--SS"},
                                                   {"2+2W", "--SS"}, {"S", "--SS"},         {"ISA2", "--SS"},
                                                   {"LB", "---S"},   {"WRC", "---S"},       {"IRIW", "---S"},
                                                   {"CoRR", "----"}, {"SB+mfences", "----"}};
  for (const auto& [name, letters] : rows) {
    CAPTURE(name);
    CHECK(row(generate_test(name, GeneratedArch::x86), x86) == letters);
  }
}

TEST_CASE("two exchanges of one word never both read the other's value") {
  const Test test = read_test("t",
                              "X86 t\n{ 0:EAX=1; 1:EAX=2; }\n P0 | P1 ;\n XCHG [x],EAX | XCHG [x],EAX ;\n"
                              "locations [x;]\nexists (0:EAX=2 /\\ 1:EAX=1)\n");
  const AxiomaticEngine engine(test);
  for (const Model model : all_models) CHECK(engine.explore(model).outcomes.size() == 2);
}

TEST_CASE("a store behind an rmw of another word: drained before it or not, as the convention says") {
  const std::string text =
      "X86 t\n{ 0:EAX=1; }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[y] ;\n XCHG [y],EAX | MOV EBX,[x] ;\n"
      "exists (1:EAX=1 /\\ 1:EBX=0)\n";
  CHECK(row(text, {Model::tso, Model::pso, Model::pso_v9}) == "--S");
}

TEST_CASE("SC by axioms equals plain interleaving on random programs") {
  mesim::Random random(17);
  for (unsigned n = 0; n < 150; ++n) {
    const std::string text = random_test(random, {.most_threads = 3, .most_accesses = 3, .most_words = 2},
                                         GeneratedArch::x86, "r");
    CAPTURE(text);
    const Test test = read_test("r", text);
    std::set<Outcome> wanted;
    std::vector<std::vector<Value>> registers;
    for (const Thread& thread : test.threads) registers.push_back(thread.initial);
    std::vector<Value> memory;
    for (const Location& location : test.locations) memory.push_back(location.initial);
    interleave(test, std::vector<std::uint32_t>(test.threads.size(), 0), registers, memory, wanted);
    const Exploration found = AxiomaticEngine(test).explore(Model::sc);
    CHECK(found.limit.empty());
    REQUIRE(found.outcomes == std::vector<Outcome>(wanted.begin(), wanted.end()));
  }
}

TEST_CASE("a weaker model allows every outcome of a stronger one") {
  mesim::Random random(23);
  for (unsigned n = 0; n < 100; ++n) {
    const std::string text = random_test(random, {.most_threads = 3, .most_accesses = 3, .most_words = 2},
                                         GeneratedArch::x86, "r");
    CAPTURE(text);
    const Test test = read_test("r", text);
    const AxiomaticEngine engine(test);
    std::vector<Outcome> stronger;
    for (const Model model : {Model::sc, Model::tso, Model::pso, Model::pso_v9}) {
      CAPTURE(model_name(model));
      const Exploration found = engine.explore(model);
      CHECK(found.limit.empty());
      CHECK(std::includes(found.outcomes.begin(), found.outcomes.end(), stronger.begin(), stronger.end()));
      stronger = found.outcomes;
    }
  }
}

TEST_CASE("counters that add to themselves end") {
  const Test test =
      read_test("t",
                "RISCV t\n{ 0:x6=x; 1:x6=x; 2:x6=x; 0:x5=1; 1:x5=1; 2:x5=1; }\n P0 | P1 | P2 ;\n"
                " amoadd.w x7,x5,(x6) | amoadd.w x7,x5,(x6) | amoadd.w x7,x5,(x6) ;\n"
                "forall (x=3)\n");
  const AxiomaticEngine engine(test);
  for (const Model model : all_models) {
    const Exploration found = engine.explore(model);
    CHECK(found.outcomes == std::vector<Outcome>{{3}});
  }
}

TEST_CASE("paths of loops are cut, and the result says so") {
  const Test test =
      read_test("t",
                "X86 t\n{ }\n P0 | P1 ;\n MOV [x],$1 | L: MOV EAX,[x] ;\n | CMP EAX,$1 ;\n | JNE L ;\n"
                "exists (1:EAX=1)\n");
  const Exploration found = AxiomaticEngine(test).explore(Model::tso);
  CHECK(found.outcomes == std::vector<Outcome>{{1}});
  CHECK(found.limit.find("loops") != std::string::npos);
}
