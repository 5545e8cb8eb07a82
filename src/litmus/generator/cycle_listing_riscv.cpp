#include <fmt/format.h>

#include "litmus/generator/cycle_listing.hpp"
#include "sim/error.hpp"

namespace mesim::litmus {
namespace {

// One thread: x5 upwards hold what is loaded, stored and computed, each register used once; addresses are
// initial values.
class ThreadWriter {
 public:
  ThreadWriter(Listing& listing, std::size_t thread, std::vector<std::string>& code)
      : listing_(listing), thread_(thread), code_(code) {}

  void write(const std::vector<CycleAccess>& accesses) {
    for (std::size_t a = 0; a < accesses.size(); ++a) {
      const auto& access = accesses[a];
      std::string address = address_register(access.word), value_from;
      if (access.from_before != nullptr) join(*access.from_before, address, value_from);
      if (access.exchange_with_next) {
        const auto dst = fresh();
        code_.push_back(fmt::format("amoswap.w {},{},({})", dst, constant(accesses[++a].value), address));
        note_load(dst, access.value);
      } else if (access.load) {
        const auto dst = fresh();
        code_.push_back(fmt::format("lw {},0({})", dst, address));
        note_load(dst, access.value);
      } else {
        std::string value = value_from;
        if (value.empty())
          value = constant(access.value);
        else
          code_.push_back(fmt::format("addi {},{},{}", value, value, access.value));
        code_.push_back(fmt::format("sw {},0({})", value, address));
      }
    }
  }

 private:
  std::string fresh() {
    if (next_ > 31) throw bad_input({}, "a thread of a generated RISC-V test needs more than 27 registers");
    return fmt::format("x{}", next_++);
  }
  std::string with_initial(std::string_view value) {
    const auto reg = fresh();
    listing_.initial.push_back(fmt::format("{}:{}={}", thread_, reg, value));
    return reg;
  }
  std::string address_register(unsigned word) { return with_initial(word_name(word)); }
  std::string constant(unsigned value) { return with_initial(std::to_string(value)); }
  void note_load(const std::string& reg, unsigned value) {
    loaded_ = reg;
    listing_.condition.push_back(fmt::format("{}:{}={}", thread_, reg, value));
  }

  // What stands between the access before and this one.
  void join(const CycleEdge& edge, std::string& address, std::string& value_from) {
    switch (edge.relation) {
      case Relation::fence:
        if (!edge.fence.starts_with("fence"))
          throw bad_input({},
                          fmt::format("RISC-V has no `{}`, expected fence.rw.rw and its kind", edge.fence));
        code_.push_back(edge.fence);
        break;
      case Relation::address: {
        const auto zero = fresh(), sum = fresh();
        code_.push_back(fmt::format("xor {0},{1},{1}", zero, loaded_));
        code_.push_back(fmt::format("add {},{},{}", sum, address, zero));
        address = sum;
        break;
      }
      case Relation::data:
        value_from = fresh();
        code_.push_back(fmt::format("xor {0},{1},{1}", value_from, loaded_));
        break;
      case Relation::control: {
        const auto label = fmt::format("LC{:02}", labels_++);
        code_.push_back(fmt::format("bne {},x0,{}", loaded_, label));
        code_.push_back(label + ":");
        break;
      }
      default:
        break;
    }
  }

  Listing& listing_;
  std::size_t thread_;
  std::vector<std::string>& code_;
  unsigned next_ = 5;
  unsigned labels_ = 0;
  std::string loaded_;
};

}  // namespace

Listing riscv_listing(const CycleProgram& program) {
  Listing listing;
  listing.arch = "RISCV";
  listing.threads.resize(program.threads.size());
  for (std::size_t t = 0; t < program.threads.size(); ++t)
    ThreadWriter(listing, t, listing.threads[t]).write(program.threads[t]);
  return listing;
}

}  // namespace mesim::litmus
