#pragma once
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include <fmt/format.h>
