// ChampSim's binary traces (inc/trace_instruction.h of ChampSim): one little-endian struct per instruction
// with its natural padding. Plain: 64 bytes, two destination and four source registers, two written and four
// read addresses, 0 = none. "Cloudsuite": 96 bytes, four destinations of each kind and an address-space
// number; Record keeps its first two destination registers. The format has no sizes: a reference touches the
// byte it names.
#include "traces/file_format.hpp"
#include "traces/source_error.hpp"
#include "traces/text_stream.hpp"

namespace mesim {
namespace {

struct Plain {
  std::uint64_t ip;
  std::uint8_t is_branch, taken, destination[2], source[4];
  std::uint64_t written[2], read[4];
};
static_assert(sizeof(Plain) == 64);

struct Cloudsuite {
  std::uint64_t ip;
  std::uint8_t is_branch, taken, destination[4], source[4];
  std::uint64_t written[4], read[4];
  std::uint8_t address_space[2];
};
static_assert(sizeof(Cloudsuite) == 96);

static_assert(std::endian::native == std::endian::little);

// The records of one instruction: its fetch, its loads, its stores. How many there are.
template <typename Instruction>
std::size_t expand(const Instruction& in, Record* out) {
  Record* r = out;
  *r = Record{};
  r->address = r->pc = in.ip;
  r->size = 1;
  r->kind = RecordKind::fetch;
  r->flags = static_cast<std::uint8_t>((in.is_branch ? flag_branch : 0) | (in.taken ? flag_taken : 0));
  r->registers = {in.destination[0], in.destination[1], in.source[0],
                  in.source[1],      in.source[2],      in.source[3]};
  ++r;
  const auto add = [&](std::uint64_t address, RecordKind kind) {
    if (address == 0) return;
    *r = Record{};
    r->address = address;
    r->pc = in.ip;
    r->size = 1;
    r->kind = kind;
    ++r;
  };
  for (const std::uint64_t address : in.read) add(address, RecordKind::load);
  for (const std::uint64_t address : in.written) add(address, RecordKind::store);
  return static_cast<std::size_t>(r - out);
}

template <typename Instruction>
class ChampSimStream final : public RecordStream {
 public:
  ChampSimStream(std::unique_ptr<ByteSource> source, const std::string& path)
      : source_(std::move(source)), path_(path) {}

  std::span<const Record> next() override {
    constexpr std::size_t most = 1 + std::size(Instruction{}.read) + std::size(Instruction{}.written);
    if (position_ == instructions_ && !refill()) return {};
    std::size_t count = 0;
    while (position_ != instructions_ && count + most <= batch_records)
      count += expand(block_[position_++], batch_.data() + count);
    records_ += count;
    return {batch_.data(), count};
  }

 private:
  bool refill() {
    do {
      const std::size_t got =
          read_or_fail(*source_, path_, reinterpret_cast<char*>(block_.data()), sizeof(block_), records_);
      if (got == 0 && leftover_ != 0) fail_partial();
      if (got == 0) return false;
      offset_ += got;
      leftover_ = got % sizeof(Instruction);  // reads are short only at the end or before a fault
      instructions_ = got / sizeof(Instruction);
    } while (instructions_ == 0);
    position_ = 0;
    return true;
  }

  [[noreturn]] void fail_partial() const {
    const bool plain = std::string_view(source_->compression()) == "none";
    throw bad_input({path_},
                    fmt::format("byte offset {}{}, after {} records: partial last record of {} bytes, "
                                "expected {}",
                                offset_ - leftover_, plain ? "" : " (decompressed)", records_, leftover_,
                                sizeof(Instruction)));
  }

  std::unique_ptr<ByteSource> source_;
  std::string path_;
  std::array<Instruction, 1024> block_;
  std::size_t position_ = 0;
  std::size_t instructions_ = 0;
  std::size_t leftover_ = 0;  // bytes of a partial record at the end of the last block
  std::uint64_t offset_ = 0;
  std::uint64_t records_ = 0;
  std::array<Record, batch_records> batch_;
};

// Enough of the head must look like instructions: flags that are 0 or 1, an address that is not null.
template <typename Instruction>
bool fits(std::string_view head) {
  const std::size_t count = std::min<std::size_t>(head.size() / sizeof(Instruction), 256);
  for (std::size_t i = 0; i < count; ++i) {
    Instruction in;
    std::memcpy(&in, head.data() + i * sizeof(in), sizeof(in));
    if (in.is_branch > 1 || in.taken > 1 || in.ip == 0) return false;
  }
  return count != 0;
}

template <typename Instruction>
std::unique_ptr<RecordStream> open(std::unique_ptr<ByteSource> source, const std::string& path) {
  return std::make_unique<ChampSimStream<Instruction>>(std::move(source), path);
}

}  // namespace

const FileFormat champsim_format{
    "champsim", "ChampSim's binary records of 64 bytes", nullptr, fits<Plain>, open<Plain>, false, no_sizes};
const FileFormat champsim_cloudsuite_format{
    "champsim-cloudsuite",
    "ChampSim's Cloudsuite records of 96 bytes; only when named",
    nullptr,
    nullptr,
    open<Cloudsuite>,
    false,
    "the format has no sizes, and of four destination registers two are kept"};

}  // namespace mesim
