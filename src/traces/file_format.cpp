#include "traces/file_format.hpp"

namespace mesim {

std::span<const FileFormat* const> file_formats() {
  static constexpr const FileFormat* formats[] = {
      &lackey_format,  &din_format,         &champsim_format,     &champsim_cloudsuite_format,
      &proc_rw_format, &per_core_rw_format, &per_core_012_format,
  };
  return formats;
}

const FileFormat* find_file_format(std::string_view name) {
  for (const FileFormat* format : file_formats())
    if (name == format->name) return format;
  return nullptr;
}

}  // namespace mesim
