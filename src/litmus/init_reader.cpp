#include "litmus/init_reader.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "litmus/semantics.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

class InitReader {
 public:
  InitReader(TextCursor& cursor, TestBuilder& builder) : cursor_(cursor), builder_(builder) {}

  void read() {
    while (!cursor_.accept('}')) {
      if (cursor_.at_end()) cursor_.fail("expected '}' behind the initial state");
      if (cursor_.accept(';')) continue;
      item();
      if (cursor_.peek() != '}') {
        cursor_.expect(';', "or '}' behind an initial value; accepted: x=1, [x]=1, 0:" +
                                builder_.architecture().registers.substr(
                                    0, builder_.architecture().registers.find_first_of(", ")) +
                                "=5, 0:REG=x, int x=1, uint64_t x, int *p=&x, int a[3]={1,2,3}");
      }
    }
  }

 private:
  void item() {
    cursor_.skip_blanks();
    item_at_ = cursor_.offset();
    unsigned width = 0;  // declared
    std::size_t type_at = item_at_;
    std::string_view type;
    // words of a type until what stands before '=', ';' or '}' is the thing itself
    while (true) {
      if (cursor_.accept('[')) {
        const std::string_view name = cursor_.name();
        if (name.empty()) cursor_.fail("expected a location");
        cursor_.expect(']', "behind a location");
        location(name, width);
        return;
      }
      if (cursor_.accept('*')) {
        width = 8;
        continue;
      }
      if (const auto thread = thread_prefix()) {
        reg(*thread);
        return;
      }
      const std::size_t at = cursor_.offset();
      const std::string_view word = cursor_.name();
      if (word.empty()) cursor_.fail("expected a location or a register");
      const char next = cursor_.peek();
      if (next == '=' || next == ';' || next == '}' || next == '[') {
        if (type_at != at && width == 0) width = width_of(type, type_at);
        next == '[' ? array(word, width == 0 ? 4 : width) : location(word, width);
        return;
      }
      if (width == 0 && word != "_Atomic" && word != "volatile" && word != "const" && word != "atomic" &&
          word != "unsigned" && word != "signed") {
        width = width_of(word, at);
      }
      type = word;
      type_at = at;
      if (cursor_.at_end()) cursor_.fail("expected '}' behind the initial state");
    }
  }

  unsigned width_of(std::string_view type, std::size_t at) {
    static const std::map<std::string, unsigned, std::less<>> widths = {
        {"char", 1},    {"int8_t", 1},   {"uint8_t", 1},  {"short", 2},     {"int16_t", 2},   {"uint16_t", 2},
        {"int", 4},     {"int32_t", 4},  {"uint32_t", 4}, {"unsigned", 4},  {"signed", 4},    {"long", 8},
        {"int64_t", 8}, {"uint64_t", 8}, {"intptr_t", 8}, {"uintptr_t", 8}, {"atomic_int", 4}};
    const auto found = widths.find(type);
    if (found != widths.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, width] : widths) names.push_back(name);
    cursor_.fail_at(at, fmt::format("unknown type '{}'; expected one of {}{}", type, fmt::join(names, ", "),
                                    did_you_mean(type, names)));
  }

  std::optional<unsigned> thread_prefix() {
    const std::size_t at = cursor_.offset();
    if (cursor_.peek() == 'P') cursor_.accept('P');
    if (std::isdigit(static_cast<unsigned char>(cursor_.peek())) != 0) {
      const auto n = cursor_.number();
      if (n && cursor_.accept(':')) {
        if (*n > 63) cursor_.fail_at(at, "expected a thread from 0 to 63");
        return static_cast<unsigned>(*n);
      }
    }
    cursor_.move_to(at);
    return std::nullopt;
  }

  void once(const std::string& name) {
    if (!seen_.insert(name).second) cursor_.fail_at(item_at_, name + " has an initial value already");
  }

  void reg(unsigned thread) {
    const Register r = builder_.read_register(cursor_, thread);
    if (!cursor_.accept('=')) return;  // only its type
    if (r == no_register) cursor_.fail("a register that always reads zero has no initial value");
    once(fmt::format("{}:{}", thread, static_cast<unsigned>(r)));
    const Value v = value({true, thread, r, 0, "", 0});
    builder_.initial(thread, r) = v;
  }

  void location(std::string_view name, unsigned width) {
    const std::size_t l = builder_.location(name);
    if (width != 0) builder_.at(l).width = static_cast<std::uint8_t>(width);
    if (!cursor_.accept('=')) return;
    once(std::string(name));
    const Value v = value({false, l, no_register, 0, "", 0});
    builder_.at(l).initial = v;
  }

  void array(std::string_view name, unsigned width) {
    cursor_.expect('[', "before the size of an array");
    const auto count = cursor_.number();
    if (!count || *count < 1 || *count > 256) cursor_.fail("expected an array of 1 to 256 elements");
    cursor_.expect(']', "behind the size of an array");
    once(std::string(name));
    if (builder_.known_location(name)) cursor_.fail_at(item_at_, "the location is known already");
    const auto elements = builder_.array(name, static_cast<std::size_t>(*count), width);
    if (!cursor_.accept('=')) return;
    cursor_.expect('{', "before the elements of an array");
    for (std::size_t e = 0; !cursor_.accept('}'); ++e) {
      if (e == elements.size())
        cursor_.fail(fmt::format("expected '}}' behind {} elements", elements.size()));
      const Value v = value({false, elements[e], no_register, 0, "", 0});
      builder_.at(elements[e]).initial = v;
      if (cursor_.peek() != '}') cursor_.expect(',', "between elements");
    }
  }

  Value value(TestBuilder::Held holder) {
    if (cursor_.peek() == 'P') {
      cursor_.skip_blanks();
      holder.offset = cursor_.offset();
      if (const auto thread = thread_prefix()) {
        holder.label_thread = *thread;
        holder.label = cursor_.name();
        if (holder.label.empty()) cursor_.fail("expected a label");
        builder_.hold_label(holder);
        return 0;
      }
    }
    if (const auto n = cursor_.number()) return *n;
    cursor_.accept('&');
    const std::string_view name = cursor_.name();
    if (name.empty()) cursor_.fail("expected a number, a location (its address) or a label (P1:L0)");
    return builder_.address(name);
  }

  TextCursor& cursor_;
  TestBuilder& builder_;
  std::size_t item_at_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

void read_initial_state(TextCursor& cursor, TestBuilder& builder) { InitReader(cursor, builder).read(); }

}  // namespace mesim::litmus
