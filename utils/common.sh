# What the scripts of utils/ share: lines of progress, times, and the tool names. Sourced, not run.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\033[1m' red=$'\033[31m' green=$'\033[32m' plain=$'\033[0m'
else
  bold='' red='' green='' plain=''
fi

# fail TEXT...: one line to stderr, exit 1.
fail() {
  printf '%s\n' "${red}error:${plain} $*" >&2
  exit 1
}

# duration SECONDS: "4s" or "3m12s".
duration() {
  if [ "$1" -lt 60 ]; then printf '%ds' "$1"; else printf '%dm%02ds' $(($1 / 60)) $(($1 % 60)); fi
}

# bytes N: "812 B", "24 KB" or "19.4 MB", with 1 MB = 10^6 bytes.
bytes() {
  awk -v n="$1" 'BEGIN { if (n < 1000) printf "%d B", n; else if (n < 1e6) printf "%.0f KB", n / 1e3;
                         else printf "%.1f MB", n / 1e6 }'
}

# jobs: how many compilers run at once; one takes up to 2 GiB of memory.
jobs_allowed() {
  if [ -n "${JOBS:-}" ]; then
    printf '%s' "$JOBS"
    return
  fi
  awk -v cores="$(nproc)" '/^MemAvailable/ { n = int($2 / 2097152); if (n > cores) n = cores; if (n < 1) n = 1; print n }' \
    /proc/meminfo
}

# find_ptxas: the path of ptxas, or nothing.
find_ptxas() {
  if [ -n "${TESSERA_PTXAS:-}" ] && [ -x "$TESSERA_PTXAS" ]; then
    printf '%s' "$TESSERA_PTXAS"
  else
    command -v ptxas || { [ -x /usr/local/cuda/bin/ptxas ] && printf /usr/local/cuda/bin/ptxas; } || true
  fi
}
