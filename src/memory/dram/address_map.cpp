#include "memory/dram/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim::dram {
namespace {

constexpr std::array<std::string_view, AddressMap::field_count> names = {"row",  "column", "bank",   "group",
                                                                         "rank", "pseudo", "channel"};

unsigned bits_of(std::uint32_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(trimmed(text.substr(begin, end - begin)));
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

Error wrong(const std::string& source, const std::string& message) {
  return bad_input({source}, "/memory/mapping", message);
}

// "column[3]" -> column, 3; -1 without a number.
std::pair<AddressMap::Field, int> field_of(const std::string& text, const std::string& source) {
  const auto bracket = text.find('[');
  const std::string name = trimmed(text.substr(0, bracket));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const std::vector<std::string> known(names.begin(), names.end());
    throw wrong(source,
                fmt::format("found '{}', expected the name of one of memory.mappings or a field: {}{}", text,
                            fmt::join(known, ", "), did_you_mean(name, known)));
  }
  int number = -1;
  if (bracket != std::string::npos) {
    const char* end = text.data() + text.size() - 1;
    const auto [stop, error] = std::from_chars(text.data() + bracket + 1, end, number);
    if (error != std::errc{} || stop != end || *end != ']' || number < 0 || number > 32) {
      throw wrong(source, fmt::format("found '{}', expected {}[BITS]", text, name));
    }
  }
  return {static_cast<AddressMap::Field>(found - names.begin()), number};
}

std::string mapping_text(const DramStandard& standard) {
  for (const DramMapping& m : standard.mappings) {
    if (m.name == standard.mapping) return m.fields_text;
  }
  return standard.mapping;
}

}  // namespace

AddressMap::AddressMap(const DramStandard& standard, const std::string& source)
    : geometry_(standard.organisation), channels_(standard.organisation.channels) {
  const DramOrganisation& o = standard.organisation;
  burst_bits_ = bits_of(geometry_.burst_bytes);
  divides_ = !std::has_single_bit(channels_);
  width_ = {static_cast<std::uint8_t>(bits_of(o.rows)),
            static_cast<std::uint8_t>(bits_of(geometry_.bursts)),
            static_cast<std::uint8_t>(bits_of(o.banks_per_group)),
            static_cast<std::uint8_t>(bits_of(o.bank_groups)),
            static_cast<std::uint8_t>(bits_of(o.ranks)),
            static_cast<std::uint8_t>(bits_of(o.pseudo_channels)),
            static_cast<std::uint8_t>(divides_ ? 0 : bits_of(channels_))};
  const auto parts = split(mapping_text(standard), ';');
  place_fields(parts[0], source);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (const std::string& term : split(parts[i], ',')) add_xor(term, source);
  }
  const std::uint64_t one =
      std::uint64_t{geometry_.banks()} * o.rows * geometry_.bursts * geometry_.burst_bytes;
  capacity_ = one * channels_;
  wrap_ = divides_ ? one : capacity_;
  make_digits();
  find_stripes();
}

void AddressMap::place_fields(const std::string& text, const std::string& source) {
  std::array<unsigned, field_count> left{};
  for (std::size_t f = 0; f < field_count; ++f) left[f] = width_[f];
  std::array<bool, field_count> seen{};
  const auto parts = split(text, ':');
  unsigned bit = burst_bits_;
  // From the bottom up: a part takes the field's lowest bits that are not yet placed, the topmost the rest.
  for (std::size_t i = parts.size(); i-- > 0;) {
    const auto [field, wanted] = field_of(parts[i], source);
    bool more = false;  // does another part of this field follow above?
    for (std::size_t j = 0; j < i; ++j) more = more || field_of(parts[j], source).first == field;
    if (more && wanted < 0) {
      throw wrong(source,
                  fmt::format("{} stands more than once; expected all but the topmost with a number of bits",
                              names[field]));
    }
    if (wanted >= 0 && static_cast<unsigned>(wanted) > left[field]) {
      throw wrong(source,
                  fmt::format("found {}, expected at most the {} bits that are left", parts[i], left[field]));
    }
    const unsigned take = wanted >= 0 ? static_cast<unsigned>(wanted) : left[field];
    if (field == channel && divides_ && !seen[field]) channel_bit_ = bit;
    if (take != 0) {
      pieces_.push_back({field, static_cast<std::uint8_t>(bit),
                         static_cast<std::uint8_t>(width_[field] - left[field]),
                         (std::uint64_t{1} << take) - 1});
    }
    seen[field] = true;
    left[field] -= take;
    bit += take;
  }
  for (std::size_t f = 0; f < field_count; ++f) {
    if (left[f] != 0 || (f == channel && divides_ && !seen[f])) {
      throw wrong(source, fmt::format("{} bits of '{}' are not placed in '{}'", left[f], names[f], text));
    }
  }
  if (!std::has_single_bit(geometry_.rows) && (pieces_.empty() || pieces_.back().field != row)) {
    throw wrong(source, fmt::format("with {} rows, no power of two, expected row as the topmost field",
                                    geometry_.rows));
  }
}

