// The loop nest with the outputs in the array (os).
#include "accel/systolic_rings.hpp"

namespace mesim::accel {

TileProgram SystolicMapper::stationary_outputs() const {
  const std::uint64_t arrays = config_.arrays;
  const std::uint64_t groups = (inner_ + arrays - 1) / arrays;
  const bool exposed = config_.drain == "exposed";
  std::vector<ArrayRings> rings = array_rings();
  std::vector<std::uint64_t*> counters;
  for (ArrayRings& ring : rings) ring.grow_alike(counters);
  Repetition rounds(counters);
  Repetition fold_steps(counters);
  const std::uint64_t kept_first = std::min(chunks_, first_kept_);

  for (std::uint64_t row = 0; row < outer_; ++row) {
    co_yield pass_over(rounds, row, outer_);
    const auto height = extent(row, config_.rows, task_.m);
    for (std::uint64_t group = 0; group < groups; ++group) {
      if (const std::uint64_t alike = alike_folds(group, groups, second_kept_); alike != 0) {
        const std::uint64_t skipped = co_yield repeat(1, alike);
        fold_steps.advance(skipped);
        group += skipped;
      } else {
        fold_steps.mark();
      }

      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
        const auto depth = extent(chunk, chunk_, task_.k);
        const bool last_chunk = chunk + 1 == chunks_;
        for (std::uint64_t a = 0; a < arrays && group * arrays + a < inner_; ++a) {
          ArrayRings& ring = rings[a];
          const std::uint64_t column = group * arrays + a;
          const auto width = extent(column, config_.columns, task_.n);
          TileOp stream = tile_op(OpKind::stream, ring.stream_queue);
          stream.rows = height;
          stream.columns = width;
          stream.depth = depth;
          stream.accumulate = chunk != 0;
          stream.touches = touch_a | touch_b;

          // From the left: kept for the columns of this row of tiles.
          const bool first_stays = chunk < kept_first;
          SlotUse left{ring.first_kept.number(), row * kept_first + chunk};
          if (!first_stays) left = ring.first_passing.take();
          const SlotRing& lefts = first_stays ? ring.first_kept : ring.first_passing;
          if (!first_stays || group == 0) {
            TileOp load = transfer(OpKind::load, operand_a, height, depth, view_first, row * config_.rows,
                                   chunk * chunk_);
            load.out = left;
            co_yield load.wait(lefts.room(left)).signal(lefts.filled());
          }
          stream.a = left;
          stream.wait(lefts.ready(left));
          if (!first_stays || (group + 1) * arrays + a >= inner_) stream.signal(lefts.freed());

          // From above: kept for all rows of tiles.
          const std::uint64_t index = group * chunks_ + chunk;
          const bool second_stays = index < second_kept_;
          SlotUse top{ring.second_kept.number(), index};
          if (!second_stays) top = ring.second_passing.take();
          const SlotRing& tops = second_stays ? ring.second_kept : ring.second_passing;
          if (!second_stays || row == 0) {
            TileOp load = transfer(OpKind::load, operand_b, depth, width, view_second, chunk * chunk_,
                                   column * config_.columns);
            load.out = top;
            co_yield load.wait(tops.room(top)).signal(tops.filled());
          }
          stream.b = top;
          stream.wait(tops.ready(top));
          if (!second_stays) stream.signal(tops.freed());

          if (chunk == 0) stream.wait(ring.registers.room(ring.registers.take()));
          stream.out = {ring.registers.number(), ring.registers.uses() - 1};
          if (last_chunk) stream.signal(ring.registers.filled());
          co_yield stream;
        }
      }

      for (std::uint64_t a = 0; a < arrays && group * arrays + a < inner_; ++a) {
        ArrayRings& ring = rings[a];
        const std::uint64_t column = group * arrays + a;
        const auto width = extent(column, config_.columns, task_.n);
        const SlotUse sums{ring.registers.number(), ring.registers.uses() - 1};
        const SlotUse out = ring.out_passing.take();
        TileOp drain = tile_op(OpKind::drain, ring.fill_queue);
        drain.function = exposed;
        drain.touches = touch_out;
        drain.rows = height;
        drain.columns = width;
        drain.a = sums;
        drain.out = out;
        co_yield drain.wait(ring.registers.ready(sums))
            .wait(ring.out_passing.room(out))
            .signal(ring.out_passing.filled())
            .signal(ring.registers.freed());

        TileOp store = transfer(OpKind::store, operand_c, height, width, view_out, row * config_.rows,
                                column * config_.columns);
        store.a = out;
        co_yield store.wait(ring.out_passing.ready(out)).signal(ring.out_passing.freed());
      }
    }
  }
}

}  // namespace mesim::accel
