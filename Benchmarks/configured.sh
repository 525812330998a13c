# shellcheck shell=bash
# The options and the config file of a typical script and its user; sourced by scripts that measure a hit with them.

# shellcheck disable=SC2034  # Used where this is sourced.
options=(-fsSL --retry 3 --max-time 10)

# write_config DIRECTORY: writes a config file that says something for all URLs, and for a site other than those that
# are measured. XDG_CONFIG_HOME=DIRECTORY makes garner read it.
write_config() {
  mkdir -p "$1/garner"
  printf '%s\n' 'stale-if-error = 1d' 'disk-capacity = 20GiB' '[site "https://api.example.com/*"]' \
    'cache-policy = revalidate' 'header = "Accept: application/json"' > "$1/garner/config"
}
