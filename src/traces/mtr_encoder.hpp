// The records of one thread as control and address bytes (see mtr_format.hpp). The policies of prediction
// live here: when a stride changes, when a successor changes.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "traces/mtr_format.hpp"
#include "traces/record.hpp"

namespace mesim::mtr {

class Encoder {
 public:
  Encoder();
  void append(const Record& record);

  // Of the chunk so far.
  std::uint64_t records() const { return records_; }
  std::size_t bytes() const { return control_.size() + addresses_.size(); }
  // Ends the chunk: its control bytes, its address bytes (valid until the next `append`).
  struct Chunk {
    const std::string& control;
    const std::string& addresses;
    std::uint64_t records;
  };
  Chunk finish();
  void start_chunk();

 private:
  struct Site {
    Record last;  // the last record of the site
    std::uint64_t stride = 0;
    std::uint64_t last_difference = 0;
    std::uint32_t next = 0;
    std::uint8_t next_confidence = 0;
    bool fresh = true;  // seen once
  };
  struct KeyHash {
    std::size_t operator()(const Record& key) const;
  };

  static Record key_of(const Record& record);
  static bool same_site(const Record& a, const Record& b);
  void append_event(const Record& record);
  std::uint32_t define(const Record& record);
  void put_definition(const Record& record, const Record& previous);
  unsigned put_address(Site& site, const Record& record, bool defined);
  unsigned put_difference(std::uint64_t difference);

  std::vector<Site> sites_;  // 0 is the start, of no record
  tsl::robin_map<Record, std::uint32_t, KeyHash> numbers_;
  std::uint32_t current_ = 0;
  std::uint32_t oldest_ = 1;
  std::uint64_t anchor_ = 0;  // address of the last record with an address difference
  std::uint64_t run_ = 0;
  std::uint64_t records_ = 0;
  std::string control_;
  std::string addresses_;
};

// LEB128: seven bits a byte, the low ones first.
inline void put_number(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

}  // namespace mesim::mtr
