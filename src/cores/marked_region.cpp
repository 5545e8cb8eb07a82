#include "cores/marked_region.hpp"

namespace mesim {

bool MarkedRegion::mark(RecordKind kind, FunctionalBus& machine, const std::vector<ReplayCounts>& replayed) {
  if (!marked_only_) return false;
  if (kind == RecordKind::region_begin) {
    if (open_++ != 0) return false;
    at_begin_ = replayed;
    machine.count(true);
    return true;
  }
  if (open_ == 0 || --open_ != 0) return false;  // an end without its begin closes nothing
  for (std::size_t core = 0; core < counted_.size(); ++core) {
    counted_[core] += replayed[core];
    counted_[core] -= at_begin_[core];
  }
  machine.count(false);
  return true;
}

std::vector<ReplayCounts> MarkedRegion::finish(FunctionalBus& machine,
                                               const std::vector<ReplayCounts>& replayed) {
  if (!marked_only_) return replayed;
  if (open_ != 0) {
    open_ = 1;
    mark(RecordKind::region_end, machine, replayed);
  }
  machine.count(true);
  return counted_;
}

}  // namespace mesim
