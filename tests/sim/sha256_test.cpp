#include "sim/sha256.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string digest(std::string_view text, std::size_t piece, bool extension) {
  mesim::Sha256 hash(extension);
  while (!text.empty()) {
    const auto part = text.substr(0, piece);
    hash.update({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
    text.remove_prefix(part.size());
  }
  return hash.hex();
}

}  // namespace

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples, in whatever pieces, by either code") {
  std::vector<std::pair<std::size_t, bool>> pieces;
  for (const std::size_t piece : {1U, 7U, 64U, 1000U})
    pieces.insert(pieces.end(), {{piece, false}, {piece, true}});
  const std::string a_million(1'000'000, 'a');
  for (const auto& [piece, extension] : pieces) {
    CHECK(digest("", piece, extension) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(digest("abc", piece, extension) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", piece, extension) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(digest(a_million, piece, extension) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}
