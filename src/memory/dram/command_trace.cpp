#include "memory/dram/command_trace.hpp"

namespace mesim::dram {

dram_check::Parameters checker_parameters(const MemoryConfig& config, const Timings& timings) {
  const DramOrganisation& o = config.organisation;
  dram_check::Parameters out;
  out.family = config.family;
  for (const std::string& name : timings.names()) out.cycles[name] = timings.at(name);
  out.channels = o.channels;
  out.pseudo_channels = o.pseudo_channels;
  out.ranks = o.ranks;
  out.groups = o.bank_groups;
  out.banks_per_group = o.banks_per_group;
  out.activate_slots = o.activate_slots;
  out.column_slots = o.column_slots;
  out.split_command_bus = o.split_command_bus;
  out.refresh_bank_steps = o.bank_groups * o.banks_per_group / o.refresh_bank_step;
  out.same_bank_refresh = config.controller.refresh == "same_bank";
  return out;
}

CommandTap::CommandTap(Channels& channels, Take take) : channels_(channels), take_(std::move(take)) {
  for (unsigned channel = 0; channel < channels.size(); ++channel) {
    Sink& sink = sinks_.emplace_back();
    sink.take = &take_;
    sink.geometry = channels.map().geometry();
    sink.channel = channel;
    channels[channel].trace_to(&sink);
  }
}

CommandTap::~CommandTap() {
  for (unsigned channel = 0; channel < channels_.size(); ++channel) channels_[channel].trace_to(nullptr);
}

void CommandTap::Sink::command(Cycles at, Command command, unsigned bank, std::uint32_t row,
                               std::uint32_t column) {
  dram_check::DramCommand out;
  out.at = at;
  out.op = static_cast<dram_check::Op>(command);
  out.channel = channel;
  out.pseudo = geometry.pseudo_of(bank);
  out.rank = geometry.rank_of(bank) % geometry.ranks;
  out.group = geometry.group_of(bank) % geometry.groups;
  out.bank = bank % geometry.banks_per_group;
  out.row = row;
  out.column = column;
  (*take)(out);
}

}  // namespace mesim::dram
