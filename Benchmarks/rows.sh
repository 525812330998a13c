# shellcheck shell=bash
# The rows of the bench, a function each; sourced by bench. Needs its programs, files and origins.

plain() { echo "http://127.0.0.1:$http_port/$1"; }
secure() { echo "https://localhost:$https_port/$1"; }

# Measures commands in turns, and prints a row for each but the first: compare TITLE GOALS ROUNDS COMMANDS...
#
# COMMANDS are as `measure` takes them. GOALS are LABEL=RATIO, for the commands that have a goal. A goal is missed where
# even the lower quartile of the ratios, taken round by round, is above it.
compare() {
  local title=$1 goals=$2 rounds=$3
  shift 3
  "$measure" "$rounds" "$@" 2> "$work/said" > "$work/measured" || { cat "$work/said" >&2; return 1; }
  awk -F '\t' -v title="$title" -v goals="$goals" '
    BEGIN {
      count = split(goals, pairs, " ")
      for (each = 1; each <= count; each++) { split(pairs[each], pair, "="); goal[pair[1]] = pair[2] }
    }
    $1 == "time" { best[$2] = $3 }
    $1 == "ratio" {
      split($2, names, "/")
      other = names[2]
      verdict = ""
      if (other in goal) {
        verdict = $4 <= goal[other] ? "met" : $5 <= goal[other] ? "met within the spread" : "MISSED"
      }
      printf "%-40s %8.2f %8.2f %7.3f  %6.3f %-14s %5s  %s\n", title " : " other, best[names[1]], best[other], $3, $4,
        sprintf("[%.3f-%.3f]", $5, $6), other in goal ? goal[other] : "", verdict
    }' "$work/measured" | tee -a "$work/rows"
}

# Prints the row of a quantity: TITLE AMOUNT UNIT GOAL.
report() {
  awk -v title="$1" -v amount="$2" -v unit="$3" -v goal="$4" 'BEGIN {
    printf "%-40s %8.2f %-38s %5s  %s\n", title, amount, unit, goal, amount <= goal ? "met" : "MISSED"
  }' | tee -a "$work/rows"
}

# Prints how many goals are missed in the rows so far.
missed() { grep -c 'MISSED$' "$work/rows" || true; }

# Stores a file, and checks that the next fetch is a hit with the right content.
store() {
  "$garner" -s "$(plain "$1")" > "$work/warm"
  "$garner" -s --offline "$(plain "$1")" | cmp - "files/${1#validated/}"
}

# MARK: Hits

row_hit() {
  local url
  url=$(plain small)
  store small
  compare '1 KB hit' 'cat=1.0 curl=0.10' 400 garner "$garner" -s "$url" -- cat cat files/small -- curl curl -q -s "$url"
}

# A hit as in scripts: with options, and with a config file that says something for all URLs, and for a site.
row_hit_configured() {
  local url
  url=$(plain small)
  store small
  write_config "$work/configured"
  compare '1 KB hit, options' '' 400 garner "$garner" "${options[@]}" "$url" -- cat cat files/small
  compare '1 KB hit, options and config' '' 400 \
    garner "XDG_CONFIG_HOME=$work/configured" "$garner" "${options[@]}" "$url" -- cat cat files/small
}

row_hit_1mb() {
  store medium
  compare '1 MB hit' 'cat=0.8' 300 garner "$garner" -s "$(plain medium)" -- cat cat files/medium
}

row_hit_100mb() {
  store large
  compare '100 MB hit' 'cat=0.7' 40 garner "$garner" -s "$(plain large)" -- cat cat files/large
}

row_hit_file() {
  store large
  compare '100 MB hit to a file' 'cat=1.2' 15 garner "$garner" -s -o '{new}/body' "$(plain large)" -- \
    cat '>{new}/body' cat files/large
}

# MARK: Misses

row_miss() {
  local url
  url=$(plain 'small?{n}')
  compare '1 KB miss, http' 'curl=1.1' 200 garner "$garner" -s "$url" -- curl curl -q -s "$url"
}

# Each program trusts all authorities that Debian trusts, and reads them as it does on Debian.
row_miss_https() {
  local url
  url=$(secure 'small?{n}')
  compare '1 KB miss, https' 'curl=0.4' 40 \
    garner "SSL_CERT_DIR=$work/authorities" "SSL_CERT_FILE=$work/authorities.pem" "$garner" -s "$url" -- \
    curl "CURL_CA_BUNDLE=$work/authorities.pem" curl -q -s "$url"
}

# Each run has a store of its own, which is emptied afterwards, so that the disk does not fill up.
row_miss_100mb() {
  local url
  url=$(plain large)
  compare '100 MB miss to a file, stored' 'curl=1.1 curl-tee=0.7' 15 \
    garner "$garner" -s --cache-dir '{new}/store' -o '{new}/body' "$url" -- \
    curl curl -q -s -o '{new}/body' "$url" -- \
    curl-tee sh -c "curl -q -s '$url' | tee {new}/body > {new}/copy"
}

# MARK: What is sent

row_upload() {
  local url
  url=$(plain sink)
  compare '100 MB sent out of a file' 'curl=1.3' 15 garner "$garner" -s -T files/large "$url" -- \
    curl curl -q -s -T files/large "$url"
}

# MARK: What is validated

row_validated() {
  local url
  url=$(plain validated/small)
  store validated/small
  curl -q -s --etag-save "$work/etag" "$url" > "$work/warm"
  compare '304 of 1 KB' 'curl=1.1' 200 garner "$garner" -s "$url" -- curl curl -q -s --etag-compare "$work/etag" "$url"
}

