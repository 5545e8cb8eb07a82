// mesim litmus generate NAME ... [--arch A] [-o DIR] [--list]
#include <algorithm>
#include <memory>

#include "app/commands/commands.hpp"
#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string arch = "x86";
  std::string folder;
  bool list = false;
};

Exit list_shapes(Output& out) {
  for (const std::string& family : litmus::cycle_families())
    out.print("{:<9} {}\n", family, litmus::family_cycle(family));
  out.write(
      "N.SB, N.LB, N.2W: rings of N threads\n"
      "WR, WW, RR, RW are places of program order, from a store (W) or load (R) to one; Rfe, Fre, Coe lead\n"
      "from thread to thread: to a load of the stored value, from a load to the store that overwrites it, "
      "and\n"
      "to the next store.\n");
  return Exit::ok;
}

Exit generate(const Options& options, Output& out) {
  if (options.list) return list_shapes(out);
  if (options.names.empty())
    throw bad_input(
        {"mesim litmus generate"},
        "found no name, expected one such as SB+mfence+po or a cycle such as 'PodWR Fre PodWR Fre'; "
        "--list shows the shapes");
  const auto arch = options.arch == "x86" ? litmus::GeneratedArch::x86 : litmus::GeneratedArch::riscv;
  std::vector<std::string> tests;
  for (const std::string& name : options.names) tests.push_back(litmus::generate_test(name, arch));
  if (options.folder.empty()) {
    for (const std::string& test : tests) out.print("{}{}", &test == tests.data() ? "" : "\n", test);
    return Exit::ok;
  }
  prepare_output_folder(options.folder);
  for (std::size_t n = 0; n < tests.size(); ++n) {
    std::string file = options.names[n];
    std::replace(file.begin(), file.end(), ' ', '-');
    write_whole_file(options.folder + "/" + file + ".litmus", tests[n]);
  }
  return Exit::ok;
}

}  // namespace

Command litmus_generate_command() {
  return {"litmus generate",
          "litmus tests from their names or from cycles of relations",
          {"mesim litmus generate SB+mfence+po", "mesim litmus generate 'PodWR Fre PodWR Fre'",
           "mesim litmus generate MP+fence.w.w+addr LB+datas --arch riscv -o tests",
           "mesim litmus generate --list"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positionals("NAME", options->names, 0,
                                  "a shape and what stands in its places, or the edges of a cycle");
            arguments.choice("--arch", options->arch, {"x86", "riscv"}, "instructions to use");
            arguments.option("-o,--out", options->folder, "DIR",
                             "write DIR/NAME.litmus instead of standard output");
            arguments.flag("--list", options->list, "list the shapes with their cycles");
            return [options](Output& out) { return generate(*options, out); };
          },
          "Behind the shape stands one word for each place of program order, or one for all with an s:\n"
          "po, pos (same location), mfence, sfence, lfence, fence.rw.rw, fence.tso, addr, data, ctrl, rmw,\n"
          "and within a place several joined by '-': SB+rfi-po+mfence. Edges of a cycle: Rfe, Fre, Coe (to\n"
          "another thread), Rfi, Fri, Coi, Rmw, and PodWR, PosRR, MFencedWR, Fence.rw.rwdWW, DpAddrdR ...\n"
          "The final condition asks for the whole cycle, which SC forbids."};
}

}  // namespace mesim
