// The byte and energy ledgers: who moved how much over which link, and what each event cost. Every sum stands
// beside its parts, counted separately, so that `imbalances` can tell a lost byte from a saved one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesim {

// Bytes over the links and levels. `read` flows towards the requester, `written` away from it.
class ByteLedger {
 public:
  struct Share {
    std::string requester;
    std::uint64_t read = 0;
    std::uint64_t written = 0;
  };
  struct Link {
    std::string name;
    std::uint64_t read = 0;  // as the link itself counted
    std::uint64_t written = 0;
    std::vector<Share> by;  // as the requesters counted
  };

  // What a link or level moved by its own count. Each link is entered once.
  void link(std::string_view name, std::uint64_t read_bytes, std::uint64_t written_bytes);
  // What one requester moved over a link entered before; several entries of one requester add up.
  void share(std::string_view name, std::string_view requester, std::uint64_t read_bytes,
             std::uint64_t written_bytes);

  const std::vector<Link>& links() const { return links_; }
  const Link* find(std::string_view name) const;  // nullptr if no such link was entered

 private:
  std::vector<Link> links_;
};

// What kind of thing a component is: "cores", "caches", "directory", "interconnect", "memory", or "other".
std::string_view energy_group(std::string_view component);

// Energy in picojoules: event counts times the energy of one event, plus static power times time.
class EnergyLedger {
 public:
  struct Entry {
    std::string component;
    std::string event;
    std::uint64_t events = 0;
    double pj_each = 0;
    double pj() const { return static_cast<double>(events) * pj_each; }
  };
  struct Static {
    std::string component;
    double power_mw = 0;
    double time_ns = 0;
    double pj() const { return power_mw * time_ns; }  // 1 mW x 1 ns = 1 pJ
  };

  explicit EnergyLedger(std::string technology = {}) : technology_(std::move(technology)) {}

  void event(std::string_view component, std::string_view name, std::uint64_t events, double pj_each);
  void leakage(std::string_view component, double power_mw, double time_ns);  // once for a component

  const std::string& technology() const { return technology_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<Static>& statics() const { return statics_; }
  double static_pj() const;
  double total_pj() const;

 private:
  std::string technology_;
  std::vector<Entry> entries_;
  std::vector<Static> statics_;
};

}  // namespace mesim
