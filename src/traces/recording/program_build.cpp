#include "traces/recording/program_build.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/error.hpp"
#include "traces/recorder/renamed.hpp"
#include "traces/recording/process.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

bool is_c(const fs::path& source) { return source.extension() == ".c"; }

bool is_cpp(const fs::path& source) {
  static const std::vector<std::string> suffixes = {".cpp", ".cc", ".cxx", ".c++", ".C", ".cp"};
  return std::find(suffixes.begin(), suffixes.end(), source.extension().string()) != suffixes.end();
}

void check_source(const std::string& source) {
  if (!is_c(source) && !is_cpp(source))
    throw bad_input({source},
                    fmt::format("is not C or C++ source: found suffix '{}', expected .c, .cc, .cpp, .cxx "
                                "or .C",
                                fs::path(source).extension().string()));
  if (!fs::exists(source)) throw file_error(source, "cannot be found");
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Calls of library functions stay calls, also where the compiler knows what they do.
std::vector<std::string> no_builtin_flags() {
  std::vector<std::string> flags = {"-fno-tree-loop-distribute-patterns"};
  for (const auto name : recorder::renamed_functions)
    if (name.front() != '_') flags.push_back(fmt::format("-fno-builtin-{}", name));
  return flags;
}

void compile(const ProgramSources& program, const std::string& source, const RecorderFiles& recorder,
             const std::string& object) {
  ProcessRequest request;
  request.command =
      is_c(source) ? std::vector<std::string>{"gcc"} : std::vector<std::string>{"g++", "-std=gnu++20"};
  append(request.command, {"-O1", "-g", "-pthread", "-I", recorder.headers});
  append(request.command, program.compiler_flags);
  append(request.command, no_builtin_flags());
  append(request.command, {"-include", recorder.headers + "/mesim/recorded_builtins.h", "-fsanitize=thread",
                           "-fPIE", "-c", source, "-o", object});
  if (!run_process(request).succeeded()) throw bad_input({source}, "does not compile (see above)");
}

std::vector<std::string> undefined_symbols(const std::string& object) {
  ProcessRequest request;
  request.command = {"nm", "--undefined-only", "--format=just-symbols", object};
  request.output_path = object + ".undefined";
  if (!run_process(request).succeeded()) throw bad_input({object}, "nm cannot read it");
  std::vector<std::string> names;
  std::ifstream in(request.output_path);
  for (std::string name; std::getline(in, name);) names.push_back(name);
  return names;
}

// Library functions that the object calls get the recorder's names; those that the program defines itself
// (an operator new of its own) keep theirs.
void rename_calls(const std::string& object) {
  const auto undefined = undefined_symbols(object);
  const std::string list = object + ".renamed";
  {
    std::ofstream out(list);
    for (const auto name : recorder::renamed_functions)
      if (std::find(undefined.begin(), undefined.end(), name) != undefined.end())
        out << name << ' ' << recorder::renaming_prefix << name << '\n';
  }
  ProcessRequest request;
  request.command = {"objcopy", "--redefine-syms=" + list, object};
  if (!run_process(request).succeeded()) throw bad_input({object}, "objcopy cannot rename its calls");
}

void link(const ProgramSources& program, const RecorderFiles& recorder,
          const std::vector<std::string>& objects, const std::string& executable) {
  ProcessRequest request;
  // Linked at fixed addresses: names and code addresses then need no translation.
  request.command = {"g++", "-no-pie", "-pthread", "-o", executable};
  append(request.command, objects);
  append(request.command, {"-Wl,--whole-archive", recorder.library, "-Wl,--no-whole-archive"});
  append(request.command, program.linker_flags);
  if (!run_process(request).succeeded())
    throw bad_input({program.sources.front()}, "does not link (see above)");
}

}  // namespace

RecorderFiles find_recorder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const auto& [library, headers] : {std::pair{folder / "libmesim_recorder.a", folder / "include"},
                                         std::pair{folder.parent_path() / "lib/mesim/libmesim_recorder.a",
                                                   folder.parent_path() / "include"}}) {
    if (fs::exists(library) && fs::exists(headers / "mesim/recorded_builtins.h"))
      return {library.string(), headers.string()};
  }
  throw file_error((folder / "libmesim_recorder.a").string(),
                   "the recorder's library or headers are neither beside the program nor in ../lib/mesim");
}

std::string build_program(const ProgramSources& program, const RecorderFiles& recorder,
                          const std::string& folder) {
  for (const auto& source : program.sources) check_source(source);
  std::vector<std::string> objects;
  for (const auto& source : program.sources) {
    objects.push_back(fmt::format("{}/{:03}.o", folder, objects.size()));
    compile(program, source, recorder, objects.back());
    rename_calls(objects.back());
  }
  const std::string executable = folder + "/program";
  link(program, recorder, objects, executable);
  return executable;
}

}  // namespace mesim
