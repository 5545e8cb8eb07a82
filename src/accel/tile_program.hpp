// A tile program is a loop nest that yields its operations one after another: a coroutine, so that nothing is
// unrolled and the nest reads as one. The machine takes operations when its queues have room.
//
// A loop whose iterations are alike may say so with `co_yield repeat(loop, n)`: n iterations like the last
// follow, and then perhaps others. The value of the expression is how many of them the machine has passed
// over because its state had recurred; the loop must skip as many. `Repetition` does that bookkeeping.
//
// A part of a nest may be a program of its own, `co_yield loads(block)`: all its operations, then on.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

#include "accel/tile_op.hpp"

namespace mesim::accel {

class TileProgram {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct Yielded {
    promise_type& promise;
    bool await_ready() const noexcept { return false; }
    void await_suspend(Handle) const noexcept {}
    std::uint64_t await_resume() const noexcept;
  };
  struct Nested;
  // A part that is done goes back to what yielded it, without a return to the machine.
  struct Back {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle handle) const noexcept;
    void await_resume() const noexcept {}
  };

  struct promise_type {
    const TileOp* op = nullptr;  // of the outermost
    Handle running;              // of the outermost: the part that yields at present
    promise_type* outermost = this;
    Handle outer;  // what yielded this part
    std::uint64_t skipped = 0;
    std::exception_ptr fault;

    TileProgram get_return_object() {
      running = Handle::from_promise(*this);
      return TileProgram(running);
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Back final_suspend() noexcept { return {}; }
    Yielded yield_value(const TileOp& next) noexcept {
      outermost->op = &next;
      skipped = 0;
      return {*this};
    }
    Nested yield_value(TileProgram part) noexcept;
    void return_void() {}
    void unhandled_exception() { fault = std::current_exception(); }
  };

  explicit TileProgram(Handle handle) : handle_(handle) {}
  TileProgram(TileProgram&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  TileProgram(const TileProgram&) = delete;
  TileProgram& operator=(const TileProgram&) = delete;
  ~TileProgram() {
    if (handle_) handle_.destroy();
  }

  // The next operation, nullptr at the end. It is valid until the next call.
  const TileOp* next() {
    handle_.promise().running.resume();
    if (handle_.promise().fault) std::rethrow_exception(handle_.promise().fault);
    return handle_.done() ? nullptr : handle_.promise().op;
  }
  // After an operation of kind repeat: the loop is to go on behind so many iterations.
  void skip(std::uint64_t iterations) { handle_.promise().running.promise().skipped = iterations; }

 private:
  Handle handle_;
};

struct TileProgram::Nested {
  TileProgram part;
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(Handle outer) const noexcept {
    promise_type& promise = part.handle_.promise();
    promise.outer = outer;
    promise.outermost = outer.promise().outermost;
    promise.outermost->running = part.handle_;
    return part.handle_;
  }
  void await_resume() const {
    if (part.handle_.promise().fault) std::rethrow_exception(part.handle_.promise().fault);
  }
};

inline std::uint64_t TileProgram::Yielded::await_resume() const noexcept { return promise.skipped; }

inline std::coroutine_handle<> TileProgram::Back::await_suspend(Handle handle) const noexcept {
  const promise_type& promise = handle.promise();
  if (!promise.outer) return std::noop_coroutine();
  promise.outermost->running = promise.outer;
  return promise.outer;
}

inline TileProgram::Nested TileProgram::promise_type::yield_value(TileProgram part) noexcept {
  return {std::move(part)};
}

// `loop` tells the loops of a program apart, the outermost being 0.
inline TileOp repeat(std::uint8_t loop, std::uint64_t remaining) {
  TileOp op;
  op.kind = OpKind::repeat;
  op.function = loop;
  op.remaining = remaining;
  return op;
}

// The counters of a program that grow alike in each iteration of a loop: marked at its boundary, moved on
// when iterations are skipped.
class Repetition {
 public:
  explicit Repetition(std::vector<std::uint64_t*> counters) : counters_(std::move(counters)) {
    last_.resize(counters_.size());
  }
  void mark() {
    for (std::size_t i = 0; i < counters_.size(); ++i) last_[i] = *counters_[i];
  }
  // At the next boundary: `iterations` more had passed. Also marks it.
  void advance(std::uint64_t iterations) {
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      *counters_[i] += iterations * (*counters_[i] - last_[i]);
    }
    mark();
  }

 private:
  std::vector<std::uint64_t*> counters_;
  std::vector<std::uint64_t> last_;
};

// The first thing in an iteration of the outermost loop, of `count`: from the third on the machine may pass
// over some; the last, which may be unlike the others, is always run.
inline TileProgram pass_over(Repetition& repetition, std::uint64_t& iteration, std::uint64_t count) {
  if (iteration < 2 || iteration + 1 >= count) {
    repetition.mark();
    co_return;
  }
  const std::uint64_t skipped = co_yield repeat(0, count - iteration - 1);
  repetition.advance(skipped);
  iteration += skipped;
}

// A ring of slots as a program uses it: hands out uses in order and knows the tokens.
class SlotRing {
 public:
  SlotRing(std::uint32_t ring, std::uint64_t slots) : ring_(ring), slots_(slots) {}

  std::uint32_t number() const { return ring_; }
  std::uint32_t filled() const { return 2 * ring_; }
  std::uint32_t freed() const { return 2 * ring_ + 1; }
  std::uint64_t slots() const { return slots_; }
  std::uint64_t& uses() { return uses_; }  // given out so far

  SlotUse take() { return {ring_, uses_++}; }
  // The same slots were a ring of the program's part before, with so many uses.
  void follow(std::uint32_t ring, std::uint64_t uses) {
    before_ = ring;
    uses_before_ = uses;
  }
  // What has to have been freed before the use may be filled.
  TokenWait room(const SlotUse& use) const {
    if (use.use + 1 > slots_) return {freed(), use.use + 1 - slots_};
    const std::uint64_t all = uses_before_ + use.use + 1;
    return {2 * before_ + 1, all > slots_ ? all - slots_ : 0};
  }
  // With this use the one before it is free.
  std::uint32_t freed_by(const SlotUse& use) const {
    return use.use != 0 ? freed() : uses_before_ != 0 ? 2 * before_ + 1 : no_token;
  }
  TokenWait ready(const SlotUse& use) const { return {filled(), use.use + 1}; }

 private:
  std::uint32_t ring_;
  std::uint64_t slots_;
  std::uint64_t uses_ = 0;
  std::uint32_t before_ = 0;
  std::uint64_t uses_before_ = 0;
};

}  // namespace mesim::accel
