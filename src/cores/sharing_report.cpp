#include "cores/sharing_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim {
namespace {

// The first symbol that ends beyond `address`.
std::vector<Symbol>::const_iterator symbol_at(const std::vector<Symbol>& symbols, std::uint64_t address) {
  return std::partition_point(symbols.begin(), symbols.end(), [address](const Symbol& symbol) {
    return symbol.address + symbol.size_bytes <= address;
  });
}

void add_uses(std::vector<SharingFinding::Use>& uses, const std::vector<Symbol>& symbols, std::uint32_t core,
              std::uint64_t first, std::uint64_t last) {
  auto symbol = symbol_at(symbols, first);
  while (first <= last) {
    if (symbol == symbols.end() || symbol->address > last) {
      uses.push_back({core, first, last, {}, {}});
      return;
    }
    if (symbol->address > first) {
      uses.push_back({core, first, symbol->address - 1, {}, {}});
      first = symbol->address;
    }
    const std::uint64_t offset = first - symbol->address;
    const std::uint64_t end = std::min(last, symbol->address + symbol->size_bytes - 1);
    uses.push_back({core, first, end, offset == 0 ? symbol->name : fmt::format("{}+{}", symbol->name, offset),
                    symbol->origin});
    first = end + 1;
    ++symbol;
  }
}

}  // namespace

std::vector<SharingFinding> sharing_findings(const SharingTracker& sharing,
                                             const std::vector<Symbol>& symbols, std::size_t limit) {
  std::vector<SharingFinding> findings;
  for (SharedLine& line : sharing.worst(limit)) {
    SharingFinding finding;
    for (const SharedLine::Bytes& bytes : line.bytes) {
      for (const auto& [first, last] : bytes.runs) {
        add_uses(finding.uses, symbols, bytes.core, line.address + first, line.address + last);
      }
    }
    finding.line = std::move(line);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace mesim
