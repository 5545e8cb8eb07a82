#include "litmus/axiomatic/rules.hpp"

namespace mesim::litmus {
namespace {

template <typename... R>
constexpr Rules set(R... rules) {
  return (rule_bit(rules) | ...);
}

constexpr Rules always = set(Rule::coherence_read_write, Rule::atomicity);
// Rules that follow from others of the same model are left out: those of coherence from program order (SC),
// that of two loads and acquires from load_any, LOCKed instructions from acquire and release, which they are.
constexpr Rules store_buffer =
    always | set(Rule::load_any, Rule::coherence_write_read, Rule::fence, Rule::release);
constexpr Rules weak =
    always | set(Rule::coherence_write_read, Rule::coherence_read_read, Rule::fence, Rule::acquire,
                 Rule::release, Rule::same_address_store, Rule::address_dependency, Rule::data_dependency,
                 Rule::control_dependency, Rule::forwarded_dependency, Rule::atomic_forwarded);

}  // namespace

Rules rules_of(Model model) {
  switch (model) {
    case Model::sc:
      return always | set(Rule::program_order);
    case Model::tso:
      return store_buffer | set(Rule::store_store, Rule::atomic_full);
    case Model::pso:
      return store_buffer | set(Rule::same_address_store, Rule::atomic_full);
    case Model::pso_v9:
      return store_buffer | set(Rule::same_address_store, Rule::atomic_same_address);
    case Model::rmo:
      return weak;
    case Model::ztso:  // of the dependencies, those on the success of an sc are not in load_any
      return store_buffer | set(Rule::store_store, Rule::acquire, Rule::atomic_forwarded,
                                Rule::annotated_atomics, Rule::address_dependency,
                                Rule::forwarded_dependency);
    case Model::rvwmo:
      return weak | set(Rule::annotated_atomics, Rule::address_then_store);
  }
  return 0;
}

std::string_view rule_name(Rule rule) {
  switch (rule) {
    case Rule::program_order:
      return "program order";
    case Rule::load_any:
      return "load before any later access";
    case Rule::load_store:
      return "load before later store";
    case Rule::store_store:
      return "store before later store";
    case Rule::same_address_store:
      return "store to the same location";
    case Rule::atomic_forwarded:
      return "load of an atomic's value";
    case Rule::fence:
      return "fence";
    case Rule::acquire:
      return "acquire";
    case Rule::release:
      return "release";
    case Rule::annotated_atomics:
      return "annotated atomics";
    case Rule::address_dependency:
      return "address dependency";
    case Rule::data_dependency:
      return "data dependency";
    case Rule::control_dependency:
      return "control dependency";
    case Rule::forwarded_dependency:
      return "load of a dependent store's value";
    case Rule::address_then_store:
      return "store behind an address dependency";
    case Rule::atomic_full:
      return "locked instruction";
    case Rule::atomic_same_address:
      return "atomic waits for the same location";
    case Rule::coherence_read_read:
      return "coherence of two loads";
    case Rule::coherence_write_read:
      return "coherence of a store and a later load";
    case Rule::coherence_read_write:
      return "coherence of a load and a later store";
    case Rule::atomicity:
      return "atomicity";
    case Rule::count:
      break;
  }
  return "";
}

}  // namespace mesim::litmus
