#include "litmus/reader/condition_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "litmus/reader/grammar.hpp"
#include "litmus/reader/limits.hpp"

namespace mesim::litmus {
namespace {

using namespace grammar;
using Kind = Proposition::Kind;
using Node = Proposition::Node;
using NodeIndex = std::uint32_t;
using Nodes = boost::container::small_vector<NodeIndex, 8>;

// x, [x], a[1], *x, 0:EAX, P0:EAX
struct Observed {
  const char* at = nullptr;
  std::optional<unsigned> thread;  // of a register
  Text name;
  Value element = 0;  // of an array
};
const auto reg = x3::rule<struct reg_, Text>{"expected a register ({register})"} = -x3::lit('%') >> name;
const auto index = x3::rule<struct index_, Value>{"expected the index of an array's element"} = number;
const auto behind_index = x3::rule<struct behind_index_>{"expected ']' behind an index"} = x3::lit(']');
const auto behind_location = x3::rule<struct behind_location_>{"expected ']' behind a location"} =
    x3::lit(']');
const auto element = name[set<&Observed::name>] >>
                     -(x3::lit('[') > index[set<&Observed::element>] > behind_index);
const auto no_location =
    x3::rule<struct no_location_>{"expected a location (x or [x]) or a register (0:{register})"} =
        x3::eps(false);
const auto observed = x3::rule<struct observed_, Observed>{"expected a location or a register"} =
    place<&Observed::at> >> ((thread_number[set<&Observed::thread>] > reg[set<&Observed::name>]) |
                             (x3::lit('[') > (element | x3::expect[no_location]) > behind_location) |
                             (-x3::lit('*') >> (element | x3::expect[no_location])));

// A comparison's parts meet in the reader: what is observed, the relation, then what it is compared with.
const auto observe = [](const auto& c) { target(c).compare(x3::_attr(c)); };
const auto unequal = [](const auto& c) { target(c).pending.kind = Kind::not_equal; };
const auto no_relation = [](const auto& c) { target(c).refuse_relation(x3::_where(c).begin()); };
const auto with_observed = [](const auto& c) { target(c).with_observed(x3::_attr(c)); };
const auto with_number = [](const auto& c) { target(c).pending.value = x3::_attr(c); };
const auto with_address = [](const auto& c) { target(c).with_address(x3::_attr(c)); };
const auto add_comparison = [](const auto& c) { x3::_val(c) = target(c).add_pending(); };
template <bool value>
const auto add_constant = [](const auto& c) { x3::_val(c) = target(c).add_constant(value); };

const auto relation = ((x3::lit("!=") | "<>")[unequal]) | "==" | '=' | x3::eps[no_relation];
const auto other_register = x3::rule<struct other_register_, Observed>{"expected a register"} =
    place<&Observed::at> >> thread_number[set<&Observed::thread>] > reg[set<&Observed::name>];
const auto no_value =
    x3::rule<struct no_value_>{"expected a number, a location (its address) or a register (1:{register})"} =
        x3::eps(false);
const auto compared = other_register[with_observed] | number[with_number] |
                      (-x3::lit('&') >> name[with_address]) | x3::expect[no_value];
const auto comparison = x3::rule<struct comparison_, NodeIndex>{"expected a comparison"} =
    (observed[observe] >> relation >> compared >> x3::eps)[add_comparison];

// Propositions: from the strongest to the weakest, herd's order is not, =>, /\, \/.
const auto same = [](const auto& c) { x3::_val(c) = x3::_attr(c); };
const auto negate = [](const auto& c) { x3::_val(c) = target(c).add({Kind::negation, x3::_attr(c)}); };
const auto imply = [](const auto& c) {
  x3::_val(c) = target(c).add({Kind::implication, x3::_val(c), x3::_attr(c)});
};
template <Kind kind>
const auto join = [](const auto& c) {
  const Nodes& parts = x3::_attr(c);
  x3::_val(c) = target(c).join(kind, {parts.data(), parts.size()});
};
const auto deeper = x3::eps[([](const auto& c) { target(c).deeper(x3::_where(c).begin()); })];
const auto back = x3::eps[([](const auto& c) { --target(c).depth; })];

const x3::rule<struct proposition_, NodeIndex> proposition = "expected a proposition";
const x3::rule<struct unary_, NodeIndex> unary = "expected a proposition behind a negation";
const x3::rule<struct implication_, NodeIndex> implication = "expected a proposition behind =>";
const auto behind_inner = x3::rule<struct behind_inner_>{"expected ')' behind a proposition"} = x3::lit(')');

const auto unary_def = ((x3::lit('~') | keyword("not")) >> deeper > unary[negate] > back) |
                       (x3::lit('(') >> deeper > proposition[same] > behind_inner > back) |
                       keyword("true")[add_constant<true>] | keyword("false")[add_constant<false>] |
                       comparison[same];
const auto implication_def = unary[same] >> -(x3::lit("=>") >> deeper > implication[imply] > back);
const auto implications = x3::rule<struct implications_, Nodes>{"expected a proposition"} =
    implication % "/\\";
const auto conjunction = x3::rule<struct conjunction_, NodeIndex>{"expected a proposition"} =
    implications[join<Kind::conjunction>];
const auto conjunctions = x3::rule<struct conjunctions_, Nodes>{"expected a proposition"} =
    conjunction % "\\/";
const auto proposition_def = conjunctions[join<Kind::disjunction>];

BOOST_SPIRIT_DEFINE(proposition, unary, implication)

// The parts behind the program.
const auto show = [](const auto& c) { target(c).observe(x3::_attr(c)); };
const auto begin_filter = [](const auto& c) { target(c).begin_filter(); };
const auto end_filter = [](const auto& c) { target(c).end_filter(x3::_attr(c)); };
template <Quantifier quantifier>
const auto quantify = [](const auto& c) { target(c).quantifier(quantifier); };
const auto end_condition = [](const auto& c) { target(c).end_condition(x3::_attr(c)); };

const auto list = x3::rule<struct list_>{"expected '[' behind 'locations'"} = x3::lit('[');
const auto between = x3::rule<struct between_>{"expected ';' or ']' between observed locations"} =
    x3::lit(';') | &x3::lit(']');
const auto list_end = x3::rule<struct list_end_>{"expected ']' behind the observed locations"} = x3::lit(']');
const auto shown = observed[show] >> -x3::lit('*') >> *(name);
const auto locations = keyword("locations") > list > *(!x3::lit(']') >> shown > between) > list_end;
const auto filter = keyword("filter")[begin_filter] > proposition[end_filter] > -x3::lit(';');
const auto quantifier =
    (x3::lit('~') >> keyword("exists"))[quantify<Quantifier::not_exists>] |
    (keyword("exists") | keyword("final") | keyword("observed"))[quantify<Quantifier::exists>] |
    keyword("forall")[quantify<Quantifier::for_all>];
// What only other tools read begins with `with` or `<<`.
const auto others = x3::eoi | "<<" | keyword("with");
const auto end_behind_condition = x3::rule<struct end_behind_condition_>{
    "expected /\\, \\/, => or the end of the test behind its condition"} = others;
const auto end_without_condition = x3::rule<struct end_without_condition_>{
    "expected locations [...], filter, exists, ~exists, forall or final"} = others;

const x3::rule<struct parts_> behind_program = "expected a condition";
const auto behind_program_def = *(locations | filter) >> ((quantifier > proposition[end_condition] >
                                                           -x3::lit(';') > end_behind_condition) |
                                                          x3::expect[end_without_condition]);
BOOST_SPIRIT_DEFINE(behind_program)

const x3::rule<struct beginning_> beginning = "expected a condition";
const auto beginning_def = '~' | others | keyword("locations") | keyword("filter") | keyword("exists") |
                           keyword("forall") | keyword("final") | keyword("observed");
BOOST_SPIRIT_DEFINE(beginning)

class ConditionReader {
 public:
  ConditionReader(TestBuilder& builder, Test& test) : builder_(builder), test_(test) {}

