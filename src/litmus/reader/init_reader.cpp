#include "litmus/reader/init_reader.hpp"

#include <fmt/format.h>

#include <boost/container/small_vector.hpp>
#include <map>
#include <set>

#include "litmus/reader/grammar.hpp"
#include "litmus/reader/limits.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

using namespace grammar;

// 5, x, &x, P1:L0
struct InitValue {
  const char* at = nullptr;
  bool is_number = false;
  Value number = 0;
  std::optional<unsigned> thread;  // of a label
  Text name;                       // of a label, or of a location
};

// int *p=&x, 0:EAX=5, int a[2]={1,2}
struct InitItem {
  const char* at = nullptr;
  boost::container::small_vector<Text, 2> type;
  bool pointer = false;
  std::optional<unsigned> thread;  // of a register
  Text name;
  std::optional<Value> elements;  // of an array
  bool has_value = false;
  bool braces = false;
  boost::container::small_vector<InitValue, 1> values;
};

template <auto member>
const auto mark = [](const auto& c) { x3::_val(c).*member = true; };
template <auto member>
const auto append = [](const auto& c) { (x3::_val(c).*member).push_back(x3::_attr(c)); };
const auto set_number = [](const auto& c) {
  x3::_val(c).number = x3::_attr(c);
  x3::_val(c).is_number = true;
};

const auto label = x3::rule<struct label_, Text>{"expected a label"} = name;
const auto reg = x3::rule<struct reg_, Text>{"expected a register ({register})"} = -x3::lit('%') >> name;
const auto location = x3::rule<struct location_, Text>{"expected a location"} = name;
const auto behind_location = x3::rule<struct behind_location_>{"expected ']' behind a location"} =
    x3::lit(']');

const auto value_rule =
    x3::rule<struct value_, InitValue>{"expected a number, a location (its address) or a label (P1:L0)"} =
        place<&InitValue::at> >>
        ((thread_number[set<&InitValue::thread>] > label[set<&InitValue::name>]) | number[set_number] |
         ((x3::lit('&') > location[set<&InitValue::name>]) | name[set<&InitValue::name>]));

const auto count = x3::rule<struct count_, Value>{"expected an array of 1 to 256 elements"} = number;
const auto behind_count = x3::rule<struct behind_count_>{"expected ']' behind the size of an array"} =
    x3::lit(']');
const auto behind_elements = x3::rule<struct behind_elements_>{"expected ',' or '}' behind an element"} =
    x3::lit('}');

// A word belongs to the type until what follows tells that it is the thing itself.
const auto type_word = x3::rule<struct type_word_, Text>{"expected a type"} =
    !thread_number >> name >> !x3::char_("=;}[");
const auto type = *(type_word[append<&InitItem::type>] | x3::lit('*')[mark<&InitItem::pointer>]);
const auto no_thing = x3::rule<struct no_thing_>{"expected a location or a register"} = x3::eps(false);
const auto thing =
    (thread_number[set<&InitItem::thread>] > reg[set<&InitItem::name>]) |
    (x3::lit('[') > location[set<&InitItem::name>] > behind_location) |
    (name[set<&InitItem::name>] >> -(x3::lit('[') > count[set<&InitItem::elements>] > behind_count)) |
    x3::expect[no_thing];
const auto values = (x3::lit('{')[mark<&InitItem::braces>] > -(value_rule[append<&InitItem::values>] % ',') >
                     behind_elements) |
                    x3::expect[value_rule][append<&InitItem::values>];

const auto item_rule = x3::rule<struct item_, InitItem>{"expected an initial value"} =
    &x3::char_("a-zA-Z0-9_*[") >> place<&InitItem::at> >> type >> thing >>
    -(x3::lit('=')[mark<&InitItem::has_value>] >> values);

const auto item_end = x3::rule<struct item_end_>{
    "expected ';' or '}' behind an initial value; accepted: x=1, [x]=1, 0:{register}=5, 0:REG=x, int x=1, "
    "uint64_t x, int *p=&x, int a[3]={1,2,3}"} = &x3::char_(";}") | x3::eoi;
const auto closing = x3::rule<struct closing_>{
    "expected '}' behind the initial state, or an initial value: x=1, 0:{register}=5"} = x3::lit('}');

const auto take_item = [](const auto& c) { target(c).take(x3::_attr(c)); };
const x3::rule<struct init_> init = "expected the initial state";
const auto init_def = *(x3::lit(';') | (item_rule[take_item] > item_end)) > closing > -x3::lit(';');
BOOST_SPIRIT_DEFINE(init)

// What the items mean.
class InitReader {
 public:
  explicit InitReader(TestBuilder& builder) : builder_(builder), source_(builder.source()) {}

