// Slurm's commands: submitting a script and asking what has become of it. https://slurm.schedmd.com,
// sbatch(1) and squeue(1).
#pragma once
#include <string>
#include <vector>

namespace mesim {

class SlurmQueue {
 public:
  // What the commands say is kept in files of `folder`.
  explicit SlurmQueue(std::string folder) : folder_(std::move(folder)) {}

  // The number of the new job. Throws file_error without Slurm, bad_input with what sbatch says.
  std::string submit(const std::vector<std::string>& sbatch) const;
  // Whether any of these jobs waits, runs or is about to run again. A queue that does not answer counts as
  // yes.
  bool any_left(const std::vector<std::string>& jobs) const;

 private:
  std::string folder_;
};

}  // namespace mesim
