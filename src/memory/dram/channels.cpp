#include "memory/dram/channels.hpp"

#include <algorithm>

#include "sim/error.hpp"

namespace mesim::dram {
namespace {

Cycles refresh_interval(const DramControllerConfig& config, const Timings& timings,
                        const std::string& source) {
  if (config.refresh == "none") return 0;
  const bool all = config.refresh == "all_bank";
  const char* needed = all ? "nRFC" : "nRFCB";
  if (!timings.has("nREFI") || !timings.has(needed)) {
    throw bad_input(
        {source}, "/memory/controller/refresh",
        "found '" + config.refresh + "', which this standard does not have: it gives no " + needed);
  }
  return timings.at("nREFI");
}

TimingTable::Unused unused_by(const DramControllerConfig& config) {
  return {.power = config.power_down_after_cycles == 0 && config.self_refresh_after_cycles == 0,
          .refresh = config.refresh != "all_bank",
          .refresh_bank = config.refresh == "all_bank" || config.refresh == "none"};
}

}  // namespace

Channels::Channels(const MemoryConfig& config, const std::string& source)
    : timings_(config, source),
      table_(config, timings_, unused_by(config.controller), source),
      map_(config, source),
      plan_(config.controller.refresh, config.organisation,
            refresh_interval(config.controller, timings_, source)) {
  for (std::uint32_t channel = 0; channel < config.organisation.channels; ++channel) {
    controllers_.push_back(
        std::make_unique<Controller>(table_, map_.geometry(), config.controller, plan_, Cycles{0}));
  }
}

void Channels::answer_to(BurstSink* sink) {
  for (auto& controller : controllers_) controller->answer_to(sink);
}

Cycles Channels::drain() {
  Cycles end = 0;
  for (auto& controller : controllers_) {
    controller->drain();
    end = std::max(end, controller->counters().last_data);
  }
  return end;
}

std::vector<ControllerCounters> Channels::closed_counters(Cycles end) const {
  std::vector<ControllerCounters> out;
  for (const auto& controller : controllers_) {
    Controller copy = *controller;
    copy.trace_to(nullptr);
    copy.run(end);
    copy.close_accounts(end);
    out.push_back(copy.counters());
  }
  return out;
}

}  // namespace mesim::dram
