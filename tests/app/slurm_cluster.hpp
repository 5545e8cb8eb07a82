// A Slurm of one node on the loopback interface, with folders, keys and ports of its own, for as long as it
// lives: munged, slurmctld and slurmd (Debian's packages of these names).
#pragma once
#include <optional>
#include <string>

#include "tests/app/mesim_process.hpp"

namespace mesim::test {

class SlurmCluster {
 public:
  // What keeps a cluster from running here; none: nothing.
  static std::optional<std::string> missing();
  SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;
  ~SlurmCluster();

  bool up() const { return up_; }
  std::string logs() const;
  // The path of its slurm.conf, to be had in SLURM_CONF.
  const std::string& config() const { return config_; }

 private:
  void stop(const std::string& pid_file) const;

  TemporaryFolder folder_;
  std::string config_;
  bool up_ = false;
};

}  // namespace mesim::test
