// Records out of the control and address bytes of one thread (see mtr_format.hpp).
#pragma once
#include <cstdint>
#include <vector>

#include "traces/mtr_format.hpp"
#include "traces/record.hpp"

namespace mesim::mtr {

// The bytes are not what an encoder writes.
struct CorruptChunk {
  const char* what;
};

class Decoder {
 public:
  explicit Decoder(std::uint16_t thread);

  // The next chunk of the stream: `raw` has control bytes, then address bytes up to `raw_bytes`, then
  // margin_bytes more that may be read but do not count.
  void start_chunk(const std::uint8_t* raw, std::size_t control_bytes, std::size_t raw_bytes,
                   std::uint64_t records);
  std::uint64_t remaining() const { return remaining_; }
  // The next min(most, remaining) records. Throws CorruptChunk.
  std::size_t decode(Record* out, std::size_t most);

 private:
  // A site, 64 bytes; `next` is an offset in bytes into the array of sites.
  struct alignas(64) Site {
    std::uint64_t address = 0;
    std::uint64_t pc = 0;
    std::uint8_t rest[16] = {};  // Record from `size` on
    std::uint64_t stride = 0;
    std::uint64_t next = 0;
  };
  static_assert(sizeof(Site) == 64 && sizeof(Record) == 32);

  Site& site_at(std::uint64_t offset) {
    return *reinterpret_cast<Site*>(reinterpret_cast<char*>(sites_.data()) + offset);
  }
  Record* repeat(Record* out, std::uint64_t count);
  void decode_event(Record* out);
  std::uint64_t defined_site(const Site& previous);
  std::uint64_t numbered_site();
  void resize(Site& site);
  std::uint64_t difference(unsigned event);
  std::uint64_t number();
  static void emit(const Site& site, std::uint64_t address, Record* out);

  std::uint16_t thread_;
  std::vector<Site> sites_;
  std::uint64_t current_ = 0;  // offset of a site
  std::uint32_t oldest_ = 1;
  std::uint64_t anchor_ = 0;
  std::uint64_t run_ = 0;
  std::uint64_t remaining_ = 0;
  const std::uint8_t* control_ = nullptr;
  const std::uint8_t* control_end_ = nullptr;
  const std::uint8_t* addresses_ = nullptr;
  const std::uint8_t* addresses_end_ = nullptr;
};

}  // namespace mesim::mtr
