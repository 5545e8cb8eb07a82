// The grammar of one instruction, the same for every architecture: a mnemonic and operands between commas.
// What they mean is the architecture's affair.
#pragma once
#include <vector>

#include "litmus/reader/source_text.hpp"

namespace mesim::litmus {

//   5  $5  $x  &x  EAX  %eax  x  [x]  (EAX)  [EAX+8]  8(x6)
struct AsmOperand {
  const char* at = nullptr;
  Text name;                // of a register, location, label ...
  Value number = 0;         // alone, or what is added to an address
  bool has_number = false;  // a number stands first
  bool displaced = false;   // a sum stands inside the bracket
  char sigil = 0;           // '$' or '&'
  char bracket = 0;         // '[' or '(' of memory

  bool is_number() const { return has_number && bracket == 0; }
  bool is_name() const { return !has_number && bracket == 0; }
};

struct AsmInstruction {
  const char* begin = nullptr;
  bool lock = false;  // the prefix LOCK stands before the mnemonic
  Text mnemonic;
  std::vector<AsmOperand> operands;
  bool comma = false;          // one more comma stands behind the last operand
  const char* rest = nullptr;  // what follows that
  const char* end = nullptr;   // of the cell
};

// A cell of the program: labels ("L0:"), and at most one instruction; none if it has no mnemonic.
struct AsmCell {
  std::vector<Text> labels;
  AsmInstruction instruction;
};
void read_cell(const SourceText& source, const Text& text, AsmCell& cell);

}  // namespace mesim::litmus
