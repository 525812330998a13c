# bash completion of garner, printed from its table of flags

# Offers what compgen finds for the prefix $1 and the options $2 and on.
_garner_offer() {
  local word
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(IFS=$' \t\n'; compgen "${@:2}" -- "$1")
}

# As above, where it finds names of files, which Readline puts into quotes.
_garner_names() {
  compopt -o filenames 2>/dev/null
  names=1
  _garner_offer "$@"
}

# Offers the files whose names stand behind @ in $1.
_garner_behind_at() {
  [[ $1 != @* ]] || _garner_names "${1#@}" -f -P @
}

# Offers the lines that garner prints for the words $2 and on, and for what has been typed, which is $1. It is called
# with the options of the line that count for it, too.
_garner_output() {
  local word
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("${call[@]}" "${@:2}" -- "$1" </dev/null 2>/dev/null)
}

# Puts $1 into REPLY so that it stands for itself behind the quotation mark $2, or without one.
_garner_quote() {
  local letter
  local -i i
  if [[ ! $2 ]]; then
    printf -v REPLY %q "$1"
    return
  fi
  REPLY=
  for ((i = 0; i < ${#1}; i++)); do
    letter=${1:i:1}
    case $2$letter in
      \'\') letter="'\''" ;;
      # A backslash before it would stay; within single quotation marks it is not looked up in the history.
      \"!) letter="\"'!'\"" ;;
      \"[\\\$\`\"]) letter=\\$letter ;;
    esac
    REPLY+=$letter
  done
  # Readline takes a mark at the end for the one that closes, and adds none.
  [[ $REPLY != *"$2" ]] || REPLY+=$2
}

# Reads the line up to the cursor into words, without their quotation; the last is being typed, and those before it
# have a home for a tilde. Sets before to what of the last stays as it is, and quote to the mark that is open. Fails
# where it is quoted in a way of its own.
_garner_read() {
  local line=${COMP_LINE:0:COMP_POINT} typed= letter is_odd= has_begun= tilde= home=
  local -i i
  for ((i = 0; i < ${#line}; i++)); do
    letter=${line:i:1}
    if [[ $letter == [[:space:]] && ! $quote ]]; then
      [[ ! $has_begun ]] || words+=("$home${typed#"$tilde"}")
      typed= before= is_odd= has_begun= tilde= home=
      continue
    fi
    if [[ ! $has_begun && ${line:i} =~ ^~[[:alnum:]._+-]*[/[:space:]] ]]; then
      tilde=${BASH_REMATCH[0]%?}
      # There is nothing else in it than a name.
      eval "home=$tilde"
    fi
    has_begun=1
    if [[ $letter == "$quote" ]]; then
      quote= is_odd=1
    elif [[ $letter == \\ && $quote != \' ]]; then
      i+=1
      letter=${line:i:1}
      [[ ! $quote || $letter == [\\\$\`\"] ]] || typed+=\\
      typed+=$letter
    elif [[ $letter == [\'\"] && ! $quote ]]; then
      [[ $typed != *\$ ]] || is_odd=1
      quote=$letter before=$typed
    else
      typed+=$letter
      # An at sign begins a word, where it breaks one.
      [[ $quote || $COMP_WORDBREAKS != *"$letter"* ]] || before=${typed%@}
    fi
  done
  words+=("$typed")
  [[ ! $is_odd ]]
}

# The command that the word $2 chooses below the command $1.
_garner_descend() {
  case "$1:$2" in
    'garner:prefetch') REPLY='garner prefetch' ;;
    'garner:cache') REPLY='garner cache' ;;
    'garner:config') REPLY='garner config' ;;
    'garner:network') REPLY='garner network' ;;
    'garner:completions') REPLY='garner completions' ;;
    'garner:help') REPLY='garner help' ;;
    'garner cache:ls'|'garner cache:list') REPLY='garner cache ls' ;;
    'garner cache:show'|'garner cache:info'|'garner cache:inspect') REPLY='garner cache show' ;;
    'garner cache:cat') REPLY='garner cache cat' ;;
    'garner cache:explain') REPLY='garner cache explain' ;;
    'garner cache:rm'|'garner cache:purge') REPLY='garner cache rm' ;;
    'garner cache:clear') REPLY='garner cache clear' ;;
    'garner cache:prune') REPLY='garner cache prune' ;;
    'garner cache:verify') REPLY='garner cache verify' ;;
    'garner cache:stats') REPLY='garner cache stats' ;;
    'garner cache:pin') REPLY='garner cache pin' ;;
    'garner cache:unpin') REPLY='garner cache unpin' ;;
    'garner cache:tag') REPLY='garner cache tag' ;;
    'garner cache:check') REPLY='garner cache check' ;;
    'garner cache:export') REPLY='garner cache export' ;;
    'garner cache:import') REPLY='garner cache import' ;;
    'garner cache:dir') REPLY='garner cache dir' ;;
    'garner config:check') REPLY='garner config check' ;;
    'garner config:show') REPLY='garner config show' ;;
    *) return 1 ;;
  esac
}

# Whether the option $2 of the command $1 takes the next word.
_garner_takes_value() {
  case "$1:$2" in
    'garner:-X'|'garner:--request'|'garner:-H'|'garner:--header'|'garner:-d'|'garner:--data'|'garner:--data-ascii'|'garner:--data-raw'|'garner:--data-binary'|'garner:--data-urlencode'|'garner:--json'|'garner:-u'|'garner:--user'|'garner:-A'|'garner:--user-agent'|'garner:-e'|'garner:--referer'|'garner:-r'|'garner:--range'|'garner:--oauth2-bearer'|'garner:--netrc-file'|'garner:-b'|'garner:--cookie'|'garner:-c'|'garner:--cookie-jar'|'garner:-F'|'garner:--form'|'garner:--form-string'|'garner:-T'|'garner:--upload-file'|'garner:--url-query'|'garner:-o'|'garner:--output'|'garner:--output-dir'|'garner:-D'|'garner:--dump-header'|'garner:-w'|'garner:--write-out'|'garner:--cache-policy'|'garner:--memory-capacity'|'garner:--disk-capacity'|'garner:--max-object-size'|'garner:--collapse-timeout'|'garner:--cache-key'|'garner:--ignore-param'|'garner:--cache-partition'|'garner:--credential-field'|'garner:--max-age'|'garner:--min-fresh'|'garner:--ttl'|'garner:--store-header'|'garner:--strip-header'|'garner:--store-status'|'garner:--tag'|'garner:--store-hook'|'garner:--store-hook-timeout'|'garner:--reachability'|'garner:--reachability-policy'|'garner:--max-redirs'|'garner:-m'|'garner:--max-time'|'garner:--connect-timeout'|'garner:--cacert'|'garner:-x'|'garner:--proxy'|'garner:--resolve'|'garner:--connect-to'|'garner:--interface'|'garner:--unix-socket'|'garner:--abstract-unix-socket'|'garner:--doh-url'|'garner:--noproxy'|'garner:-U'|'garner:--proxy-user'|'garner:--hsts'|'garner:--alt-svc'|'garner:--proto'|'garner:--proto-redir'|'garner:--capath'|'garner:-E'|'garner:--cert'|'garner:--key'|'garner:--pass'|'garner:--pinnedpubkey'|'garner:--tls-max'|'garner:--ciphers'|'garner:--tls13-ciphers'|'garner:--retry'|'garner:--retry-delay'|'garner:--retry-max-time'|'garner:-C'|'garner:--continue-at'|'garner:--max-filesize'|'garner:--max-ratio'|'garner:--limit-rate'|'garner:-Y'|'garner:--speed-limit'|'garner:-y'|'garner:--speed-time'|'garner:--sha256'|'garner:--integrity'|'garner:--url'|'garner:--input-file'|'garner:--parallel-max'|'garner:-K'|'garner:--curl-config'|'garner:--cache-dir'|'garner:--color'|'garner:--config') return 0 ;;
    'garner prefetch:-X'|'garner prefetch:--request'|'garner prefetch:-H'|'garner prefetch:--header'|'garner prefetch:-d'|'garner prefetch:--data'|'garner prefetch:--data-ascii'|'garner prefetch:--data-raw'|'garner prefetch:--data-binary'|'garner prefetch:--data-urlencode'|'garner prefetch:--json'|'garner prefetch:-u'|'garner prefetch:--user'|'garner prefetch:-A'|'garner prefetch:--user-agent'|'garner prefetch:-e'|'garner prefetch:--referer'|'garner prefetch:-r'|'garner prefetch:--range'|'garner prefetch:--oauth2-bearer'|'garner prefetch:--netrc-file'|'garner prefetch:-b'|'garner prefetch:--cookie'|'garner prefetch:-c'|'garner prefetch:--cookie-jar'|'garner prefetch:-F'|'garner prefetch:--form'|'garner prefetch:--form-string'|'garner prefetch:-T'|'garner prefetch:--upload-file'|'garner prefetch:--url-query'|'garner prefetch:--cache-policy'|'garner prefetch:--memory-capacity'|'garner prefetch:--disk-capacity'|'garner prefetch:--max-object-size'|'garner prefetch:--collapse-timeout'|'garner prefetch:--cache-key'|'garner prefetch:--ignore-param'|'garner prefetch:--cache-partition'|'garner prefetch:--credential-field'|'garner prefetch:--max-age'|'garner prefetch:--min-fresh'|'garner prefetch:--ttl'|'garner prefetch:--store-header'|'garner prefetch:--strip-header'|'garner prefetch:--store-status'|'garner prefetch:--tag'|'garner prefetch:--store-hook'|'garner prefetch:--store-hook-timeout'|'garner prefetch:--reachability'|'garner prefetch:--reachability-policy'|'garner prefetch:--max-redirs'|'garner prefetch:-m'|'garner prefetch:--max-time'|'garner prefetch:--connect-timeout'|'garner prefetch:--cacert'|'garner prefetch:-x'|'garner prefetch:--proxy'|'garner prefetch:--resolve'|'garner prefetch:--connect-to'|'garner prefetch:--interface'|'garner prefetch:--unix-socket'|'garner prefetch:--abstract-unix-socket'|'garner prefetch:--doh-url'|'garner prefetch:--noproxy'|'garner prefetch:-U'|'garner prefetch:--proxy-user'|'garner prefetch:--hsts'|'garner prefetch:--alt-svc'|'garner prefetch:--proto'|'garner prefetch:--proto-redir'|'garner prefetch:--capath'|'garner prefetch:-E'|'garner prefetch:--cert'|'garner prefetch:--key'|'garner prefetch:--pass'|'garner prefetch:--pinnedpubkey'|'garner prefetch:--tls-max'|'garner prefetch:--ciphers'|'garner prefetch:--tls13-ciphers'|'garner prefetch:--retry'|'garner prefetch:--retry-delay'|'garner prefetch:--retry-max-time'|'garner prefetch:-C'|'garner prefetch:--continue-at'|'garner prefetch:--max-filesize'|'garner prefetch:--max-ratio'|'garner prefetch:--limit-rate'|'garner prefetch:-Y'|'garner prefetch:--speed-limit'|'garner prefetch:-y'|'garner prefetch:--speed-time'|'garner prefetch:--sha256'|'garner prefetch:--integrity'|'garner prefetch:--url'|'garner prefetch:--input-file'|'garner prefetch:--parallel-max'|'garner prefetch:-K'|'garner prefetch:--curl-config'|'garner prefetch:--cache-dir'|'garner prefetch:--color'|'garner prefetch:--config') return 0 ;;
    'garner cache:--cache-dir'|'garner cache:--color'|'garner cache:--config') return 0 ;;
    'garner cache ls:--format'|'garner cache ls:--sort'|'garner cache ls:--limit'|'garner cache ls:--host'|'garner cache ls:--tag'|'garner cache ls:--status'|'garner cache ls:--type'|'garner cache ls:--group'|'garner cache ls:--older-than'|'garner cache ls:--newer-than'|'garner cache ls:--unused-for'|'garner cache ls:--larger-than'|'garner cache ls:--cache-dir'|'garner cache ls:--color'|'garner cache ls:--config') return 0 ;;
    'garner cache show:--cache-dir'|'garner cache show:--color'|'garner cache show:--config') return 0 ;;
    'garner cache cat:--cache-dir'|'garner cache cat:--color'|'garner cache cat:--config') return 0 ;;
    'garner cache explain:-X'|'garner cache explain:--request'|'garner cache explain:-H'|'garner cache explain:--header'|'garner cache explain:-d'|'garner cache explain:--data'|'garner cache explain:--data-ascii'|'garner cache explain:--data-raw'|'garner cache explain:--data-binary'|'garner cache explain:--data-urlencode'|'garner cache explain:-u'|'garner cache explain:--user'|'garner cache explain:-A'|'garner cache explain:--user-agent'|'garner cache explain:-e'|'garner cache explain:--referer'|'garner cache explain:-r'|'garner cache explain:--range'|'garner cache explain:--oauth2-bearer'|'garner cache explain:--netrc-file'|'garner cache explain:-b'|'garner cache explain:--cookie'|'garner cache explain:-c'|'garner cache explain:--cookie-jar'|'garner cache explain:-F'|'garner cache explain:--form'|'garner cache explain:--form-string'|'garner cache explain:-T'|'garner cache explain:--upload-file'|'garner cache explain:--url-query'|'garner cache explain:--cache-key'|'garner cache explain:--ignore-param'|'garner cache explain:--cache-partition'|'garner cache explain:--credential-field'|'garner cache explain:--max-age'|'garner cache explain:--min-fresh'|'garner cache explain:--cacert'|'garner cache explain:--resolve'|'garner cache explain:--connect-to'|'garner cache explain:--unix-socket'|'garner cache explain:--abstract-unix-socket'|'garner cache explain:--doh-url'|'garner cache explain:--hsts'|'garner cache explain:--capath'|'garner cache explain:-E'|'garner cache explain:--cert'|'garner cache explain:--pinnedpubkey'|'garner cache explain:--ciphers'|'garner cache explain:--cache-dir'|'garner cache explain:--color'|'garner cache explain:--config') return 0 ;;
    'garner cache rm:--host'|'garner cache rm:--tag'|'garner cache rm:--status'|'garner cache rm:--type'|'garner cache rm:--group'|'garner cache rm:--older-than'|'garner cache rm:--newer-than'|'garner cache rm:--unused-for'|'garner cache rm:--larger-than'|'garner cache rm:--cache-dir'|'garner cache rm:--color'|'garner cache rm:--config') return 0 ;;
    'garner cache clear:--cache-dir'|'garner cache clear:--color'|'garner cache clear:--config') return 0 ;;
    'garner cache prune:--max-size'|'garner cache prune:--disk-capacity'|'garner cache prune:--older-than'|'garner cache prune:--unused-for'|'garner cache prune:--larger-than'|'garner cache prune:--host'|'garner cache prune:--tag'|'garner cache prune:--status'|'garner cache prune:--type'|'garner cache prune:--group'|'garner cache prune:--cache-dir'|'garner cache prune:--color'|'garner cache prune:--config') return 0 ;;
    'garner cache verify:--cache-dir'|'garner cache verify:--color'|'garner cache verify:--config') return 0 ;;
    'garner cache stats:--disk-capacity'|'garner cache stats:--cache-dir'|'garner cache stats:--color'|'garner cache stats:--config') return 0 ;;
    'garner cache pin:--host'|'garner cache pin:--tag'|'garner cache pin:--status'|'garner cache pin:--type'|'garner cache pin:--group'|'garner cache pin:--older-than'|'garner cache pin:--newer-than'|'garner cache pin:--unused-for'|'garner cache pin:--larger-than'|'garner cache pin:--cache-dir'|'garner cache pin:--color'|'garner cache pin:--config') return 0 ;;
    'garner cache unpin:--host'|'garner cache unpin:--tag'|'garner cache unpin:--status'|'garner cache unpin:--type'|'garner cache unpin:--group'|'garner cache unpin:--older-than'|'garner cache unpin:--newer-than'|'garner cache unpin:--unused-for'|'garner cache unpin:--larger-than'|'garner cache unpin:--cache-dir'|'garner cache unpin:--color'|'garner cache unpin:--config') return 0 ;;
    'garner cache tag:-d'|'garner cache tag:--delete'|'garner cache tag:--cache-dir'|'garner cache tag:--color'|'garner cache tag:--config') return 0 ;;
    'garner cache check:-X'|'garner cache check:--request'|'garner cache check:-H'|'garner cache check:--header'|'garner cache check:-d'|'garner cache check:--data'|'garner cache check:--data-ascii'|'garner cache check:--data-raw'|'garner cache check:--data-binary'|'garner cache check:--data-urlencode'|'garner cache check:--json'|'garner cache check:-u'|'garner cache check:--user'|'garner cache check:-A'|'garner cache check:--user-agent'|'garner cache check:-e'|'garner cache check:--referer'|'garner cache check:-r'|'garner cache check:--range'|'garner cache check:--oauth2-bearer'|'garner cache check:--netrc-file'|'garner cache check:-b'|'garner cache check:--cookie'|'garner cache check:-c'|'garner cache check:--cookie-jar'|'garner cache check:-F'|'garner cache check:--form'|'garner cache check:--form-string'|'garner cache check:-T'|'garner cache check:--upload-file'|'garner cache check:--url-query'|'garner cache check:--cache-key'|'garner cache check:--ignore-param'|'garner cache check:--cache-partition'|'garner cache check:--credential-field'|'garner cache check:--max-age'|'garner cache check:--min-fresh'|'garner cache check:--cacert'|'garner cache check:--resolve'|'garner cache check:--connect-to'|'garner cache check:--unix-socket'|'garner cache check:--abstract-unix-socket'|'garner cache check:--doh-url'|'garner cache check:--hsts'|'garner cache check:--capath'|'garner cache check:-E'|'garner cache check:--cert'|'garner cache check:--pinnedpubkey'|'garner cache check:--ciphers'|'garner cache check:--sha256'|'garner cache check:--integrity'|'garner cache check:--max-redirs'|'garner cache check:--url'|'garner cache check:--input-file'|'garner cache check:-K'|'garner cache check:--curl-config'|'garner cache check:--cache-dir'|'garner cache check:--color'|'garner cache check:--config') return 0 ;;
    'garner cache export:--host'|'garner cache export:--tag'|'garner cache export:--status'|'garner cache export:--type'|'garner cache export:--group'|'garner cache export:--older-than'|'garner cache export:--newer-than'|'garner cache export:--unused-for'|'garner cache export:--larger-than'|'garner cache export:--cache-dir'|'garner cache export:--color'|'garner cache export:--config') return 0 ;;
    'garner cache import:--disk-capacity'|'garner cache import:--max-object-size'|'garner cache import:--cache-dir'|'garner cache import:--color'|'garner cache import:--config') return 0 ;;
    'garner cache dir:--cache-dir'|'garner cache dir:--color'|'garner cache dir:--config') return 0 ;;
    'garner config:--cache-dir'|'garner config:--color'|'garner config:--config') return 0 ;;
    'garner config check:--cache-dir'|'garner config check:--color'|'garner config check:--config') return 0 ;;
    'garner config show:--cache-dir'|'garner config show:--color'|'garner config show:--config') return 0 ;;
    'garner network:--reachability'|'garner network:--reachability-policy'|'garner network:--cache-dir'|'garner network:--color'|'garner network:--config') return 0 ;;
    'garner completions:--cache-dir'|'garner completions:--color'|'garner completions:--config') return 0 ;;
    'garner help:--cache-dir'|'garner help:--color'|'garner help:--config') return 0 ;;
    *) return 1 ;;
  esac
}

# Whether the option $1 counts for what completes the line, too.
_garner_is_common() {
  case "$1" in
    --cache-dir|--color|--config|-q|--disable) return 0 ;;
    *) return 1 ;;
  esac
}

# The options of the command $1.
_garner_options() {
  case "$1" in
    'garner') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --json --user --basic --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --output --silent --show-error --fail --no-fail --remote-name --include --verbose --remote-name-all --remote-header-name --output-dir --create-dirs --clobber --no-clobber --remove-on-error --remote-time --no-buffer --exit-unchanged --dump-header --fail-with-body --write-out --progress-bar --no-progress --dry-run --cache-policy --offline --refresh --reload --prefer-offline --no-store --memory-only --memory-capacity --disk-capacity --max-object-size --durable --collapse-timeout --cache-key --ignore-param --cache-post --cache-partition --credential-field --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --ttl --store-header --strip-header --store-status --forget-on-error --tag --pin --store-hook --store-hook-timeout --reachability --reachability-policy --location --no-location --location-trusted --max-redirs --max-time --connect-timeout --insecure --cacert --http1.1 --http2 --ipv4 --ipv6 --proxy --resolve --connect-to --interface --unix-socket --abstract-unix-socket --doh-url --noproxy --proxy-user --proxy-basic --http1.0 --http2-prior-knowledge --hsts --alt-svc --proto --proto-redir --capath --cert --key --pass --pinnedpubkey --tlsv1.2 --tlsv1.3 --tls-max --ciphers --tls13-ciphers --retry --retry-delay --retry-max-time --retry-all-errors --retry-connrefused --continue-at --max-filesize --max-ratio --limit-rate --speed-limit --speed-time --sha256 --integrity --url --input-file --parallel --parallel-max --globoff --next --curl-config --fail-early --cache-dir --color --config --disable --help --version' ;;
    'garner prefetch') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --json --user --basic --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --fail --no-fail --silent --show-error --verbose --no-progress --dry-run --cache-policy --offline --refresh --reload --prefer-offline --no-store --memory-only --memory-capacity --disk-capacity --max-object-size --durable --collapse-timeout --cache-key --ignore-param --cache-post --cache-partition --credential-field --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --ttl --store-header --strip-header --store-status --forget-on-error --tag --pin --store-hook --store-hook-timeout --reachability --reachability-policy --location --no-location --location-trusted --max-redirs --max-time --connect-timeout --insecure --cacert --http1.1 --http2 --ipv4 --ipv6 --proxy --resolve --connect-to --interface --unix-socket --abstract-unix-socket --doh-url --noproxy --proxy-user --proxy-basic --http1.0 --http2-prior-knowledge --hsts --alt-svc --proto --proto-redir --capath --cert --key --pass --pinnedpubkey --tlsv1.2 --tlsv1.3 --tls-max --ciphers --tls13-ciphers --retry --retry-delay --retry-max-time --retry-all-errors --retry-connrefused --continue-at --max-filesize --max-ratio --limit-rate --speed-limit --speed-time --sha256 --integrity --url --input-file --parallel --parallel-max --globoff --next --curl-config --fail-early --cache-dir --color --config --disable --help --version' ;;
    'garner cache') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache ls') REPLY='--json --jsonl --null --format --sort --reverse --limit --show-secrets --host --tag --status --type --group --fresh --stale --pinned --older-than --newer-than --unused-for --larger-than --cache-dir --color --config --disable --help --version' ;;
    'garner cache show') REPLY='--json --headers --show-secrets --cache-dir --color --config --disable --help --version' ;;
    'garner cache cat') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache explain') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --user --basic --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --cache-key --ignore-param --cache-post --cache-partition --credential-field --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --insecure --cacert --resolve --connect-to --unix-socket --abstract-unix-socket --doh-url --hsts --capath --cert --pinnedpubkey --ciphers --json --require --show-secrets --cache-dir --color --config --disable --help --version' ;;
    'garner cache rm') REPLY='--dry-run --all --if-exists --host --tag --status --type --group --fresh --stale --pinned --older-than --newer-than --unused-for --larger-than --cache-dir --color --config --disable --help --version' ;;
    'garner cache clear') REPLY='--dry-run --all --if-exists --cache-dir --color --config --disable --help --version' ;;
    'garner cache prune') REPLY='--max-size --dry-run --disk-capacity --older-than --unused-for --larger-than --stale --host --tag --status --type --group --cache-dir --color --config --disable --help --version' ;;
    'garner cache verify') REPLY='--repair --json --cache-dir --color --config --disable --help --version' ;;
    'garner cache stats') REPLY='--json --zero --disk-capacity --cache-dir --color --config --disable --help --version' ;;
    'garner cache pin') REPLY='--host --tag --status --type --group --fresh --stale --pinned --older-than --newer-than --unused-for --larger-than --cache-dir --color --config --disable --help --version' ;;
    'garner cache unpin') REPLY='--host --tag --status --type --group --fresh --stale --pinned --older-than --newer-than --unused-for --larger-than --cache-dir --color --config --disable --help --version' ;;
    'garner cache tag') REPLY='--delete --cache-dir --color --config --disable --help --version' ;;
    'garner cache check') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --json --user --basic --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --cache-key --ignore-param --cache-post --cache-partition --credential-field --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --insecure --cacert --resolve --connect-to --unix-socket --abstract-unix-socket --doh-url --hsts --capath --cert --pinnedpubkey --ciphers --sha256 --integrity --location --no-location --location-trusted --max-redirs --offline --url --input-file --globoff --next --curl-config --null --cache-dir --color --config --disable --help --version' ;;
    'garner cache export') REPLY='--har --redact --host --tag --status --type --group --fresh --stale --pinned --older-than --newer-than --unused-for --larger-than --cache-dir --color --config --disable --help --version' ;;
    'garner cache import') REPLY='--all --disk-capacity --max-object-size --durable --cache-dir --color --config --disable --help --version' ;;
    'garner cache dir') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner config') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner config check') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner config show') REPLY='--json --show-secrets --cache-dir --color --config --disable --help --version' ;;
    'garner network') REPLY='--reachability --reachability-policy --json --cache-dir --color --config --disable --help --version' ;;
    'garner completions') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner help') REPLY='--cache-dir --color --config --disable --help --version' ;;
    *) return 1 ;;
  esac
}

# The values of the option $2 of the command $1 that begin with $3.
_garner_complete_value() {
  case "$1:$2" in
    'garner:-X'|'garner:--request') _garner_offer "$3" -W 'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY' ;;
    'garner:-H'|'garner:--header') _garner_behind_at "$3" ;;
    'garner:-d'|'garner:--data'|'garner:--data-ascii') _garner_behind_at "$3" ;;
    'garner:--data-binary') _garner_behind_at "$3" ;;
    'garner:--data-urlencode') _garner_behind_at "$3" ;;
    'garner:--json') _garner_behind_at "$3" ;;
    'garner:--netrc-file') _garner_names "$3" -f ;;
    'garner:-b'|'garner:--cookie') _garner_names "$3" -f ;;
    'garner:-c'|'garner:--cookie-jar') _garner_names "$3" -f ;;
    'garner:-T'|'garner:--upload-file') _garner_names "$3" -f ;;
    'garner:-o'|'garner:--output') _garner_names "$3" -f ;;
    'garner:--output-dir') _garner_names "$3" -d ;;
    'garner:-D'|'garner:--dump-header') _garner_names "$3" -f ;;
    'garner:-w'|'garner:--write-out') _garner_behind_at "$3" ;;
    'garner:--cache-policy') _garner_offer "$3" -W 'protocol reload reload-all revalidate cache-else-load cache-only cache-only-strict network-first no-store' ;;
    'garner:--offline') _garner_offer "$3" -W 'strict' ;;
    'garner:--store-status') _garner_offer "$3" -W '200 200,404 2xx' ;;
    'garner:--reachability') _garner_offer "$3" -W 'off auto unknown not-reachable wwan wifi lan' ;;
    'garner:--reachability-policy') _garner_offer "$3" -W 'unknown=protocol unknown=reload unknown=reload-all unknown=revalidate unknown=cache-else-load unknown=cache-only unknown=cache-only-strict unknown=network-first unknown=no-store not-reachable=protocol not-reachable=reload not-reachable=reload-all not-reachable=revalidate not-reachable=cache-else-load not-reachable=cache-only not-reachable=cache-only-strict not-reachable=network-first not-reachable=no-store wwan=protocol wwan=reload wwan=reload-all wwan=revalidate wwan=cache-else-load wwan=cache-only wwan=cache-only-strict wwan=network-first wwan=no-store wifi=protocol wifi=reload wifi=reload-all wifi=revalidate wifi=cache-else-load wifi=cache-only wifi=cache-only-strict wifi=network-first wifi=no-store' ;;
    'garner:--cacert') _garner_names "$3" -f ;;
    'garner:--unix-socket') _garner_names "$3" -f ;;
    'garner:--hsts') _garner_names "$3" -f ;;
    'garner:--alt-svc') _garner_names "$3" -f ;;
    'garner:--capath') _garner_names "$3" -d ;;
    'garner:-E'|'garner:--cert') _garner_names "$3" -f ;;
    'garner:--key') _garner_names "$3" -f ;;
    'garner:--pinnedpubkey') _garner_names "$3" -f ;;
    'garner:--tls-max') _garner_offer "$3" -W 'default 1.2 1.3' ;;
    'garner:--input-file') _garner_names "$3" -f ;;
    'garner:-K'|'garner:--curl-config') _garner_names "$3" -f ;;
    'garner:--cache-dir') _garner_names "$3" -d ;;
    'garner:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner:--config') _garner_names "$3" -f ;;
    'garner prefetch:-X'|'garner prefetch:--request') _garner_offer "$3" -W 'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY' ;;
    'garner prefetch:-H'|'garner prefetch:--header') _garner_behind_at "$3" ;;
    'garner prefetch:-d'|'garner prefetch:--data'|'garner prefetch:--data-ascii') _garner_behind_at "$3" ;;
    'garner prefetch:--data-binary') _garner_behind_at "$3" ;;
    'garner prefetch:--data-urlencode') _garner_behind_at "$3" ;;
    'garner prefetch:--json') _garner_behind_at "$3" ;;
    'garner prefetch:--netrc-file') _garner_names "$3" -f ;;
    'garner prefetch:-b'|'garner prefetch:--cookie') _garner_names "$3" -f ;;
    'garner prefetch:-c'|'garner prefetch:--cookie-jar') _garner_names "$3" -f ;;
    'garner prefetch:-T'|'garner prefetch:--upload-file') _garner_names "$3" -f ;;
    'garner prefetch:--cache-policy') _garner_offer "$3" -W 'protocol reload reload-all revalidate cache-else-load cache-only cache-only-strict network-first no-store' ;;
    'garner prefetch:--offline') _garner_offer "$3" -W 'strict' ;;
    'garner prefetch:--store-status') _garner_offer "$3" -W '200 200,404 2xx' ;;
    'garner prefetch:--reachability') _garner_offer "$3" -W 'off auto unknown not-reachable wwan wifi lan' ;;
    'garner prefetch:--reachability-policy') _garner_offer "$3" -W 'unknown=protocol unknown=reload unknown=reload-all unknown=revalidate unknown=cache-else-load unknown=cache-only unknown=cache-only-strict unknown=network-first unknown=no-store not-reachable=protocol not-reachable=reload not-reachable=reload-all not-reachable=revalidate not-reachable=cache-else-load not-reachable=cache-only not-reachable=cache-only-strict not-reachable=network-first not-reachable=no-store wwan=protocol wwan=reload wwan=reload-all wwan=revalidate wwan=cache-else-load wwan=cache-only wwan=cache-only-strict wwan=network-first wwan=no-store wifi=protocol wifi=reload wifi=reload-all wifi=revalidate wifi=cache-else-load wifi=cache-only wifi=cache-only-strict wifi=network-first wifi=no-store' ;;
    'garner prefetch:--cacert') _garner_names "$3" -f ;;
    'garner prefetch:--unix-socket') _garner_names "$3" -f ;;
    'garner prefetch:--hsts') _garner_names "$3" -f ;;
    'garner prefetch:--alt-svc') _garner_names "$3" -f ;;
    'garner prefetch:--capath') _garner_names "$3" -d ;;
    'garner prefetch:-E'|'garner prefetch:--cert') _garner_names "$3" -f ;;
    'garner prefetch:--key') _garner_names "$3" -f ;;
    'garner prefetch:--pinnedpubkey') _garner_names "$3" -f ;;
    'garner prefetch:--tls-max') _garner_offer "$3" -W 'default 1.2 1.3' ;;
    'garner prefetch:--input-file') _garner_names "$3" -f ;;
    'garner prefetch:-K'|'garner prefetch:--curl-config') _garner_names "$3" -f ;;
    'garner prefetch:--cache-dir') _garner_names "$3" -d ;;
    'garner prefetch:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner prefetch:--config') _garner_names "$3" -f ;;
    'garner cache:--cache-dir') _garner_names "$3" -d ;;
    'garner cache:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache:--config') _garner_names "$3" -f ;;
    'garner cache ls:--format') _garner_offer "$3" -W '{url} {method} {status} {type} {size} {total} {stored_at} {used_at} {expires_at} {age} {ttl} {state} {pinned} {tags} {vary} {etag} {last_modified} {groups} {key}' ;;
    'garner cache ls:--sort') _garner_offer "$3" -W 'url size age used expires' ;;
    'garner cache ls:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache ls:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache ls:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache ls:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache ls:--group') _garner_output "$3" cache complete groups ;;
    'garner cache ls:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache ls:--newer-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache ls:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache ls:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache ls:--cache-dir') _garner_names "$3" -d ;;
    'garner cache ls:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache ls:--config') _garner_names "$3" -f ;;
    'garner cache show:--cache-dir') _garner_names "$3" -d ;;
    'garner cache show:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache show:--config') _garner_names "$3" -f ;;
    'garner cache cat:--cache-dir') _garner_names "$3" -d ;;
    'garner cache cat:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache cat:--config') _garner_names "$3" -f ;;
    'garner cache explain:-X'|'garner cache explain:--request') _garner_offer "$3" -W 'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY' ;;
    'garner cache explain:-H'|'garner cache explain:--header') _garner_behind_at "$3" ;;
    'garner cache explain:-d'|'garner cache explain:--data'|'garner cache explain:--data-ascii') _garner_behind_at "$3" ;;
    'garner cache explain:--data-binary') _garner_behind_at "$3" ;;
    'garner cache explain:--data-urlencode') _garner_behind_at "$3" ;;
    'garner cache explain:--netrc-file') _garner_names "$3" -f ;;
    'garner cache explain:-b'|'garner cache explain:--cookie') _garner_names "$3" -f ;;
    'garner cache explain:-c'|'garner cache explain:--cookie-jar') _garner_names "$3" -f ;;
    'garner cache explain:-T'|'garner cache explain:--upload-file') _garner_names "$3" -f ;;
    'garner cache explain:--cacert') _garner_names "$3" -f ;;
    'garner cache explain:--unix-socket') _garner_names "$3" -f ;;
    'garner cache explain:--hsts') _garner_names "$3" -f ;;
    'garner cache explain:--capath') _garner_names "$3" -d ;;
    'garner cache explain:-E'|'garner cache explain:--cert') _garner_names "$3" -f ;;
    'garner cache explain:--pinnedpubkey') _garner_names "$3" -f ;;
    'garner cache explain:--cache-dir') _garner_names "$3" -d ;;
    'garner cache explain:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache explain:--config') _garner_names "$3" -f ;;
    'garner cache rm:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache rm:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache rm:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache rm:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache rm:--group') _garner_output "$3" cache complete groups ;;
    'garner cache rm:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache rm:--newer-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache rm:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache rm:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache rm:--cache-dir') _garner_names "$3" -d ;;
    'garner cache rm:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache rm:--config') _garner_names "$3" -f ;;
    'garner cache clear:--cache-dir') _garner_names "$3" -d ;;
    'garner cache clear:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache clear:--config') _garner_names "$3" -f ;;
    'garner cache prune:--max-size') _garner_offer "$3" -W '100M 1G 10G' ;;
    'garner cache prune:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache prune:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache prune:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache prune:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache prune:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache prune:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache prune:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache prune:--group') _garner_output "$3" cache complete groups ;;
    'garner cache prune:--cache-dir') _garner_names "$3" -d ;;
    'garner cache prune:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache prune:--config') _garner_names "$3" -f ;;
    'garner cache verify:--cache-dir') _garner_names "$3" -d ;;
    'garner cache verify:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache verify:--config') _garner_names "$3" -f ;;
    'garner cache stats:--cache-dir') _garner_names "$3" -d ;;
    'garner cache stats:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache stats:--config') _garner_names "$3" -f ;;
    'garner cache pin:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache pin:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache pin:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache pin:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache pin:--group') _garner_output "$3" cache complete groups ;;
    'garner cache pin:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache pin:--newer-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache pin:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache pin:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache pin:--cache-dir') _garner_names "$3" -d ;;
    'garner cache pin:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache pin:--config') _garner_names "$3" -f ;;
    'garner cache unpin:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache unpin:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache unpin:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache unpin:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache unpin:--group') _garner_output "$3" cache complete groups ;;
    'garner cache unpin:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache unpin:--newer-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache unpin:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache unpin:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache unpin:--cache-dir') _garner_names "$3" -d ;;
    'garner cache unpin:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache unpin:--config') _garner_names "$3" -f ;;
    'garner cache tag:--cache-dir') _garner_names "$3" -d ;;
    'garner cache tag:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache tag:--config') _garner_names "$3" -f ;;
    'garner cache check:-X'|'garner cache check:--request') _garner_offer "$3" -W 'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY' ;;
    'garner cache check:-H'|'garner cache check:--header') _garner_behind_at "$3" ;;
    'garner cache check:-d'|'garner cache check:--data'|'garner cache check:--data-ascii') _garner_behind_at "$3" ;;
    'garner cache check:--data-binary') _garner_behind_at "$3" ;;
    'garner cache check:--data-urlencode') _garner_behind_at "$3" ;;
    'garner cache check:--json') _garner_behind_at "$3" ;;
    'garner cache check:--netrc-file') _garner_names "$3" -f ;;
    'garner cache check:-b'|'garner cache check:--cookie') _garner_names "$3" -f ;;
    'garner cache check:-c'|'garner cache check:--cookie-jar') _garner_names "$3" -f ;;
    'garner cache check:-T'|'garner cache check:--upload-file') _garner_names "$3" -f ;;
    'garner cache check:--cacert') _garner_names "$3" -f ;;
    'garner cache check:--unix-socket') _garner_names "$3" -f ;;
    'garner cache check:--hsts') _garner_names "$3" -f ;;
    'garner cache check:--capath') _garner_names "$3" -d ;;
    'garner cache check:-E'|'garner cache check:--cert') _garner_names "$3" -f ;;
    'garner cache check:--pinnedpubkey') _garner_names "$3" -f ;;
    'garner cache check:--offline') _garner_offer "$3" -W 'strict' ;;
    'garner cache check:--input-file') _garner_names "$3" -f ;;
    'garner cache check:-K'|'garner cache check:--curl-config') _garner_names "$3" -f ;;
    'garner cache check:--cache-dir') _garner_names "$3" -d ;;
    'garner cache check:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache check:--config') _garner_names "$3" -f ;;
    'garner cache export:--host') _garner_output "$3" cache complete hosts ;;
    'garner cache export:--tag') _garner_output "$3" cache complete tags ;;
    'garner cache export:--status') _garner_offer "$3" -W '2xx 3xx 4xx 5xx' ;;
    'garner cache export:--type') _garner_offer "$3" -W 'html css javascript json xml text image audio video font' ;;
    'garner cache export:--group') _garner_output "$3" cache complete groups ;;
    'garner cache export:--older-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache export:--newer-than') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache export:--unused-for') _garner_offer "$3" -W '1h 12h 1d 7d 4w' ;;
    'garner cache export:--larger-than') _garner_offer "$3" -W '100K 1M 10M 100M' ;;
    'garner cache export:--cache-dir') _garner_names "$3" -d ;;
    'garner cache export:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache export:--config') _garner_names "$3" -f ;;
    'garner cache import:--cache-dir') _garner_names "$3" -d ;;
    'garner cache import:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache import:--config') _garner_names "$3" -f ;;
    'garner cache dir:--cache-dir') _garner_names "$3" -d ;;
    'garner cache dir:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner cache dir:--config') _garner_names "$3" -f ;;
    'garner config:--cache-dir') _garner_names "$3" -d ;;
    'garner config:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner config:--config') _garner_names "$3" -f ;;
    'garner config check:--cache-dir') _garner_names "$3" -d ;;
    'garner config check:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner config check:--config') _garner_names "$3" -f ;;
    'garner config show:--cache-dir') _garner_names "$3" -d ;;
    'garner config show:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner config show:--config') _garner_names "$3" -f ;;
    'garner network:--reachability') _garner_offer "$3" -W 'off auto unknown not-reachable wwan wifi lan' ;;
    'garner network:--reachability-policy') _garner_offer "$3" -W 'unknown=protocol unknown=reload unknown=reload-all unknown=revalidate unknown=cache-else-load unknown=cache-only unknown=cache-only-strict unknown=network-first unknown=no-store not-reachable=protocol not-reachable=reload not-reachable=reload-all not-reachable=revalidate not-reachable=cache-else-load not-reachable=cache-only not-reachable=cache-only-strict not-reachable=network-first not-reachable=no-store wwan=protocol wwan=reload wwan=reload-all wwan=revalidate wwan=cache-else-load wwan=cache-only wwan=cache-only-strict wwan=network-first wwan=no-store wifi=protocol wifi=reload wifi=reload-all wifi=revalidate wifi=cache-else-load wifi=cache-only wifi=cache-only-strict wifi=network-first wifi=no-store' ;;
    'garner network:--cache-dir') _garner_names "$3" -d ;;
    'garner network:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner network:--config') _garner_names "$3" -f ;;
    'garner completions:--cache-dir') _garner_names "$3" -d ;;
    'garner completions:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner completions:--config') _garner_names "$3" -f ;;
    'garner help:--cache-dir') _garner_names "$3" -d ;;
    'garner help:--color') _garner_offer "$3" -W 'auto always never' ;;
    'garner help:--config') _garner_names "$3" -f ;;
    *) return 1 ;;
  esac
}

# The operands of the command $1 that begin with $2; $3 precede, $4 last.
_garner_complete_operand() {
  case "$1" in
    'garner') [[ $3 != 0 || $5 ]] || _garner_offer "$2" -W 'prefetch cache config network completions help' ;;
    'garner cache') [[ $3 != 0 || $5 ]] || _garner_offer "$2" -W 'ls show cat explain rm clear prune verify stats pin unpin tag check export import dir' ;;
    'garner cache ls') _garner_output "$2" cache complete urls ;;
    'garner cache show') _garner_output "$2" cache complete urls ;;
    'garner cache cat') _garner_output "$2" cache complete urls ;;
    'garner cache explain') _garner_output "$2" cache complete urls ;;
    'garner cache rm') _garner_output "$2" cache complete urls ;;
    'garner cache prune') _garner_output "$2" cache complete urls ;;
    'garner cache pin') _garner_output "$2" cache complete urls ;;
    'garner cache unpin') _garner_output "$2" cache complete urls ;;
    'garner cache tag') [[ $3 != 0 ]] || _garner_output "$2" cache complete urls ;;
    'garner cache check') _garner_output "$2" cache complete urls ;;
    'garner cache export') [[ $3 != 0 ]] || _garner_names "$2" -f; [[ $3 -lt 1 ]] || _garner_output "$2" cache complete urls ;;
    'garner cache import') _garner_names "$2" -f ;;
    'garner config') [[ $3 != 0 || $5 ]] || _garner_offer "$2" -W 'check show' ;;
    'garner config check') _garner_names "$2" -f ;;
    'garner completions') _garner_offer "$2" -W 'bash zsh fish' ;;
    'garner help') case "$3:$4" in 0:*) _garner_offer "$2" -W 'topics commands caching policies freshness keys storing hook offline integrity variables patterns formats sites settings environment files exit-status diagnostics standards examples man prefetch cache config network completions help' ;; 1:'cache') _garner_offer "$2" -W 'ls show cat explain rm clear prune verify stats pin unpin tag check export import dir' ;; 1:'config') _garner_offer "$2" -W 'check show' ;; 1:'man') _garner_offer "$2" -W 'garner garner-cache garner-config' ;; esac ;;
    *) return 1 ;;
  esac
}

_garner() {
  local current command=garner pending= ended= previous= lead= names= quote= before= word option i letter
  local -a words=() call=(garner)
  local -i operands=0
  local REPLY=
  COMPREPLY=()
  _garner_read || return 0
  current=${words[${#words[@]} - 1]}

  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    word=${words[i]}
    if [[ $pending ]]; then
      ! _garner_is_common "$pending" || call+=("$pending" "$word")
      pending=
    elif [[ $ended || $word != -?* ]]; then
      if [[ ! $ended ]] && ((operands == 0)) && _garner_descend "$command" "$word"; then
        command=$REPLY
      else
        operands+=1
      fi
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == --* ]]; then
      if _garner_takes_value "$command" "$word"; then
        pending=$word
      elif _garner_is_common "${word%%=*}"; then
        call+=("$word")
      fi
    else
      for ((letter = 1; letter < ${#word}; letter++)); do
        option=-${word:letter:1}
        if _garner_takes_value "$command" "$option"; then
          ((letter + 1 < ${#word})) || pending=$option
          break
        fi
        ! _garner_is_common "$option" || call+=("$option")
      done
    fi
    previous=$word
  done

  if [[ $pending ]]; then
    _garner_complete_value "$command" "$pending" "$current"
  elif [[ $current == --*=* && ! $ended ]]; then
    lead=${current%%=*}=
    _garner_complete_value "$command" "${current%%=*}" "${current#*=}"
  elif [[ $current == -* && ! $ended ]]; then
    _garner_options "$command" && _garner_offer "$current" -o default -W "$REPLY"
  else
    _garner_complete_operand "$command" "$current" "$operands" "$previous" "$ended"
  fi
  for i in "${!COMPREPLY[@]}"; do
    REPLY=$lead${COMPREPLY[i]}
    REPLY=${REPLY#"$before"}
    [[ $names ]] || _garner_quote "$REPLY" "$quote"
    COMPREPLY[i]=$REPLY
  done
  return 0
}

complete -F _garner garner
