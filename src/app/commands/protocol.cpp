// mesim protocol PROTOCOL [--format text|html|dot] [--directory KIND]
#include <memory>

#include "app/commands/commands.hpp"
#include "coherence/checker/protocols.hpp"

namespace mesim {
namespace {

struct Options {
  checker::ProtocolChoice choice;
  std::string format = "text";
  std::string events = "core";
  std::string directory = "full";
};

Exit print_protocol(Options& options, Output& out) {
  options.choice.all_events = options.events == "all";
  options.choice.directory.kind = directory_kind_from(options.directory);
  const ProtocolListing listing = checker::protocol_listing(options.choice);
  out.write(options.format == "html"  ? listing_html(listing)
            : options.format == "dot" ? listing_dot(listing)
                                      : listing_text(listing));
  return Exit::ok;
}

}  // namespace

Command protocol_command() {
  return {
      "protocol",
      "print a coherence protocol's table, the one that runs and is verified",
      {"mesim protocol mesi-directory", "mesim protocol msi-directory --directory limited-no-broadcast",
       "mesim protocol dragon-bus --format dot | dot -Tsvg > dragon.svg"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.positional("PROTOCOL", options->choice.name, "mesi-directory, mesi-bus, ...");
        arguments.choice("--format", options->format, {"text", "html", "dot"}, "how to print it");
        arguments.flag("--nonstalling", options->choice.nonstalling, "caches take forwards while they wait");
        arguments.choice("--events", options->events, {"core", "all"}, "all: with recall and DMA");
        arguments.choice("--directory", options->directory,
                         {"full", "limited-broadcast", "limited-no-broadcast", "coarse", "sparse"},
                         "what the home remembers of the sharers; the table has the rows that this needs");
        return [options](Output& out) { return print_protocol(*options, out); };
      },
      "Protocols: " + fmt::format("{}", fmt::join(checker::protocol_names(), ", ")) + "."};
}

}  // namespace mesim
