#include "litmus/generator/generator.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "litmus/generator/cycle.hpp"
#include "litmus/reader.hpp"
#include "sim/error.hpp"

using namespace mesim::litmus;

TEST_CASE("a name becomes the test that it names") {
  const Test test = read_test("sb", generate_test("SB+mfence+po", GeneratedArch::x86));
  CHECK(test.threads.size() == 2);
  CHECK(test.threads[0].code.size() == 3);
  CHECK(test.threads[1].code.size() == 2);
  CHECK(test.locations.size() == 2);
  CHECK(condition_text(test) == "exists (0:EAX=0 /\\ 1:EAX=0)");
}

TEST_CASE("a name and its cycle give the same program") {
  for (const auto arch : {GeneratedArch::x86, GeneratedArch::riscv}) {
    const auto body = [&](const std::string& name) {
      const auto text = generate_test(name, arch);
      return text.substr(text.find('{'));
    };
    CHECK(body("SB") == body("PodWR Fre PodWR Fre"));
    CHECK(body("MP") == body("PodWW Rfe PodRR Fre"));
    CHECK(body("2+2W") == body("PodWW Coe PodWW Wse"));
    CHECK(body("3.SB") == body("PodWR Fre PodWR Fre PodWR Fre"));
  }
  CHECK(generate_test("SB+mfences", GeneratedArch::x86).find("MFENCE") != std::string::npos);
  CHECK(generate_test("LB+data+ctrl", GeneratedArch::riscv).find("bne") != std::string::npos);
}

TEST_CASE("every family can be read back, with every fence") {
  for (const auto& family : cycle_families()) {
    INFO(family);
    CHECK_NOTHROW(read_test(family, generate_test(family, GeneratedArch::x86)));
    CHECK_NOTHROW(read_test(family, generate_test(family, GeneratedArch::riscv)));
    CHECK_NOTHROW(read_test(family, generate_test(family + "+mfences", GeneratedArch::x86)));
    CHECK_NOTHROW(read_test(family, generate_test(family + "+fence.rw.rws", GeneratedArch::riscv)));
  }
}

TEST_CASE("a wrong name says which words are known") {
  const auto message = [](const std::string& name, GeneratedArch arch) -> std::string {
    try {
      generate_test(name, arch);
    } catch (const mesim::Error& error) {
      CHECK(error.status() == mesim::Exit::bad_input);
      return error.what();
    }
    return "";
  };
  using Catch::Contains;
  CHECK_THAT(message("XB", GeneratedArch::x86), Contains("`XB`") && Contains("SB, MP, LB"));
  CHECK_THAT(message("SB+mfance+po", GeneratedArch::x86), Contains("`mfance`") && Contains("mfence"));
  CHECK_THAT(message("SB+po+po+po", GeneratedArch::x86), Contains("fills 3") && Contains("has 2"));
  CHECK_THAT(message("PodWR Fre PodRR Fre", GeneratedArch::x86), Contains("`Fre` ends in a store"));
  CHECK_THAT(message("PodWR Xre", GeneratedArch::x86), Contains("unknown edge `Xre`"));
  CHECK_THAT(message("PodRW PodWR", GeneratedArch::x86), Contains("two edges between threads"));
  CHECK_THAT(message("LB+datas", GeneratedArch::x86), Contains("RISC-V only"));
  CHECK_THAT(message("SB+mfences", GeneratedArch::riscv), Contains("RISC-V has no `mfence`"));
}

TEST_CASE("random tests are read back, and the same seed gives the same test") {
  for (const auto arch : {GeneratedArch::x86, GeneratedArch::riscv}) {
    std::set<std::string> different;
    mesim::Random random(7), again(7);
    for (int i = 0; i < 200; ++i) {
      const auto text = random_test(random, {}, arch, "r");
      CHECK(text == random_test(again, {}, arch, "r"));
      INFO(text);
      CHECK_NOTHROW(read_test("r", text));
      different.insert(text);
    }
    CHECK(different.size() == 200);
  }
}
