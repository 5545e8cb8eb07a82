// Runs the built `mesim` as a user does.
#pragma once
#include <string>
#include <vector>

namespace mesim::test {

struct Finished {
  int status = -1;  // exit status; 128 + N after signal N
  std::string out;
  std::string err;
};

// `arguments` without the program's name; `folder` is the working
// directory (empty: this one). Standard input is empty.
Finished run_mesim(const std::vector<std::string>& arguments, const std::string& folder = "");

// Through `sh -c`, in which "$MESIM" is the program: for pipes and redirections.
Finished run_shell(const std::string& script, const std::string& folder = "");

// A folder that is removed at the end of its life.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }
  // Writes a file below it and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace mesim::test
