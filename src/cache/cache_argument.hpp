// A cache on the command line: SIZE,WAYS,LINE or SIZE,WAYS,LINE,REPLACEMENT, as in 32K,8,64.
#pragma once
#include <string>

#include "cache/cache_config.hpp"

namespace mesim {

// `option` ("--I1") names the place of the error, which has exit status 2.
CacheConfig parse_cache(const std::string& option, const std::string& text);

// "32K,8,64": the argument that gives this cache; its policy only if it is not LRU.
std::string cache_argument(const CacheConfig& config);

// "32 KiB, 8-way, 64-byte lines, lru"
std::string describe_cache(const CacheConfig& config);

}  // namespace mesim
