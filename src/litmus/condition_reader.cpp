#include "litmus/condition_reader.hpp"

#include <algorithm>
#include <array>

namespace mesim::litmus {
namespace {

using Kind = Proposition::Kind;
using Node = Proposition::Node;

class ConditionReader {
 public:
  ConditionReader(TextCursor& cursor, TestBuilder& builder, Test& test)
      : cursor_(cursor), builder_(builder), test_(test) {}

  void read() {
    test_.quantifier = Quantifier::none;
    while (!finished()) {
      const std::size_t at = cursor_.offset();
      const bool negated = cursor_.accept('~');
      const std::string_view word = cursor_.name();
      if (!negated && word == "locations") {
        locations();
      } else if (!negated && word == "filter") {
        printing_ = false;
        root(test_.filter, proposition(test_.filter));
        printing_ = true;
        cursor_.accept(';');
      } else if (negated ? word == "exists" : is_quantifier(word)) {
        test_.quantifier = negated            ? Quantifier::not_exists
                           : word == "forall" ? Quantifier::for_all
                                              : Quantifier::exists;
        root(test_.condition, proposition(test_.condition));
        cursor_.accept(';');
        if (!finished()) cursor_.fail("expected /\\, \\/, => or the end of the test behind its condition");
        break;
      } else {
        cursor_.move_to(at);
        cursor_.fail("expected locations [...], filter, exists, ~exists, forall or final");
      }
    }
    sort_observables();
  }

 private:
  static bool is_quantifier(std::string_view word) {
    return word == "exists" || word == "forall" || word == "final" || word == "observed";
  }

  // The end, or what only other tools read: `with` and `<<`.
  bool finished() {
    if (cursor_.at_end()) return true;
    const std::size_t at = cursor_.offset();
    const bool end = cursor_.accept("<<") || cursor_.name() == "with";
    cursor_.move_to(at);
    return end;
  }

  void locations() {
    cursor_.expect('[', "behind 'locations'");
    while (!cursor_.accept(']')) {
      observable();
      cursor_.accept('*');
      while (std::isalpha(static_cast<unsigned char>(cursor_.peek())) != 0) cursor_.name();  // a type
      if (cursor_.peek() != ']') cursor_.expect(';', "or ']' between observed locations");
    }
  }

  std::uint32_t observe(Observable o) {
    const auto same = [&](const Observable& p) { return p.name == o.name; };
    const auto found = std::find_if(test_.observables.begin(), test_.observables.end(), same);
    const auto index = static_cast<std::uint32_t>(found - test_.observables.begin());
    if (found == test_.observables.end()) {
      test_.observables.push_back(std::move(o));
      printed_.push_back(printing_);
    }
    if (printing_) printed_[index] = true;
    return index;
  }

  // The thread of "1:" or "P1:", if one stands here.
  std::optional<unsigned> thread() {
    const std::size_t at = cursor_.offset();
    if (cursor_.peek() == 'P') cursor_.accept('P');
    const auto n =
        std::isdigit(static_cast<unsigned char>(cursor_.peek())) != 0 ? number_before_colon() : std::nullopt;
    if (!n) {
      cursor_.move_to(at);
      return std::nullopt;
    }
    if (*n < 0 || static_cast<std::size_t>(*n) >= builder_.threads()) {
      cursor_.fail_at(at, "there is no thread " + std::to_string(*n) + "; the test has " +
                              std::to_string(builder_.threads()));
    }
    return static_cast<unsigned>(*n);
  }
  std::optional<Value> number_before_colon() {
    const auto n = cursor_.number();
    return n && cursor_.accept(':') ? n : std::nullopt;
  }

  std::uint32_t observable() {
    if (const auto t = thread()) {
      const Register r = builder_.read_register(cursor_, *t);
      if (r == no_register) cursor_.fail("a register that always reads zero cannot be observed");
      return observe({true, static_cast<std::uint16_t>(*t), r,
                      std::to_string(*t) + ":" + test_.threads[*t].registers[r]});
    }
    const bool bracket = cursor_.accept('[');
    if (!bracket) cursor_.accept('*');
    const std::string_view name = cursor_.name();
    if (name.empty()) cursor_.fail("expected a location (x or [x]) or a register (0:" + example() + ")");
    std::string full(name);
    if (cursor_.accept('[')) {
      const auto n = cursor_.number();
      if (!n) cursor_.fail("expected the index of an array's element");
      cursor_.expect(']', "behind an index");
      if (*n != 0) full += "[" + std::to_string(*n) + "]";
    }
    if (bracket) cursor_.expect(']', "behind a location");
    const std::size_t l = builder_.location(full);
    return observe({false, 0, static_cast<std::uint16_t>(l), "[" + full + "]"});
  }
  std::string example() const {
    const std::string& all = builder_.architecture().registers;
    return all.substr(0, all.find_first_of(", "));
  }

