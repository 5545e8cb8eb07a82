// Runs another program and waits for it.
#pragma once
#include <string>
#include <vector>

namespace mesim {

struct ProcessRequest {
  std::vector<std::string> command;      // the program is looked up in PATH
  std::vector<std::string> environment;  // NAME=VALUE beside the own environment
  std::string input_path;                // standard input, empty: the own
  std::string output_path;               // standard output, empty: standard error, so that ours stays clean
  std::string error_path;                // standard error, empty: the own
  bool fixed_addresses = false;          // without address-space randomisation, where the system allows that
};

struct ProcessResult {
  int exit_status = 0;
  int signal = 0;                // that ended it, 0: none
  bool addresses_fixed = false;  // the system did allow it
  bool succeeded() const { return signal == 0 && exit_status == 0; }
};

// Throws Error when the program cannot be started.
ProcessResult run_process(const ProcessRequest& request);

}  // namespace mesim
