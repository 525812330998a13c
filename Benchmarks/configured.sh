# shellcheck shell=bash
# What scripts and their users have garner do beside fetching; sourced by what measures a hit with it.

# shellcheck disable=SC2034  # Used where this is sourced.
options=(-fsSL --retry 3 --max-time 10)

# write_config DIRECTORY: a config file that says something for all URLs, and for a site that is none of those measured.
# XDG_CONFIG_HOME=DIRECTORY has it read.
write_config() {
  mkdir -p "$1/garner"
  printf '%s\n' 'stale-if-error = 1d' 'disk-capacity = 20GiB' '[site "https://api.example.com/*"]' \
    'cache-policy = revalidate' 'header = "Accept: application/json"' > "$1/garner/config"
}