  void root(Proposition& p, std::uint32_t at) {
    if (at + 1 != p.nodes.size()) p.nodes.push_back(p.nodes[at]);
  }
  std::uint32_t add(Proposition& p, Node node) {
    p.nodes.push_back(node);
    return static_cast<std::uint32_t>(p.nodes.size()) - 1;
  }
  std::uint32_t both(Proposition& p, Kind kind, std::uint32_t left, std::uint32_t right) {
    Node node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    return add(p, node);
  }

  // herd's strength of binding: not, =>, /\, \/ from strong to weak.
  std::uint32_t proposition(Proposition& p) {
    if (++depth_ > 200) cursor_.fail("expected at most 200 parentheses inside each other");
    std::uint32_t left = conjunction(p);
    while (cursor_.accept("\\/")) left = both(p, Kind::disjunction, left, conjunction(p));
    --depth_;
    return left;
  }
  std::uint32_t conjunction(Proposition& p) {
    std::uint32_t left = implication(p);
    while (cursor_.accept("/\\")) left = both(p, Kind::conjunction, left, implication(p));
    return left;
  }
  std::uint32_t implication(Proposition& p) {
    const std::uint32_t left = unary(p);
    return cursor_.accept("=>") ? both(p, Kind::implication, left, implication(p)) : left;
  }
  std::uint32_t unary(Proposition& p) {
    if (++depth_ > 200) cursor_.fail("expected at most 200 negations inside each other");
    const std::uint32_t node = inner(p);
    --depth_;
    return node;
  }
  std::uint32_t inner(Proposition& p) {
    if (cursor_.accept('~')) return negation(p);
    if (cursor_.accept('(')) {
      const std::uint32_t inside = proposition(p);
      cursor_.expect(')', "behind a proposition");
      return inside;
    }
    const std::size_t at = cursor_.offset();
    const std::string_view word = cursor_.name();
    if (word == "not") return negation(p);
    if (word == "true" || word == "false") {
      Node node;
      node.value = word == "true" ? 1 : 0;
      return add(p, node);
    }
    cursor_.move_to(at);
    return comparison(p);
  }
  std::uint32_t negation(Proposition& p) {
    Node node;
    node.kind = Kind::negation;
    node.left = unary(p);
    return add(p, node);
  }

  std::uint32_t comparison(Proposition& p) {
    Node node;
    node.left = observable();
    if (cursor_.accept("!=") || cursor_.accept("<>")) {
      node.kind = Kind::not_equal;
    } else if (cursor_.accept("==") || cursor_.accept('=')) {
      node.kind = Kind::equal;
    } else {
      cursor_.fail("expected =, ==, != or <> behind " + test_.observables[node.left].name);
    }
    value(node);
    return add(p, node);
  }

  void value(Node& node) {
    cursor_.skip_blanks();
    const std::size_t at = cursor_.offset();
    if (const auto n = cursor_.number()) {
      if (cursor_.peek() != ':') {
        node.value = *n;
        return;
      }
      cursor_.move_to(at);  // a register: 1:EAX
    }
    if (thread_begins()) {
      node.of_observable = true;
      node.right = observable();
      return;
    }
    cursor_.accept('&');
    const std::string_view name = cursor_.name();
    if (name.empty())
      cursor_.fail("expected a number, a location (its address) or a register (1:" + example() + ")");
    node.value = builder_.address(name);
  }
  bool thread_begins() {
    const std::size_t at = cursor_.offset();
    const bool yes = thread().has_value();
    cursor_.move_to(at);
    return yes;
  }

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

  TextCursor& cursor_;
  TestBuilder& builder_;
  Test& test_;
  std::vector<bool> printed_;
  bool printing_ = true;
  unsigned depth_ = 0;
};

}  // namespace

bool at_condition(TextCursor& cursor) {
  if (cursor.at_end() || cursor.peek() == '~') return true;
  const std::size_t at = cursor.offset();
  static constexpr std::array<std::string_view, 7> words = {"locations", "filter",   "exists", "forall",
                                                            "final",     "observed", "with"};
  const std::string_view word = cursor.name();
  const bool yes =
      std::find(words.begin(), words.end(), word) != words.end() || (word.empty() && cursor.accept("<<"));
  cursor.move_to(at);
  return yes;
}

void read_condition(TextCursor& cursor, TestBuilder& builder, Test& test) {
  ConditionReader(cursor, builder, test).read();
}

}  // namespace mesim::litmus
