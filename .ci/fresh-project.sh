#!/usr/bin/env bash
# Follows the README's "Your own agent" in an empty folder, with packages packed from this checkout.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
project=$(mktemp -d)
server=""
cleanup() {
  # npx passes no signal on: its whole group ends.
  [ -z "$server" ] || kill -- "-$server" 2>/dev/null || true
  rm -rf "$project"
}
trap cleanup EXIT

cd "$root" && npm run --silent pack
cd "$project"
npm init -y >/dev/null && npm pkg set type=module
npm install --silent @langchain/langgraph @langchain/core "$root"/packed/*.tgz

# The code blocks of the README, as they stand there.
node "$root/.ci/readme-blocks.js" "$root/README.md" agent.ts langgraph.json

setsid npx parley start --port 0 >server.log 2>&1 &
server=$!
for _ in $(seq 100); do
  url=$(grep -oE 'http://127\.0\.0\.1:[0-9]+' server.log | head -1 || true)
  [ -n "$url" ] && break
  sleep 0.2
done
[ -n "$url" ] || { cat server.log; exit 1; }
answer=$(npx parley send "$url/a2a/agent" "hello" --stream)
echo "$answer"
grep -q "You said: hello" <<<"$answer"
echo "fresh project: ok"