  void take(const InitItem& item) {
    at_ = item.at;
    if (item.thread) {
      take_register(item);
      return;
    }
    const unsigned width = width_of(item);
    if (item.elements) {
      take_array(item, width == 0 ? 4 : width);
      return;
    }
    if (item.braces)
      source_.fail_at(item.at, "only an array has its elements between braces: int a[2]={1,2}");
    const std::size_t l = builder_.location(item.name);
    if (width != 0) builder_.at(l).width = static_cast<std::uint8_t>(width);
    if (!item.has_value) return;
    once(std::string(item.name.view()));
    builder_.at(l).initial = value_of(item.values[0], {false, l, no_register, 0, {}});
  }

 private:
  // The declared width in bytes, or 0.
  unsigned width_of(const InitItem& item) const {
    static const std::map<std::string, unsigned, std::less<>> widths = {
        {"char", 1},    {"int8_t", 1},   {"uint8_t", 1},  {"short", 2},     {"int16_t", 2},   {"uint16_t", 2},
        {"int", 4},     {"int32_t", 4},  {"uint32_t", 4}, {"unsigned", 4},  {"signed", 4},    {"long", 8},
        {"int64_t", 8}, {"uint64_t", 8}, {"intptr_t", 8}, {"uintptr_t", 8}, {"atomic_int", 4}};
    static const std::set<std::string_view> qualifiers = {"_Atomic", "atomic", "const", "volatile"};
    unsigned width = item.pointer ? 8 : 0;
    for (const Text& word : item.type) {
      const bool last = &word == &item.type.back();
      const bool sign = word.view() == "unsigned" || word.view() == "signed";
      if (width != 0 || (!last && (sign || qualifiers.count(word.view()) != 0))) continue;
      const auto found = widths.find(word.view());
      if (found == widths.end()) refuse_type(word, widths);
      width = found->second;
    }
    return width;
  }
  [[noreturn]] void refuse_type(const Text& word,
                                const std::map<std::string, unsigned, std::less<>>& widths) const {
    std::vector<std::string> names;
    for (const auto& [name, width] : widths) names.push_back(name);
    source_.fail_at(word.begin,
                    fmt::format("unknown type {}; expected one of {}{}", source_.token(word.begin),
                                fmt::join(names, ", "), did_you_mean(word.view(), names)));
  }

  void once(const std::string& name) {
    if (!seen_.insert(name).second) source_.fail_at(at_, name + " has an initial value already");
  }

  void take_register(const InitItem& item) {
    const unsigned thread = *item.thread;
    if (thread >= most_threads) {
      source_.fail_at(item.at, fmt::format("expected a thread from 0 to {}", most_threads - 1));
    }
    const Register r = builder_.need_register(thread, item.name);
    if (!item.has_value) return;  // only its type
    if (r == no_register)
      source_.fail_at(item.name.begin, "a register that always reads zero has no initial value");
    if (item.braces)
      source_.fail_at(item.at, "only an array has its elements between braces: int a[2]={1,2}");
    once(fmt::format("{}:{}", thread, static_cast<unsigned>(r)));
    builder_.initial(thread, r) = value_of(item.values[0], {true, thread, r, 0, {}});
  }

  void take_array(const InitItem& item, unsigned width) {
    const Value size = *item.elements;
    if (size < 1 || size > static_cast<Value>(most_elements)) {
      source_.fail_at(item.name.begin,
                      fmt::format("an array of {} elements; expected 1 to {}", size, most_elements));
    }
    once(std::string(item.name.view()));
    const auto elements = builder_.array(item.name, static_cast<std::size_t>(size), width);
    if (item.has_value && !item.braces) {
      source_.fail(item.values[0].at, "expected '{' before the elements of an array");
    }
    for (std::size_t e = 0; e < item.values.size(); ++e) {
      if (e == elements.size()) {
        source_.fail(item.values[e].at, fmt::format("expected '}}' behind {} elements", elements.size()));
      }
      builder_.at(elements[e]).initial = value_of(item.values[e], {false, elements[e], no_register, 0, {}});
    }
  }

  Value value_of(const InitValue& value, TestBuilder::Held holder) {
    if (value.is_number) return value.number;
    if (!value.thread) return builder_.address(value.name);
    holder.label_thread = *value.thread;
    holder.label = value.name;
    builder_.hold_label(holder);
    return 0;
  }

  TestBuilder& builder_;
  const SourceText& source_;
  const char* at_ = nullptr;
  std::set<std::string> seen_;
};

}  // namespace

void read_initial_state(const char*& at, TestBuilder& builder) {
  InitReader reader(builder);
  parse(builder.source(), at, builder.source().whole().end, filling(reader)[init]);
}

}  // namespace mesim::litmus
