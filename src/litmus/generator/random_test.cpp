#include <fmt/format.h>

#include <array>

#include "litmus/generator/cycle_program.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/generator/listing.hpp"

namespace mesim::litmus {
namespace {

unsigned between(Random& random, unsigned low, unsigned high) {
  return low + static_cast<unsigned>(random.below(high - low + 1));
}

// What the two architectures share of a program that is being written.
struct Draft {
  Random& random;
  Listing& listing;
  std::size_t thread;
  unsigned words;
  unsigned& next_value;

  std::string word() { return word_name(static_cast<unsigned>(random.below(words))); }
  void initial(std::string_view reg, std::string_view value) {
    listing.initial.push_back(fmt::format("{}:{}={}", thread, reg, value));
  }
  void observe(std::string_view reg) { listing.words.push_back(fmt::format("{}:{}", thread, reg)); }
  std::vector<std::string>& code() { return listing.threads[thread]; }
};

void random_x86_thread(Draft d, unsigned accesses) {
  constexpr std::array<std::string_view, 6> registers{"EAX", "EBX", "ECX", "EDX", "ESI", "EDI"};
  constexpr std::array<std::string_view, 4> fences{"MFENCE", "MFENCE", "SFENCE", "LFENCE"};
  std::size_t used = 0;
  for (unsigned a = 0; a < accesses; ++a) {
    if (a != 0 && d.random.chance(0.25)) d.code().emplace_back(fences[d.random.below(fences.size())]);
    const auto kind = d.random.below(20);
    if (kind < 8 || used == registers.size()) {
      d.code().push_back(fmt::format("MOV [{}],${}", d.word(), d.next_value++));
      continue;
    }
    const auto reg = registers[used++];
    d.observe(reg);
    if (kind < 17) {
      d.code().push_back(fmt::format("MOV {},[{}]", reg, d.word()));
    } else {
      d.initial(reg, std::to_string(d.next_value++));
      d.code().push_back(fmt::format("XCHG [{}],{}", d.word(), reg));
    }
  }
}

class RiscvThread {
 public:
  explicit RiscvThread(Draft draft) : d_(draft) {}

  void write(unsigned accesses) {
    for (unsigned a = 0; a < accesses; ++a) {
      if (a != 0 && d_.random.chance(0.25)) d_.code().emplace_back(fence());
      write_access();
    }
  }

 private:
  std::string fresh() { return fmt::format("x{}", next_++); }
  std::string with_initial(std::string_view value) {
    const auto reg = fresh();
    d_.initial(reg, value);
    return reg;
  }
  std::string_view fence() {
    constexpr std::array<std::string_view, 7> fences{"fence rw,rw", "fence w,w", "fence r,r", "fence r,rw",
                                                     "fence rw,w",  "fence.tso", "fence w,r"};
    return fences[d_.random.below(fences.size())];
  }
  // A register that is zero, but only known to be once the last load is back.
  std::string zero() {
    const auto reg = fresh();
    d_.code().push_back(fmt::format("xor {0},{1},{1}", reg, loaded_));
    return reg;
  }

  std::string address() {
    const auto plain = with_initial(d_.word());
    if (loaded_.empty() || !d_.random.chance(0.25)) return plain;
    const auto offset = zero(), sum = fresh();
    d_.code().push_back(fmt::format("add {},{},{}", sum, plain, offset));
    return sum;
  }

  void write_access() {
    if (!loaded_.empty() && d_.random.chance(0.15)) {
      const auto label = fmt::format("LC{:02}", labels_++);
      d_.code().push_back(fmt::format("bne {},x0,{}", loaded_, label));
      d_.code().push_back(label + ":");
    }
    const auto where = address();
    const auto kind = d_.random.below(20);
    if (kind < 8) {
      auto value = with_initial(std::to_string(d_.next_value));
      if (!loaded_.empty() && d_.random.chance(0.25)) {
        const auto offset = zero(), sum = fresh();
        d_.code().push_back(fmt::format("add {},{},{}", sum, value, offset));
        value = sum;
      }
      ++d_.next_value;
      d_.code().push_back(fmt::format("sw{} {},0({})", d_.random.chance(0.15) ? ".rl" : "", value, where));
      return;
    }
    const auto value = kind < 16 ? "" : with_initial(std::to_string(d_.next_value++));
    loaded_ = fresh();
    d_.observe(loaded_);
    if (kind < 16) {
      d_.code().push_back(fmt::format("lw{} {},0({})", d_.random.chance(0.15) ? ".aq" : "", loaded_, where));
    } else if (kind < 18) {
      constexpr std::array<std::string_view, 4> order{"", ".aq", ".rl", ".aq.rl"};
      d_.code().push_back(
          fmt::format("amoswap.w{} {},{},({})", order[d_.random.below(4)], loaded_, value, where));
    } else {
      d_.code().push_back(fmt::format("lr.w {},({})", loaded_, where));
      const auto success = fresh();
      d_.observe(success);
      d_.code().push_back(fmt::format("sc.w {},{},({})", success, value, where));
    }
  }

  Draft d_;
  unsigned next_ = 5;
  unsigned labels_ = 0;
  std::string loaded_;
};

}  // namespace

std::string random_test(Random& random, const RandomShape& shape, GeneratedArch arch, std::string_view name) {
  Listing listing;
  listing.arch = arch == GeneratedArch::x86 ? "X86" : "RISCV";
  listing.name = name;
  const unsigned threads = between(random, 2, shape.most_threads);
  const unsigned words = between(random, 2, shape.most_words);
  unsigned next_value = 1;
  listing.threads.resize(threads);
  for (unsigned w = 0; w < words; ++w) {
    listing.words.push_back(word_name(w));
    listing.initial.push_back(word_name(w) + "=0");
  }
  for (std::size_t t = 0; t < threads; ++t) {
    const Draft draft{random, listing, t, words, next_value};
    const unsigned accesses = between(random, 1, shape.most_accesses);
    if (arch == GeneratedArch::x86)
      random_x86_thread(draft, accesses);
    else
      RiscvThread(draft).write(accesses);
  }
  return listing.text();
}

}  // namespace mesim::litmus