  Node pending;  // the comparison that is being read
  unsigned depth = 0;

  void deeper(const char* at) {
    if (++depth > most_nested) {
      builder_.source().fail(
          at,
          fmt::format("expected at most {} parentheses, negations and => inside each other", most_nested));
    }
  }

  std::uint32_t observe(const Observed& o) {
    if (o.thread) return observe_register(o);
    if (o.element == 0) return observe(false, 0, builder_.location(o.name));
    return observe(false, 0, builder_.location(fmt::format("{}[{}]", o.name.view(), o.element), o.at));
  }
  void compare(const Observed& o) {
    pending = {};
    pending.kind = Kind::equal;
    pending.left = observe(o);
  }
  [[noreturn]] void refuse_relation(const char* at) const {
    builder_.source().fail(at, "expected =, ==, != or <> behind " + test_.observables[pending.left].name);
  }
  void with_observed(const Observed& o) {
    pending.of_observable = true;
    pending.right = observe(o);
  }
  void with_address(const Text& name) { pending.value = builder_.address(name); }

  NodeIndex add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<NodeIndex>(nodes_.size()) - 1;
  }
  NodeIndex add_pending() { return add(pending); }
  NodeIndex add_constant(bool value) {
    Node node;
    node.value = value ? 1 : 0;
    return add(node);
  }
  // Halves in halves, so that a long condition is no deep tree.
  NodeIndex join(Kind kind, std::span<const NodeIndex> parts) {
    if (parts.size() == 1) return parts[0];
    const std::size_t half = parts.size() / 2;
    const NodeIndex left = join(kind, parts.first(half));
    return add({kind, left, join(kind, parts.subspan(half))});
  }

