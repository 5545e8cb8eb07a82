// Reference data that the project does not ship. It lies in the folder MESIM_SHARED_DATA, or beside the
// checkout in ../shared/data. A test that needs it begins with
//     const auto file = shared_data("traces/mm_64.lackey.xz");
//     if (!file) return;
// and is reported as skipped when the data is absent.
#pragma once
#include <optional>
#include <string>

namespace mesim::test {

std::optional<std::string> shared_data(const std::string& path);
// For what else a test may lack, such as a program: reports it as skipped.
void note_skipped();
bool something_was_skipped();

}  // namespace mesim::test
