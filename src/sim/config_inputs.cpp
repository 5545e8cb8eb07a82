#include "sim/config_inputs.hpp"

namespace mesim {
namespace {

class InputLister : public Fields {
 public:
  std::vector<InputPath> take() { return std::move(found_); }

 protected:
  void on_path(std::string_view, InputPath& value, std::string_view) override {
    if (!value.empty()) found_.push_back(value);
  }
  void on_object(std::string_view, std::string_view, const Visit& visit) override { visit(*this); }
  void on_list(std::string_view, std::string_view, std::size_t size, const std::function<void(std::size_t)>&,
               const std::function<void(std::size_t, Fields&)>& visit) override {
    for (std::size_t i = 0; i < size; ++i) visit(i, *this);
  }
  void on_integer(std::string_view, std::uint64_t&, const IntegerRule&) override {}
  void on_number(std::string_view, double&, const NumberRule&) override {}
  void on_flag(std::string_view, bool&, std::string_view) override {}
  void on_text(std::string_view, std::string&, std::string_view) override {}
  void on_choice(std::string_view, std::string&, const std::vector<std::string>&, std::string_view) override {
  }
  void on_optional_integer(std::string_view, std::optional<std::uint64_t>&, const IntegerRule&) override {}
  void on_optional_number(std::string_view, std::optional<double>&, const NumberRule&) override {}
  void on_json(std::string_view, std::string&, std::string_view) override {}
  void on_text_list(std::string_view, std::vector<std::string>&, std::string_view) override {}
  void on_integer_list(std::string_view, std::vector<std::uint64_t>&, const IntegerRule&) override {}
  void on_number_list(std::string_view, std::vector<double>&, const NumberRule&) override {}
  void on_preset(std::string_view, std::string&) override {}
  void on_broken_rule(std::string_view, const std::string&) override {}

 private:
  std::vector<InputPath> found_;
};

}  // namespace

std::vector<InputPath> list_inputs(const std::function<void(Fields&)>& visit) {
  InputLister lister;
  visit(lister);
  return lister.take();
}

}  // namespace mesim
