// The frame of every page: head, style, navigation.
#pragma once
#include <string>
#include <vector>

namespace mesim {

struct PageSection {
  std::string id;
  std::string title;
  std::string body;  // HTML
};

std::string framed(const std::string& title, const std::vector<PageSection>& sections);

}  // namespace mesim
