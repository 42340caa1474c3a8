#!/usr/bin/env bash
# Makes echarts.min.js again from the versions in package-lock.json. Needs npm; only for those who change charts.js
# or take a newer ECharts: the bundle is part of the repository, so that building t3sim needs none of this.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
npm ci --silent --no-audit --no-fund
licence=$(printf '/*! Apache ECharts %s, a bundle of the parts named in charts.js, minified.\n%s\n\nIt contains zrender:\n%s\n\nand tslib:\n%s */' \
  "$(node -p 'require("./node_modules/echarts/package.json").version')" "$(cat node_modules/echarts/NOTICE node_modules/echarts/LICENSE)" \
  "$(cat node_modules/zrender/LICENSE)" "$(cat node_modules/tslib/LICENSE.txt)")
node_modules/.bin/esbuild charts.js --bundle --minify --format=iife --global-name=echarts --target=es2020 \
  --charset=utf8 --legal-comments=none --banner:js="$licence" --outfile=echarts.min.js
# It goes into a page as it is.
if grep -qi '</script' echarts.min.js; then
  echo "echarts.min.js would end the script element that holds it" >&2
  exit 1
fi