  void begin_filter() { printing_ = false; }
  void end_filter(NodeIndex root) {
    test_.filter = take(root);
    printing_ = true;
  }
  void quantifier(Quantifier q) { test_.quantifier = q; }
  void end_condition(NodeIndex root) { test_.condition = take(root); }

  // Registers by thread and name, then locations by name; those only of the filter last.
  void sort_observables() {
    std::vector<std::uint32_t> order(test_.observables.size());
    for (std::size_t o = 0; o < order.size(); ++o) order[o] = static_cast<std::uint32_t>(o);
    const auto key = [&](std::uint32_t o) {
      const Observable& x = test_.observables[o];
      return std::tuple(!printed_[o], !x.is_register, x.thread, x.name.size(), std::cref(x.name).get());
    };
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<Observable> sorted;
    std::vector<std::uint32_t> place(order.size());
    for (std::size_t o = 0; o < order.size(); ++o) {
      place[order[o]] = static_cast<std::uint32_t>(o);
      sorted.push_back(std::move(test_.observables[order[o]]));
    }
    test_.observables = std::move(sorted);
    test_.printed = static_cast<std::size_t>(std::count(printed_.begin(), printed_.end(), true));
    for (Proposition* p : {&test_.condition, &test_.filter}) {
      for (Node& node : p->nodes) {
        if (node.kind != Kind::equal && node.kind != Kind::not_equal) continue;
        node.left = place[node.left];
        if (node.of_observable) node.right = place[node.right];
      }
    }
  }

 private:
  std::uint32_t observe_register(const Observed& o) {
    if (*o.thread >= builder_.threads()) {
      builder_.source().fail_at(
          o.at, fmt::format("there is no thread {}; the test has {}", *o.thread, builder_.threads()));
    }
    const Register r = builder_.need_register(*o.thread, o.name);
    if (r == no_register) {
      builder_.source().fail_at(o.name.begin, "a register that always reads zero cannot be observed");
    }
    return observe(true, *o.thread, r);
  }
  std::uint32_t observe(bool is_register, unsigned thread, std::size_t index_in_thread) {
    for (std::size_t o = 0; o < test_.observables.size(); ++o) {
      const Observable& known = test_.observables[o];
      if (known.is_register != is_register || known.thread != thread || known.index != index_in_thread)
        continue;
      if (printing_) printed_[o] = true;
      return static_cast<std::uint32_t>(o);
    }
    test_.observables.push_back(
        {is_register, static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(index_in_thread),
         is_register ? fmt::format("{}:{}", thread, test_.threads[thread].registers[index_in_thread])
                     : fmt::format("[{}]", test_.locations[index_in_thread].name)});
    printed_.push_back(printing_);
    return static_cast<std::uint32_t>(test_.observables.size()) - 1;
  }
  // The nodes read since the last call, with the root last.
  Proposition take(NodeIndex root) {
    if (root + 1 != nodes_.size()) nodes_.push_back(nodes_[root]);
    Proposition p;
    std::swap(p.nodes, nodes_);
    return p;
  }

  TestBuilder& builder_;
  Test& test_;
  std::vector<Node> nodes_;
  std::vector<bool> printed_;
  bool printing_ = true;
};

}  // namespace

bool at_condition(const SourceText& source, const char* at) {
  return parse(source, at, source.whole().end, beginning);
}

void read_condition(const char* at, TestBuilder& builder, Test& test) {
  test.quantifier = Quantifier::none;
  ConditionReader reader(builder, test);
  parse(builder.source(), at, builder.source().whole().end, filling(reader)[behind_program]);
  reader.sort_observables();
}

}  // namespace mesim::litmus
