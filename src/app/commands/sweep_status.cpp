// mesim sweep status SWEEP
#include <memory>

#include "app/commands/commands.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "app/sweep/sweep_halving.hpp"
#include "app/sweep/sweep_report.hpp"

namespace mesim {

Command sweep_status_command() {
  struct Options {
    std::string sweep;
    std::string out;
    bool json = false;
  };
  return {"sweep status",
          "say how far a sweep is and which points failed, while it runs or after",
          {"mesim sweep status configs/sweeps/padding.json"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("SWEEP", options->sweep, "the sweep file");
            arguments.option("--out", options->out, "DIR", "the sweep's folder (default: results/runs/NAME)");
            arguments.flag("--json", options->json, "print one JSON document");
            return [options](Output& out) {
              SweepPlan plan = plan_sweep(options->sweep);
              const std::string folder = sweep_folder(plan.sweep.name, options->out);
              add_rungs(plan, folder);
              const SweepTable table = read_sweep_table(plan, folder);
              out.write(options->json ? sweep_status_json(table).dump(2) + "\n" : sweep_status_text(table));
              return Exit::ok;
            };
          }};
}

}  // namespace mesim
