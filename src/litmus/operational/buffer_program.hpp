// A test prepared for the machine with store buffers: what each instruction is to the machine, and what can
// still happen from each point of a thread (words read and written later, registers whose value still
// counts).
#pragma once
#include <bitset>
#include <cstdint>
#include <vector>

#include "litmus/operational/buffer_rules.hpp"
#include "litmus/operational/values.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus::operational {

// Words by number; more than 64 share bits, which only makes the reduction weaker.
using WordSet = std::uint64_t;
inline WordSet word_bit(unsigned word) { return WordSet{1} << (word & 63); }

enum class Step : std::uint8_t {
  local,  // registers only: done with the step before it
  load,
  store,
  atomic,
  conditional,  // sc
  drain,        // a fence that waits for the buffers
  marker,       // a fence between stores
  barrier,      // a fence between stores and later loads only (PSO): later stores may pass it
  end,
};

struct Point {
  Step step = Step::end;
  int word = -1;            // the word accessed, -1: only known when running
  int stored = -1;          // number of the value stored, -1: only known when running
  WordSet loads_later = 0;  // from here on, this instruction included
  WordSet stores_later = 0;
  WordSet atomics_later = 0;
  bool in_loop = false;
  std::vector<Register> dead;  // registers of the state whose value no longer counts here
};

// A place in a state's row.
using CellIndex = std::uint32_t;
inline constexpr CellIndex no_cell = ~CellIndex{0};

struct BufferThread {
  std::vector<Point> points;        // one more than instructions: the end
  std::vector<Register> written;    // registers that have a cell in the state; the others are constants
  std::vector<CellIndex> cell;      // of each register, or no_cell
  CellIndex pc = 0;                 // cells of the state
  CellIndex reservation = no_cell;  // word + 1, or 0; then how many own stores until memory has what lr read
  CellIndex buffer = no_cell;       // number of entries, then word and value of each, oldest first
  std::uint32_t capacity = 0;
};

struct BufferProgram {
  std::vector<BufferThread> threads;
  std::uint32_t words = 0;
  CellIndex cells = 0;
  WordSet observed = 0;  // words whose final value is asked for
  bool loops = false;
};

// `keep_dead` leaves registers and words alone that no longer count, for traces that people read.
BufferProgram prepare(const Test& test, const BufferRules& rules, Values& values, bool keep_dead = false);

}  // namespace mesim::litmus::operational
