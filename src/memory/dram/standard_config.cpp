#include "memory/dram/standard_config.hpp"

#include <fmt/format.h>

namespace mesim {

void DramTimingValue::fields(Fields& f) {
  f.text("name", name, "as constraints and the checker call it: nRCD");
  f.integer("cycles", cycles, {.max = 1'000'000, .unit = "clocks", .help = "at least so many clocks"});
  f.number("ns", ns, {.max = 1e6, .unit = "ns", .help = "and at least so long, rounded up to clocks"});
  f.text("source", source, "where the value was published");
  f.text(
      "confidence", confidence,
      "jedec: set by the standard; datasheet: of a part; vendor: left to the vendor, a public model's value; "
      "derived: computed from others");
}

void DramConstraint::fields(Fields& f) {
  f.choice("level", level, {"bank", "bank_group", "rank", "other_ranks", "channel"},
           "where the two commands meet; other_ranks: another rank of the same channel; channel: the "
           "pseudo-channel where there are any");
  f.text_list("before", before, "ACT, RD, RDA, WR, WRA, PRE, PREA, REF, REFB, PDE, PDX, SRE, SRX");
  f.text_list("after", after,
              "ACT, RD, WR, PRE, REF, REFB, PDE; RD stands for RDA too, PDE for all of its kind");
  f.text("delay", delay, "sum and difference of timings and numbers: nCL+nBL+2-nCWL");
  f.integer("window", window,
            {.min = 1, .max = 8, .help = "counted from the last command but so many: 4 for four activates"});
}

void DramOrganisation::fields(Fields& f) {
  f.integer("channels", channels, {.min = 1, .max = 256, .help = "each with a controller of its own"});
  f.integer("pseudo_channels", pseudo_channels,
            {.min = 1,
             .max = 4,
             .power_of_two = true,
             .help = "of a channel: own banks and data, one command bus"});
  f.integer("ranks", ranks, {.min = 1, .max = 8, .power_of_two = true, .help = "ranks, or ids of a stack"});
  f.integer("bank_groups", bank_groups, {.min = 1, .max = 16, .power_of_two = true, .help = "of a rank"});
  f.integer("banks_per_group", banks_per_group, {.min = 1, .max = 16, .power_of_two = true, .help = "banks"});
  f.integer("rows", rows,
            {.min = 2,
             .max = 1 << 24,
             .help = "of a bank; a count of a 12 or 24 Gb die need not be "
                     "a power of two"});
  f.integer("columns", columns, {.min = 8, .max = 1 << 16, .power_of_two = true, .help = "of a row"});
  f.integer("channel_bits", channel_bits,
            {.min = 8,
             .max = 1024,
             .power_of_two = true,
             .unit = "bits",
             .help = "data width of a (pseudo-)channel"});
  f.integer("device_bits", device_bits,
            {.min = 4, .max = 1024, .power_of_two = true, .unit = "bits", .help = "data width of a device"});
  f.integer("burst_length", burst_length,
            {.min = 2, .max = 64, .power_of_two = true, .help = "transfers of a burst"});
  f.integer("data_rate_mts", data_rate_mts,
            {.min = 1, .max = 100'000, .unit = "10^6 transfers/s", .help = "per pin"});
  f.integer("transfers_per_clock", transfers_per_clock,
            {.min = 1, .max = 16, .power_of_two = true, .help = "of the clock in which commands are given"});
  f.flag("split_command_bus", split_command_bus, "row and column commands go by buses of their own (HBM)");
  f.integer("activate_slots", activate_slots,
            {.min = 1, .max = 4, .unit = "clocks", .help = "ACT on the command bus"});
  f.integer("column_slots", column_slots,
            {.min = 1, .max = 4, .unit = "clocks", .help = "RD and WR on the command bus"});
  f.integer("refresh_bank_step", refresh_bank_step,
            {.min = 1, .max = 16, .power_of_two = true, .help = "banks that one per-bank refresh covers"});
  f.text("source", source, "where the organisation was published");
  f.require("refresh_bank_step", refresh_bank_step <= bank_groups * banks_per_group, [this] {
    return fmt::format("found {}, expected at most the {} banks", refresh_bank_step,
                       bank_groups * banks_per_group);
  });
  f.require("ranks", pseudo_channels * ranks * bank_groups * banks_per_group <= 64, [this] {
    return fmt::format("found {} banks on one controller, expected at most 64",
                       pseudo_channels * ranks * bank_groups * banks_per_group);
  });
  f.require("burst_length", burst_length >= transfers_per_clock && columns >= burst_length, [this] {
    return fmt::format("found {}, expected {} transfers of a clock to {} columns of a row", burst_length,
                       transfers_per_clock, columns);
  });
  f.require("device_bits", device_bits <= channel_bits, [this] {
    return fmt::format("found {}, expected at most the {} of the channel", device_bits, channel_bits);
  });
}

void DramPower::fields(Fields& f) {
  const auto volts = [&](std::string_view key, double& value, std::string_view help) {
    f.number(key, value, {.max = 10, .unit = "V", .help = help});
  };
  const auto current = [&](std::string_view key, double& value, std::string_view help) {
    f.number(key, value, {.max = 1e5, .unit = "mA", .help = help});
  };
  const auto energy = [&](std::string_view key, double& value, std::string_view unit, std::string_view help) {
    f.number(key, value, {.max = 1e9, .unit = unit, .help = help});
  };
  volts("vdd", vdd, "core voltage");
  volts("vpp", vpp, "word-line voltage; 0 where there is no such supply");
  current("idd0", idd0, "one bank activates and precharges every tRC");
  current("idd2n", idd2n, "all banks precharged, standby");
  current("idd2p", idd2p, "all banks precharged, power-down");
  current("idd3n", idd3n, "a row open, standby");
  current("idd3p", idd3p, "a row open, power-down");
  current("idd4r", idd4r, "reading without gap");
  current("idd4w", idd4w, "writing without gap");
  current("idd5", idd5, "refreshing all banks, over tRFC");
  current("idd5_bank", idd5_bank, "refreshing by REFpb or REFsb, over its time");
  current("idd6", idd6, "self-refresh");
  current("ipp0", ipp0, "of vpp, as idd0");
  current("ipp_standby", ipp_standby, "of vpp, in standby");
  energy("activate_pj", activate_pj, "pJ",
         "one ACT and its PRE in all devices of a rank; 0: from the currents");
  energy("read_pj_per_bit", read_pj_per_bit, "pJ/bit", "reading, array to pins; 0: from the currents");
  energy("write_pj_per_bit", write_pj_per_bit, "pJ/bit", "writing; 0: from the currents");
  energy("refresh_pj", refresh_pj, "pJ", "one REF; 0: from the currents");
  energy("refresh_bank_pj", refresh_bank_pj, "pJ", "one REFpb or REFsb; 0: from the currents");
  energy("standby_mw", standby_mw, "mW", "of a rank with a row open; 0: from the currents");
  energy("precharged_mw", precharged_mw, "mW", "of a rank without; 0: from the currents");
  energy("power_down_mw", power_down_mw, "mW", "of a rank in power-down; 0: from the currents");
  energy("self_refresh_mw", self_refresh_mw, "mW", "of a rank in self-refresh; 0: from the currents");
  energy("io_read_pj_per_bit", io_read_pj_per_bit, "pJ/bit", "drivers and termination of a read");
  energy("io_write_pj_per_bit", io_write_pj_per_bit, "pJ/bit", "drivers and termination of a write");
  f.flag("count_interface", count_interface,
         "whether I/O and standby of vpp stand in the energy ledger; they have lines of their own in the "
         "statistics");
  f.text("source", source, "where the figures were published");
  f.text("confidence", confidence, "as of timings");
}

void DramMapping::fields(Fields& f) {
  f.text("name", name, "by which mapping chooses it");
  f.text("fields", fields_text, "as mapping takes it");
}

void DramStandard::fields(Fields& f) {
  f.text("family", family, "whose rules the checker applies: ddr4, ddr5, lpddr5, gddr6, hbm2, hbm3");
  f.text("document", document, "the standard's number");
  f.object("organisation", organisation, "channels, banks, rows, clock");
  f.list("timings", timings, "named times, each with its source");
  f.text_list("replaced_timings", replaced_timings, "clocks in place of those above: \"nFAW=40\"");
  f.list("constraints", constraints, "rules between commands");
  f.object("power", power, "currents, or energy of events");
  f.list("mappings", mappings, "named address mappings");
  f.text(
      "mapping", mapping,
      "fields of an address from its top: \"row:rank:bank:group:column:channel:pseudo\", a field in parts as "
      "column[3] (three bits), then XOR terms \"; bank ^= row[0]\"; or the name of one of mappings");
}

}  // namespace mesim
