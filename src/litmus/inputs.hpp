// Where litmus tests come from: files, folders and archives.
#pragma once
#include <string>
#include <vector>

namespace mesim::litmus {

struct TestInput {
  std::string file;  // for messages and results; of an archive's member "tests.tar.xz:folder/SB.litmus"
  std::string text;
};

// The tests of each path in turn: of a folder its *.litmus files, recursively, by name; of a tar archive
// (POSIX.1-2001 ustar and pax, GNU long names; plain or compressed with gzip, xz, zstd, bzip2) its *.litmus
// members in their order; else the file itself.
// Errors: Exit::io for a path that cannot be read; Exit::bad_input for a damaged archive, and for a folder or
// an archive without tests.
std::vector<TestInput> collect_tests(const std::vector<std::string>& paths);

// A whole file, decompressed if it is compressed.
std::string read_whole_file(const std::string& path);

}  // namespace mesim::litmus
