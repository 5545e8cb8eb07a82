// A protocol's tables as text, for `mesim protocol` and the manual. Made from the rows that run, so that what
// is printed is what is simulated.
#pragma once
#include <string>
#include <vector>

namespace mesim {

struct ListedRow {
  std::string state;
  std::string event;
  std::string guard;    // empty: always
  std::string actions;  // "GetM" or "send InvAck to requestor, drop"; "stall" for a row that waits
  std::string next;     // empty or equal to `state`: stays
};

struct ListedState {
  std::string name;
  std::string meaning;
};

struct ListedTable {
  std::string controller;           // "cache", "home", "bus"
  std::vector<ListedState> states;  // in the order to print
  std::vector<std::string> events;
  std::vector<ListedRow> rows;
};

struct ProtocolListing {
  std::string name;
  std::string summary;  // what it is and its source, one or two sentences
  std::vector<ListedTable> tables;
};

// At most 100 columns wide: one block a state, one line a row, the states that stall on an event together.
std::string listing_text(const ProtocolListing& listing);
// A self-contained page: states by events, one matrix a controller.
std::string listing_html(const ProtocolListing& listing);
// A graph of the states for Graphviz, one cluster a controller; stalls and self-loops are left out.
std::string listing_dot(const ProtocolListing& listing);

}  // namespace mesim
