// Entry point. No command runs inside SystemC, so the program is not linked with it: its library would take
// more time to initialise than a small command takes altogether.
#include "app/command_line.hpp"
#include "app/commands/commands.hpp"
#include "app/guard.hpp"

int main(int argc, char** argv) {
  return mesim::guarded_main([&](mesim::Output& out) {
    return mesim::run_command_line(mesim::all_commands(), {argv + 1, argv + argc}, out);
  });
}
