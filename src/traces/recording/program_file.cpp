#include "traces/recording/program_file.hpp"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "sim/error.hpp"

namespace mesim {
namespace {

constexpr std::uint64_t page = 4096;

// The file's bytes with every access checked.
class Image {
 public:
  explicit Image(const std::string& path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw file_error(path, "cannot open", errno);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  template <typename T>
  std::span<const T> table(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T))
      throw bad_input({path_}, "not a complete ELF file");
    return {reinterpret_cast<const T*>(bytes_.data() + offset), count};
  }
  std::string_view text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const char* const at = bytes_.data() + offset;
    return {at, strnlen(at, bytes_.size() - offset)};
  }

 private:
  std::string path_;
  std::string bytes_;
};

// Only what is mangled: the demangler also reads the codes of built-in types, and a variable `m` of the
// program is no `unsigned long`.
std::string readable(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  int status = 0;
  char* const text = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : std::string(name);
  std::free(text);
  return result;
}

void read_extent(const Image& image, const Elf64_Ehdr& header, ProgramFile& file) {
  file.begin = ~std::uint64_t{0};
  for (const auto& segment : image.table<Elf64_Phdr>(header.e_phoff, header.e_phnum)) {
    if (segment.p_type == PT_TLS) {
      const std::uint64_t align = std::max<std::uint64_t>(segment.p_align, 1);
      file.thread_bytes = (segment.p_memsz + align - 1) / align * align;
    }
    if (segment.p_type != PT_LOAD) continue;
    file.begin = std::min(file.begin, segment.p_vaddr / page * page);
    file.end = std::max(file.end, (segment.p_vaddr + segment.p_memsz + page - 1) / page * page);
  }
}

void read_symbols(const Image& image, const Elf64_Ehdr& header, ProgramFile& file) {
  const auto sections = image.table<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const std::uint64_t names = sections[section.sh_link].sh_offset;
    for (const auto& symbol :
         image.table<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
      const auto name = image.text(names + symbol.st_name);
      if (type == STT_OBJECT) file.variables.push_back({symbol.st_value, symbol.st_size, readable(name), ""});
      // Thread-local variables of the executable end at the thread pointer.
      if (type == STT_TLS)
        file.thread_variables.push_back(
            {symbol.st_value - file.thread_bytes, symbol.st_size, readable(name), ""});
    }
  }
}

}  // namespace

ProgramFile read_program_file(const std::string& path) {
  const Image image(path);
  const auto& header = image.table<Elf64_Ehdr>(0, 1)[0];
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw bad_input({path}, "not a 64-bit ELF executable");
  ProgramFile file;
  read_extent(image, header, file);
  read_symbols(image, header, file);
  return file;
}

}  // namespace mesim