# A hit of the same size takes all the time that grows with the body. The rest must be no more than a small 304 takes.
row_validated_100mb() {
  store large
  store validated/large
  store validated/small
  compare '304 of 100 MB' 'hit-and-small-304=1.0' 25 garner "$garner" -s "$(plain validated/large)" -- \
    hit-and-small-304 sh -c "'$garner' -s '$(plain large)' && '$garner' -s '$(plain validated/small)'"
}

# MARK: Many URLs

# curl makes 2,000 files. garner makes as many by storing, twice as many where it also writes the misses into files, and
# as many of its hits. The files are new each time, because one that replaces another may have to reach the disk first.
#
# The least possible work is measured beside them: fetching without files, making the files, reading them.
row_many() {
  local curl missed stored entries=$work/entries
  missed=$(plain 'small?{n}-[1-2000]')
  stored=$(plain 'small?hit-[1-2000]')
  curl=(curl curl -q -s -Z --parallel-max 50 -o '{new}/#1')
  "$garner" -s -Z "$stored" > "$work/warm"
  find "$("$garner" cache dir)" -path '*/v1/??/*' -type f -size +1k -size -8k | awk 'NR <= 2000' > "$entries"
  compare '2,000 misses, stored' 'curl=0.8' 6 garner "$garner" -s -Z "$missed" -- "${curl[@]}" "$missed" -- \
    'curl, no files' curl -q -s -Z --parallel-max 50 "$missed" -- 'the files alone' "$work/floor" write '{new}/store' 2000
  compare '2,000 misses, into files too' 'curl=0.8' 6 garner "$garner" -s -Z -o '{new}/#1' "$missed" -- \
    "${curl[@]}" "$missed"
  compare '2,000 hits to a pipe' 'curl=0.10' 8 garner "$garner" -s -Z "$stored" -- "${curl[@]}" "$stored" -- \
    'cat of 2,000' xargs -a "$entries" cat -- 'reading alone' "$work/floor" read "$entries"
  compare '2,000 hits into files' 'curl=0.10' 8 garner "$garner" -s -Z -o '{new}/#1' "$stored" -- \
    "${curl[@]}" "$stored"
}

# MARK: Start, memory, size

row_version() {
  compare 'garner --version' 'empty=2.0' 400 garner "$garner" --version -- empty "$work/empty"
}

# Prints the resident memory of a process and of those that it started, in MiB: the sum of the maximum of each. The
# kernel keeps the maximum of a process only until it ends, and of several processes in a tree it tells only the
# largest, so it is asked while they run.
resident_of() {
  local process
  "$@" > "$work/warm" &
  process=$!
  while kill -0 "$process" 2> /dev/null; do
    peaks "$process"
    sleep 0.02
  done | sort -n | tail -n 1
  wait "$process"
}

peaks() {
  local each processes=()
  read -ra processes < "/proc/$1/task/$1/children" 2> /dev/null || true
  for each in "$1" "${processes[@]}"; do
    cat "/proc/$each/status" 2> /dev/null || true
  done | awk '/^VmHWM/ { sum += $2 } END { printf "%.2f\n", sum / 1024 }'
}

row_memory() {
  store small
  "$measure" 20 garner "$garner" -s "$(plain small)" > "$work/measured"
  report 'resident set of a 1 KB hit' "$(awk -F '\t' '$1 == "time" { print $7 / 1024 }' "$work/measured")" MiB 6
  report 'resident sets of a 1 GB miss' "$(resident_of "$garner" -s "$(plain huge)")" 'MiB, both processes' 32
}

row_size() {
  report 'the binary, stripped' "$(stat --format=%s "$garner" | awk '{ print $1 / 1e6 }')" MB 8
}

# MARK: Other caching clients, which have no goal

row_peers() {
  local url commands=()
  url=$(plain small)
  store small
  commands=(garner "$garner" -s "$url")
  [[ -z $wget ]] || commands+=(-- wget "$wget" --no-config -q -O - "$url")
  [[ -z $squid_port ]] || commands+=(-- curl-squid curl -q -s -x "127.0.0.1:$squid_port" "$url")
  [[ -z $python ]] || commands+=(-- requests-cache "$python" "$here/peers/with-requests-cache" requests-cache "$url" \
    -- hishel "$python" "$here/peers/with-hishel" hishel "$url")
  [[ ${#commands[@]} -eq 4 ]] || compare '1 KB again' '' 15 "${commands[@]}"
}

row_many_peers() {
  local url commands=() list=$work/list
  url=$(plain 'small?hit-[1-2000]')
  seq -f "$(plain small)?hit-%.0f" 1 2000 > "$list"
  "$garner" -s -Z "$url" > "$work/warm"
  commands=(garner "$garner" -s -Z -o '{new}/#1' "$url")
  [[ -z $wget ]] || commands+=(-- wget "$wget" --no-config -q -P '{new}' -i "$list")
  [[ -z $squid_port ]] || commands+=(-- curl-squid curl -q -s -Z --parallel-max 50 -x "127.0.0.1:$squid_port" \
    -o '{new}/#1' "$url")
  if [[ -n $python ]]; then
    commands+=(-- requests-cache xargs -a "$list" "$python" "$here/peers/with-requests-cache" requests-cache
      -- hishel xargs -a "$list" "$python" "$here/peers/with-hishel" hishel)
  fi
  [[ ${#commands[@]} -eq 6 ]] || compare '2,000 again' '' 3 "${commands[@]}"
}
