#include "tests/timeline_reader.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace mesim::test {
namespace {

// A message as protoc prints it: fields in their order, each a text or a message.
struct Node {
  std::vector<std::pair<std::string, Node>> fields;
  std::string text;

  const Node* find(const std::string& name) const {
    for (const auto& [field, node] : fields) {
      if (field == name) return &node;
    }
    return nullptr;
  }
  std::string value(const std::string& name) const {
    const Node* node = find(name);
    return node == nullptr ? "" : node->text;
  }
};

std::string unquoted(std::string text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

Node parse(std::istream& in) {
  Node node;
  std::string line;
  while (std::getline(in, line)) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    line.erase(0, first);
    if (line == "}") break;
    if (line.size() > 2 && line.substr(line.size() - 2) == " {") {
      node.fields.emplace_back(line.substr(0, line.size() - 2), parse(in));
      continue;
    }
    const auto colon = line.find(": ");
    Node leaf;
    leaf.text = unquoted(line.substr(colon + 2));
    node.fields.emplace_back(line.substr(0, colon), leaf);
  }
  return node;
}

void report_unknown(const Node& node, std::vector<std::string>& faults) {
  for (const auto& [name, inner] : node.fields) {
    if (name.find_first_not_of("0123456789") == std::string::npos) faults.push_back("unknown field " + name);
    report_unknown(inner, faults);
  }
}

struct Reader {
  ReadTimeline out;
  std::map<std::string, std::string> names, groups;
  std::map<std::string, std::pair<std::string, std::string>> tracks;
  std::map<std::string, std::vector<TimelineSlice>> open;
  std::map<std::string, std::uint64_t> last;

  void describe(const Node& track) {
    const std::string uuid = track.value("uuid");
    if (const Node* process = track.find("process")) {
      groups[process->value("pid")] = process->value("process_name");
    } else if (const Node* thread = track.find("thread")) {
      tracks[uuid] = {groups[thread->value("pid")], thread->value("thread_name")};
    } else {
      tracks[uuid] = {groups[track.value("parent_uuid")], track.value("name")};
    }
  }
  void happen(const Node& event, std::uint64_t at) {
    const std::string uuid = event.value("track_uuid");
    const std::string type = event.value("type");
    if (!tracks.count(uuid)) out.faults.push_back("unknown track " + uuid);
    const auto& [group, unit] = tracks[uuid];
    if (last[uuid] > at) out.faults.push_back(unit + " goes back in time to " + std::to_string(at));
    last[uuid] = at;
    if (type == "COUNTER") {
      out.counts[group + "/" + unit].emplace_back(at, std::atol(event.value("counter_value").c_str()));
    } else if (type == "SLICE_BEGIN") {
      TimelineSlice slice{group, unit, names[event.value("name_iid")], at, 0, open[uuid].size(), {}, {}};
      if (slice.name.empty()) out.faults.push_back("unknown name " + event.value("name_iid"));
      slice.flow = event.value("flow_ids");
      if (const Node* note = event.find("debug_annotations")) slice.address = note->value("pointer_value");
      open[uuid].push_back(slice);
    } else if (open[uuid].empty()) {
      out.faults.push_back(unit + " ends what has not begun");
    } else {
      TimelineSlice slice = open[uuid].back();
      open[uuid].pop_back();
      slice.end = at;
      out.slices.push_back(slice);
    }
  }
  void take(const Node& packet) {
    if (const Node* interned = packet.find("interned_data")) {
      for (const auto& [kind, entry] : interned->fields) {
        if (kind == "event_names") names[entry.value("iid")] = entry.value("name");
      }
    }
    if (const Node* track = packet.find("track_descriptor")) describe(*track);
    if (const Node* event = packet.find("track_event"))
      happen(*event, std::strtoull(packet.value("timestamp").c_str(), nullptr, 10));
    if (packet.value("trusted_packet_sequence_id") != "1") out.faults.emplace_back("a packet of no sequence");
  }
};

}  // namespace

bool can_read_timelines() { return std::system("protoc --version >/dev/null 2>&1") == 0; }

ReadTimeline read_timeline(const std::string& path) {
  const std::string command =
      fmt::format("protoc --proto_path='{}/tests' --decode=mesim.perfetto.Trace perfetto.proto < '{}'",
                  MESIM_SOURCE_DIR, path);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char part[1 << 16];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, pipe.get())) != 0;) text.append(part, n);
  std::istringstream in(text);
  const Node trace = parse(in);
  Reader reader;
  report_unknown(trace, reader.out.faults);
  for (const auto& [name, packet] : trace.fields) reader.take(packet);
  for (const auto& [uuid, slices] : reader.open) {
    if (!slices.empty())
      reader.out.faults.push_back("a slice of " + reader.tracks[uuid].second + " never ends");
  }
  return reader.out;
}

}  // namespace mesim::test
