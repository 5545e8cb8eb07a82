#include "litmus/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "sim/error.hpp"
#include "traces/byte_source.hpp"

namespace mesim::litmus {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t tar_block = 512;

bool is_test(std::string_view name) {
  constexpr std::string_view ending = ".litmus";
  return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
}

bool is_tar(std::string_view bytes) { return bytes.size() >= tar_block && bytes.substr(257, 5) == "ustar"; }

std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find('\0'));
}

// The path of a pax extended header, whose records are "LENGTH KEY=VALUE\n".
std::string pax_path(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    std::size_t length = 0;
    std::from_chars(records.data(), records.data() + records.size(), length);
    if (length == 0 || length > records.size()) break;
    const std::string_view record = records.substr(0, length);
    const std::size_t blank = record.find(' ');
    if (record.substr(blank + 1, 5) == "path=") path = record.substr(blank + 6, length - blank - 7);
    records.remove_prefix(length);
  }
  return path;
}

std::vector<TestInput> tar_members(const std::string& path, std::string_view bytes) {
  std::vector<TestInput> tests;
  std::string long_name;
  for (std::size_t at = 0; at + tar_block <= bytes.size() && bytes[at] != '\0';) {
    const std::string_view header = bytes.substr(at, tar_block);
    const std::string_view size_text = field(header, 124, 12);
    const std::size_t digits = std::min(size_text.find_first_not_of(' '), size_text.size());
    std::size_t size = 0;
    const auto parsed =
        std::from_chars(size_text.data() + digits, size_text.data() + size_text.size(), size, 8);
    at += tar_block;
    if (!is_tar(header) || parsed.ec != std::errc{} || size > bytes.size() - at) {
      throw bad_input({path},
                      fmt::format("the archive is damaged at byte {}: expected a ustar header and its "
                                  "member of the size it names",
                                  at - tar_block));
    }
    const std::string_view body = bytes.substr(at, size);
    at += (size + tar_block - 1) / tar_block * tar_block;
    const char type = header[156];
    if (type == 'L') {
      long_name = body.substr(0, body.find('\0'));
      continue;
    }
    if (type == 'x') {
      long_name = pax_path(body);
      continue;
    }
    std::string name = long_name;
    if (name.empty()) {
      const std::string_view prefix = field(header, 345, 155);
      name = fmt::format("{}{}{}", prefix, prefix.empty() ? "" : "/", field(header, 0, 100));
    }
    long_name.clear();
    if ((type == '0' || type == '\0') && is_test(name))
      tests.push_back({path + ":" + name, std::string(body)});
  }
  if (tests.empty()) throw bad_input({path}, "the archive has no *.litmus file");
  return tests;
}

std::vector<TestInput> folder_tests(const std::string& path) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_test(entry->path().native()) && !entry->is_directory()) files.push_back(entry->path().native());
  }
  if (error) throw file_error(path, "the folder cannot be read", error.value());
  if (files.empty()) throw bad_input({path}, "the folder has no *.litmus file");
  std::sort(files.begin(), files.end());
  std::vector<TestInput> tests;
  for (const std::string& file : files) tests.push_back({file, read_whole_file(file)});
  return tests;
}

}  // namespace

std::string read_whole_file(const std::string& path) {
  const auto source = open_bytes(path);
  std::string bytes;
  std::size_t have = 0;
  try {
    while (true) {
      bytes.resize(std::max<std::size_t>(8192, 2 * have));
      const std::size_t got = source->read(bytes.data() + have, bytes.size() - have);
      if (got == 0) break;
      have += got;
    }
  } catch (const SourceFault& fault) {
    throw bad_input({path}, fmt::format("damaged {} data at byte {}: {}", source->compression(), fault.offset,
                                        fault.what));
  }
  bytes.resize(have);
  return bytes;
}

std::vector<TestInput> collect_tests(const std::vector<std::string>& paths) {
  std::vector<TestInput> tests;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      for (TestInput& test : folder_tests(path)) tests.push_back(std::move(test));
      continue;
    }
    std::string bytes = read_whole_file(path);
    if (is_tar(bytes)) {
      for (TestInput& test : tar_members(path, bytes)) tests.push_back(std::move(test));
    } else {
      tests.push_back({path, std::move(bytes)});
    }
  }
  return tests;
}

}  // namespace mesim::litmus
