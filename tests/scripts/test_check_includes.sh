#!/usr/bin/env bash
# Plants includes in a small tree and compares what scripts/check_includes says, word for word.
set -euo pipefail
check=$(cd "$(dirname "$0")/../.." && pwd)/scripts/check_includes
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# expect STATUS TEXT: the check of the tree ends so and prints TEXT.
expect() {
  local status=0 text
  text=$("$check" "$tree" 2>&1) || status=$?
  if [[ $status != "$1" || $text != "$2" ]]; then
    printf -- '--- expected (status %s)\n%s\n--- got (status %s)\n%s\n' "$1" "$2" "$status" "$text"
    failed=1
  fi
}
# refused FILE INCLUDE WHY: one planted line is refused, and the tree is fine again without it.
refused() {
  mkdir -p "$tree/$(dirname "$1")"
  printf '#pragma once\n\n#include <vector>\n  #  include %s  // planted\n' "$2" > "$tree/$1"
  expect 1 "$1:4 includes $2: $3
1 wrong"
  rm "$tree/$1"
}

mkdir -p "$tree/csrc/ir" "$tree/csrc/codegen"
printf '#include <selvage/expr/expr.h>\n#include <selvage/ir/graph.h>\n#include <boost/graph/adjacency_list.hpp>\n' \
  > "$tree/csrc/ir/graph.cpp"
printf '#include <selvage/kernel/kernel.h>\n#include <fmt/format.h>\n' > "$tree/csrc/codegen/text.h"
printf '#include <selvage/ir/graph.h>\n#include <selvage/report/page.h>\n' > "$tree/csrc/selvage.h"
good='3 files, 7 includes: all go down'
expect 0 "$good"

refused csrc/ir/a.h '<selvage/index/path.h>' 'ir lies below index, includes go down only'
refused csrc/base/a.cpp '<selvage/report/page.h>' 'base lies below report, includes go down only'
refused csrc/ir/deep/a.h '<selvage/index/path.h>' 'ir lies below index, includes go down only'
refused csrc/codegen/a.h '<selvage/emulate/run.h>' \
  'codegen and emulate share a layer and do not see each other'
refused csrc/emulate/a.cpp '<selvage/codegen/text.h>' \
  'emulate and codegen share a layer and do not see each other'
refused csrc/report/a.cpp '<selvage/cellar/rat.h>' 'there is no layer cellar in cmake/house.txt'
refused csrc/report/a.cpp '<selvage/selvage.h>' \
  'selvage.h is the roof, for users only; include what is needed from it'
refused csrc/ir/a.cpp '"graph.h"' 'spell it <selvage/FOLDER/FILE>, in-tree and installed alike'
refused csrc/ir/a.cpp '<tests/support/counts.h>' \
  'csrc includes itself as <selvage/...>, and nothing above it'
refused csrc/ir/a.h '<boost/graph/adjacency_list.hpp>' \
  'headers keep Boost out; include it in the .cpp'
refused csrc/index/a.h '<Eigen/Core>' 'headers keep Eigen out; include it in the .cpp'
refused csrc/frontend/a.h '<yaml-cpp/yaml.h>' 'headers keep yaml-cpp out; include it in the .cpp'
refused csrc/report/a.h '<nlohmann/json.hpp>' 'headers keep nlohmann out; include it in the .cpp'
refused csrc/runtime/a.h '<libtcc.h>' 'headers keep libtcc out; include it in the .cpp'
refused csrc/frontend/a.h '<CLI/CLI.hpp>' 'headers keep CLI11 out; include it in the .cpp'
refused csrc/driver/a.cpp '<CLI/CLI.hpp>' 'csrc does without CLI11, it belongs to tools'
refused csrc/report/a.cpp '<yaml-cpp/yaml.h>' 'yaml-cpp is used in frontend only'
refused csrc/index/a.cpp '<boost/graph/adjacency_list.hpp>' 'Boost is used in ir only'

mkdir -p "$tree/csrc/attic"
echo > "$tree/csrc/attic/a.cpp"
expect 1 'csrc/attic/a.cpp: there is no layer attic in cmake/house.txt
1 wrong'
rm -r "$tree/csrc/attic"

yes '//' | head -501 > "$tree/csrc/ir/long.cpp" || true
expect 0 "warning: csrc/ir/long.cpp has 501 lines, more than 500
4 files, 7 includes: all go down"
rm "$tree/csrc/ir/long.cpp"

expect 0 "$good"
exit $failed
