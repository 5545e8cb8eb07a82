// `--expect TSV`: compares results with a table of columns test, model, observation, states (and perhaps
// flags), as herd7's results are published: states between "||", items between ";".
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "litmus/results.hpp"

namespace mesim::litmus {

class Expectations {
 public:
  // Errors: Exit::io; Exit::bad_input for missing columns, a wrong number of fields or an unknown model.
  explicit Expectations(const std::string& path);

  // Compares one result with the rows of its name. Names may repeat, in the table and among the files: a row
  // is met by any file of its name.
  void see(const TestResult& result);

  struct Summary {
    std::size_t met = 0;
    std::size_t unasked = 0;               // rows of models or tests that were not run
    std::vector<std::string> differences;  // one line each
  };
  Summary summary() const;

 private:
  using State = std::vector<std::string>;  // items, sorted
  struct Row {
    std::string test;
    Model model;
    std::string observation;
    std::set<State> states;
    bool has_states = false;
    bool lower_bound = false;  // flags tell of loops that were cut
    bool met = false;
    std::string seen;  // what came instead
  };
  static std::set<State> parse_states(std::string_view text);

  std::vector<Row> rows_;
  std::multimap<std::string, std::size_t> by_test_;
};

}  // namespace mesim::litmus
