// The loop nest with an operand in the array (ws; is, transposed).
#include "accel/systolic_rings.hpp"

namespace mesim::accel {

TileProgram SystolicMapper::stationary_operand() const {
  const std::uint64_t arrays = config_.arrays;
  const std::uint64_t groups = (outer_ + arrays - 1) / arrays;
  const bool overlap = config_.overlap_folds;
  std::vector<ArrayRings> rings = array_rings();
  std::vector<std::uint64_t*> counters;
  for (ArrayRings& ring : rings) ring.grow_alike(counters);
  Repetition rounds(counters);
  Repetition fold_steps(counters);
  if (chained_) co_yield hold();

  for (std::uint64_t group = 0; group < groups; ++group) {
    co_yield pass_over(rounds, group, groups);
    for (std::uint64_t fold = 0; fold < inner_; ++fold) {
      if (const std::uint64_t alike = alike_folds(fold, inner_, first_kept_); alike != 0) {
        const std::uint64_t skipped = co_yield repeat(1, alike);
        fold_steps.advance(skipped);
        fold += skipped;
      } else {
        fold_steps.mark();
      }
      const bool last_fold = fold + 1 == inner_;
      const auto depth = extent(fold, config_.rows, task_.k);

      for (std::uint64_t a = 0; a < arrays && group * arrays + a < outer_; ++a) {
        ArrayRings& ring = rings[a];
        const std::uint64_t column = group * arrays + a;
        const auto width = extent(column, config_.columns, task_.n);
        const SlotUse tile = ring.second_passing.take();
        TileOp load = transfer(OpKind::load, transposed_ ? operand_a : operand_b, depth, width, view_second,
                               fold * config_.rows, column * config_.columns);
        load.out = tile;
        co_yield load.wait(ring.second_passing.room(tile)).signal(ring.second_passing.filled());

        const SlotUse registers = ring.registers.take();
        TileOp fill = tile_op(OpKind::fill, ring.fill_queue);
        fill.part = part_;
        fill.rows = depth;
        fill.columns = width;
        fill.b = tile;
        fill.touches = touch_b;
        fill.out = registers;
        co_yield fill.wait(ring.second_passing.ready(tile))
            .wait(ring.registers.room(registers))
            .signal(ring.registers.filled())
            .signal(ring.second_passing.freed());
      }

      for (std::uint64_t chunk = 0; chunk < chunks_; ++chunk) {
        const auto rows = extent(chunk, chunk_, task_.m);
        for (std::uint64_t a = 0; a < arrays && group * arrays + a < outer_; ++a) {
          ArrayRings& ring = rings[a];
          const std::uint64_t column = group * arrays + a;
          const auto width = extent(column, config_.columns, task_.n);
          TileOp stream = tile_op(OpKind::stream, ring.stream_queue);
          stream.part = part_;
          stream.rows = rows;
          stream.columns = width;
          stream.depth = depth;
          stream.accumulate = fold != 0;
          stream.touches = touch_a | touch_out;

          // The streamed operand: kept since the first round, or fetched for this fold.
          const std::uint64_t index = fold * chunks_ + chunk;
          const bool kept = index < first_kept_;
          SlotUse operand{ring.first_kept.number(), index};
          if (!kept) operand = ring.first_passing.take();
          const SlotRing& from = kept ? ring.first_kept : ring.first_passing;
          if (!kept || group == 0) {
            TileOp load = transfer(OpKind::load, transposed_ ? operand_b : operand_a, rows, depth, view_first,
                                   chunk * chunk_, fold * config_.rows);
            load.out = operand;
            if (load.bytes != 0) load.wait(part_before());
            co_yield load.wait(from.room(operand)).signal(from.filled());
          }
          stream.a = operand;
          stream.wait(from.ready(operand));
          if (!kept) stream.signal(from.freed());

          // Where results gather: kept through the reduction, or in memory between folds.
          const std::uint64_t kept_out = std::min(chunks_, out_kept_);
          const bool stays = chunk < kept_out;
          SlotUse out{ring.out_kept.number(), group * kept_out + chunk};
          if (!stays) out = ring.out_passing.take();
          const SlotRing& results = stays ? ring.out_kept : ring.out_passing;
          if (!stays && fold != 0) {
            TileOp load = transfer(OpKind::load, operand_partial, rows, width, view_out, chunk * chunk_,
                                   column * config_.columns);
            load.out = out;
            // Its sum of the last fold has gone: as many stores ago as chunks pass in a fold.
            const std::uint64_t gone = ring.partial_stores + 1 - (chunks_ - kept_out);
            co_yield load.wait(results.room(out))
                .wait({ring.partial_freed, gone})
                .signal(ring.partial_filled);
            stream.wait({ring.partial_filled, ++ring.partial_loads});
          } else if (fold == 0) {
            stream.wait(results.room(out));
          }
          if (fold == 0) stream.wait(part_before());
          stream.out = out;
          if (!stays || last_fold) stream.signal(results.filled());

          stream.b = {ring.registers.number(), ring.registers.uses() - 1};
          if (chunk == 0) {
            stream.wait(ring.registers.ready(stream.b));
            if (overlap) stream.start_signal = ring.registers.freed_by(stream.b);
          }
          if (!overlap && chunk + 1 == chunks_) stream.signal(ring.registers.freed());
          co_yield stream;

          if (!stays || last_fold) {
            TileOp store = transfer(OpKind::store, last_fold ? operand_c : operand_partial, rows, width,
                                    view_out, chunk * chunk_, column * config_.columns);
            store.a = out;
            store.wait(results.ready(out)).signal(results.freed());
            if (!stays) {
              store.signal(ring.partial_freed);
              ++ring.partial_stores;
            }
            const bool last_array = a + 1 == arrays || column + 1 == outer_;
            if (chained_ && last_fold && last_array && group + 1 == groups && chunk + 1 == chunks_) {
              store.ends_part = true;
              store.signal(parts_done_token());
            }
            co_yield store;
          }
        }
      }
    }
  }
}

}  // namespace mesim::accel
