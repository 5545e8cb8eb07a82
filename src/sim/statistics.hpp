// Statistics: parts count in plain structs while they run and hand the counters over once, at the end,
// through a StatWriter; the result's `/stats/COMPONENT/...` is what it collected.
//
//   void L1Counters::write(StatWriter& out) const {       // between begin("l1d0") and end()
//     out.count("reads", reads);
//   }
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mesim {

class StatWriter {
 public:
  virtual ~StatWriter() = default;
  // Opens a component, or a group inside one; names are unique among siblings.
  virtual void begin(std::string_view component) = 0;
  virtual void end() = 0;
  // An event count: totals sum it over the components of a kind.
  virtual void count(std::string_view name, std::uint64_t events) = 0;
  // A ratio, mean or rate, its unit in the name: never summed.
  virtual void value(std::string_view name, double number) = 0;
};

struct Stat {
  std::string name;
  std::variant<std::uint64_t, double> value;
};

// One component: its own figures, then its groups or parts, both in the order written.
struct StatNode {
  std::string name;
  std::vector<Stat> stats;
  std::vector<StatNode> children;

  const StatNode* child(std::string_view wanted) const;  // nullptr if there is none
  // The count `wanted` of this node; 0 if it was never written, which is what an absent event counts.
  std::uint64_t count(std::string_view wanted) const;
};

// A StatWriter that keeps everything as a tree. Writing a component twice, or a figure twice in one
// component, throws std::logic_error: two parts must not share a name.
class StatTree final : public StatWriter {
 public:
  void begin(std::string_view component) override;
  void end() override;
  void count(std::string_view name, std::uint64_t events) override;
  void value(std::string_view name, double number) override;

  const StatNode& root() const { return root_; }
  const StatNode* component(std::string_view name) const { return root_.child(name); }

  // Adds the component `total`. Components of one kind are named KIND and a number (l1d0, l1d1). Counts of
  // the kinds in `flat` are summed into total/NAME (kinds in `flat` must not share a counter name); those of
  // every other numbered kind into total/KIND/NAME. Groups inside components are not summed.
  void add_totals(const std::vector<std::string>& flat);

 private:
  StatNode& open();
  void add(std::string_view name, std::variant<std::uint64_t, double> value);

  StatNode root_;
  std::vector<std::size_t> path_;  // child indices from the root to the open component
};

// "l1d12" -> "l1d"; empty if the name has no number at its end.
std::string_view component_kind(std::string_view name);

}  // namespace mesim