void AddressMap::add_xor(const std::string& text, const std::string& source) {
  const auto at = text.find("^=");
  if (at == std::string::npos)
    throw wrong(source, fmt::format("found '{}', expected FIELD ^= FIELD[BIT]", text));
  const Field target = field_of(trimmed(text.substr(0, at)), source).first;
  const auto [with, shift] = field_of(trimmed(text.substr(at + 2)), source);
  if (with != row && with != column) throw wrong(source, "only row and column may be XORed into a field");
  if (target == row || target == column || (target == channel && divides_)) {
    throw wrong(
        source,
        fmt::format("found '{}', expected a bank, group, rank, pseudo or a channel of a power of two", text));
  }
  xors_.push_back({target, with, static_cast<std::uint8_t>(std::max(shift, 0)), (1U << width_[target]) - 1});
}

// Field by field, as the text says.
Location AddressMap::place_of(std::uint64_t burst) const {
  Values values{};
  for (const Piece& p : pieces_) {
    values[p.field] |= static_cast<std::uint32_t>(burst >> (p.address_bit - burst_bits_) & p.mask)
                       << p.field_bit;
  }
  mix(values);
  const std::uint32_t rank_index = values[pseudo] * geometry_.ranks + values[rank];
  const std::uint32_t group_index = rank_index * geometry_.groups + values[group];
  return {values[channel], values[row], values[column],
          static_cast<std::uint8_t>(group_index * geometry_.banks_per_group + values[bank])};
}

void AddressMap::make_digits() {
  const unsigned bits = static_cast<unsigned>(std::bit_width(wrap_ - 1)) - burst_bits_;
  digits_.resize((bits + 7) / 8);
  for (unsigned bit = 0; bit < bits; ++bit) {
    const Location at = place_of(std::uint64_t{1} << bit);
    const Packed packed = Packed{at.row} << 32 | Packed{at.column} << 16 | Packed{at.channel} << 8 | at.bank;
    const unsigned in_digit = 1U << bit % 8;
    for (unsigned value = 0; value < 256; ++value) {
      if ((value & in_digit) != 0) digits_[bit / 8][value] ^= packed;
    }
  }
}

void AddressMap::find_stripes() {
  for (const Xor& x : xors_) {
    if (x.with == column) return;
  }
  for (const Piece& p : pieces_) {
    if (p.field != column) continue;
    const std::uint64_t channels = divides_ && channel_bit_ <= p.address_bit ? channels_ : 1;
    stripes_ = {channels << (p.address_bit - burst_bits_), p.mask + 1};
    return;
  }
}

std::uint64_t AddressMap::encode(const Location& location) const {
  Values values{};
  values[row] = location.row;
  values[column] = location.column;
  std::uint32_t rest = location.bank;
  values[bank] = rest % geometry_.banks_per_group;
  rest /= geometry_.banks_per_group;
  values[group] = rest % geometry_.groups;
  rest /= geometry_.groups;
  values[rank] = rest % geometry_.ranks;
  values[pseudo] = rest / geometry_.ranks;
  values[channel] = divides_ ? 0 : location.channel;
  mix(values);  // its own inverse: what is XORed in stays as it is
  std::uint64_t address = 0;
  for (const Piece& p : pieces_) {
    address |= (std::uint64_t{values[p.field]} >> p.field_bit & p.mask) << p.address_bit;
  }
  if (!divides_) return address;
  const std::uint64_t low = address & ((std::uint64_t{1} << channel_bit_) - 1);
  return ((address >> channel_bit_) * channels_ + location.channel) << channel_bit_ | low;
}

}  // namespace mesim::dram
