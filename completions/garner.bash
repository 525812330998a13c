# bash completion of garner, printed from its table of flags

# Offers what compgen finds for the prefix $1; $2 and $3 are for compopt, the rest for compgen.
_garner_offer() {
  local prefix=$1 word
  [[ $3 == default ]] || compopt "$2" "$3" 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "${@:4}" -- "$prefix")
}

# The command that the word $2 chooses below the command $1.
_garner_descend() {
  case "$1:$2" in
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
    'garner cache:prune') REPLY='garner cache prune' ;;
    'garner cache:stats') REPLY='garner cache stats' ;;
    'garner cache:pin') REPLY='garner cache pin' ;;
    'garner cache:unpin') REPLY='garner cache unpin' ;;
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
    'garner:-X'|'garner:--request'|'garner:-H'|'garner:--header'|'garner:-d'|'garner:--data'|'garner:--data-ascii'|'garner:--data-raw'|'garner:--data-binary'|'garner:--data-urlencode'|'garner:--json'|'garner:-u'|'garner:--user'|'garner:-A'|'garner:--user-agent'|'garner:-e'|'garner:--referer'|'garner:-r'|'garner:--range'|'garner:--oauth2-bearer'|'garner:--netrc-file'|'garner:-b'|'garner:--cookie'|'garner:-c'|'garner:--cookie-jar'|'garner:-F'|'garner:--form'|'garner:--form-string'|'garner:-T'|'garner:--upload-file'|'garner:--url-query'|'garner:-o'|'garner:--output'|'garner:--output-dir'|'garner:-D'|'garner:--dump-header'|'garner:-w'|'garner:--write-out'|'garner:--cache-policy'|'garner:--memory-capacity'|'garner:--disk-capacity'|'garner:--max-object-size'|'garner:--collapse-timeout'|'garner:--max-age'|'garner:--min-fresh'|'garner:--ttl'|'garner:--store-header'|'garner:--strip-header'|'garner:--store-status'|'garner:--tag'|'garner:--reachability'|'garner:--reachability-policy'|'garner:--max-redirs'|'garner:-m'|'garner:--max-time'|'garner:--connect-timeout'|'garner:--cacert'|'garner:-x'|'garner:--proxy'|'garner:--resolve'|'garner:--connect-to'|'garner:--interface'|'garner:--unix-socket'|'garner:--abstract-unix-socket'|'garner:--doh-url'|'garner:--noproxy'|'garner:-U'|'garner:--proxy-user'|'garner:--hsts'|'garner:--alt-svc'|'garner:--proto'|'garner:--proto-redir'|'garner:--capath'|'garner:-E'|'garner:--cert'|'garner:--key'|'garner:--pass'|'garner:--pinnedpubkey'|'garner:--tls-max'|'garner:--ciphers'|'garner:--tls13-ciphers'|'garner:--retry'|'garner:--retry-delay'|'garner:--retry-max-time'|'garner:-C'|'garner:--continue-at'|'garner:--max-filesize'|'garner:--limit-rate'|'garner:-Y'|'garner:--speed-limit'|'garner:-y'|'garner:--speed-time'|'garner:--cache-dir'|'garner:--color'|'garner:-K'|'garner:--config') return 0 ;;
    'garner cache:--cache-dir'|'garner cache:--color'|'garner cache:-K'|'garner cache:--config') return 0 ;;
    'garner cache ls:--sort'|'garner cache ls:--limit'|'garner cache ls:--cache-dir'|'garner cache ls:--color'|'garner cache ls:-K'|'garner cache ls:--config') return 0 ;;
    'garner cache show:--cache-dir'|'garner cache show:--color'|'garner cache show:-K'|'garner cache show:--config') return 0 ;;
    'garner cache cat:--cache-dir'|'garner cache cat:--color'|'garner cache cat:-K'|'garner cache cat:--config') return 0 ;;
    'garner cache explain:-X'|'garner cache explain:--request'|'garner cache explain:-H'|'garner cache explain:--header'|'garner cache explain:-d'|'garner cache explain:--data'|'garner cache explain:--data-ascii'|'garner cache explain:--data-raw'|'garner cache explain:--data-binary'|'garner cache explain:--data-urlencode'|'garner cache explain:-u'|'garner cache explain:--user'|'garner cache explain:-A'|'garner cache explain:--user-agent'|'garner cache explain:-e'|'garner cache explain:--referer'|'garner cache explain:-r'|'garner cache explain:--range'|'garner cache explain:--oauth2-bearer'|'garner cache explain:--netrc-file'|'garner cache explain:-b'|'garner cache explain:--cookie'|'garner cache explain:-c'|'garner cache explain:--cookie-jar'|'garner cache explain:-F'|'garner cache explain:--form'|'garner cache explain:--form-string'|'garner cache explain:-T'|'garner cache explain:--upload-file'|'garner cache explain:--url-query'|'garner cache explain:--max-age'|'garner cache explain:--min-fresh'|'garner cache explain:--cacert'|'garner cache explain:--resolve'|'garner cache explain:--connect-to'|'garner cache explain:--unix-socket'|'garner cache explain:--abstract-unix-socket'|'garner cache explain:--capath'|'garner cache explain:-E'|'garner cache explain:--cert'|'garner cache explain:--pinnedpubkey'|'garner cache explain:--cache-dir'|'garner cache explain:--color'|'garner cache explain:-K'|'garner cache explain:--config') return 0 ;;
    'garner cache rm:--cache-dir'|'garner cache rm:--color'|'garner cache rm:-K'|'garner cache rm:--config') return 0 ;;
    'garner cache prune:--max-size'|'garner cache prune:--older-than'|'garner cache prune:--unused-for'|'garner cache prune:--disk-capacity'|'garner cache prune:--cache-dir'|'garner cache prune:--color'|'garner cache prune:-K'|'garner cache prune:--config') return 0 ;;
    'garner cache stats:--disk-capacity'|'garner cache stats:--cache-dir'|'garner cache stats:--color'|'garner cache stats:-K'|'garner cache stats:--config') return 0 ;;
    'garner cache pin:--cache-dir'|'garner cache pin:--color'|'garner cache pin:-K'|'garner cache pin:--config') return 0 ;;
    'garner cache unpin:--cache-dir'|'garner cache unpin:--color'|'garner cache unpin:-K'|'garner cache unpin:--config') return 0 ;;
    'garner cache export:--cache-dir'|'garner cache export:--color'|'garner cache export:-K'|'garner cache export:--config') return 0 ;;
    'garner cache import:--disk-capacity'|'garner cache import:--max-object-size'|'garner cache import:--cache-dir'|'garner cache import:--color'|'garner cache import:-K'|'garner cache import:--config') return 0 ;;
    'garner cache dir:--cache-dir'|'garner cache dir:--color'|'garner cache dir:-K'|'garner cache dir:--config') return 0 ;;
    'garner config:--cache-dir'|'garner config:--color'|'garner config:-K'|'garner config:--config') return 0 ;;
    'garner config check:--cache-dir'|'garner config check:--color'|'garner config check:-K'|'garner config check:--config') return 0 ;;
    'garner config show:--cache-dir'|'garner config show:--color'|'garner config show:-K'|'garner config show:--config') return 0 ;;
    'garner network:--reachability'|'garner network:--reachability-policy'|'garner network:--cache-dir'|'garner network:--color'|'garner network:-K'|'garner network:--config') return 0 ;;
    'garner completions:--cache-dir'|'garner completions:--color'|'garner completions:-K'|'garner completions:--config') return 0 ;;
    'garner help:--cache-dir'|'garner help:--color'|'garner help:-K'|'garner help:--config') return 0 ;;
    *) return 1 ;;
  esac
}

# The options of the command $1.
_garner_options() {
  case "$1" in
    'garner') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --json --user --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --output --remote-name --remote-header-name --output-dir --create-dirs --clobber --no-clobber --remote-time --exit-unchanged --include --dump-header --fail --no-fail --fail-with-body --silent --show-error --verbose --write-out --progress-bar --no-progress --cache-policy --offline --refresh --reload --prefer-offline --no-store --memory-only --memory-capacity --disk-capacity --max-object-size --durable --collapse-timeout --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --ttl --store-header --strip-header --store-status --forget-on-error --tag --pin --reachability --reachability-policy --location --no-location --location-trusted --max-redirs --max-time --connect-timeout --insecure --cacert --http1.1 --http2 --ipv4 --ipv6 --proxy --resolve --connect-to --interface --unix-socket --abstract-unix-socket --doh-url --noproxy --proxy-user --http1.0 --http2-prior-knowledge --hsts --alt-svc --proto --proto-redir --capath --cert --key --pass --pinnedpubkey --tlsv1.2 --tlsv1.3 --tls-max --ciphers --tls13-ciphers --retry --retry-delay --retry-max-time --retry-all-errors --retry-connrefused --continue-at --max-filesize --limit-rate --speed-limit --speed-time --cache-dir --color --config --disable --help --version' ;;
    'garner cache') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache ls') REPLY='--json --jsonl --null --sort --reverse --limit --show-secrets --cache-dir --color --config --disable --help --version' ;;
    'garner cache show') REPLY='--json --headers --cache-dir --color --config --disable --help --version' ;;
    'garner cache cat') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache explain') REPLY='--request --header --head --data --data-raw --data-binary --data-urlencode --user --user-agent --referer --compressed --range --oauth2-bearer --path-as-is --netrc --netrc-optional --netrc-file --cookie --cookie-jar --junk-session-cookies --form --form-string --upload-file --get --url-query --max-age --max-stale --min-fresh --stale-if-error --stale-while-revalidate --insecure --cacert --resolve --connect-to --unix-socket --abstract-unix-socket --capath --cert --pinnedpubkey --json --require --cache-dir --color --config --disable --help --version' ;;
    'garner cache rm') REPLY='--dry-run --all --if-exists --cache-dir --color --config --disable --help --version' ;;
    'garner cache prune') REPLY='--max-size --older-than --unused-for --stale --dry-run --disk-capacity --cache-dir --color --config --disable --help --version' ;;
    'garner cache stats') REPLY='--json --zero --disk-capacity --cache-dir --color --config --disable --help --version' ;;
    'garner cache pin') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache unpin') REPLY='--cache-dir --color --config --disable --help --version' ;;
    'garner cache export') REPLY='--har --redact --cache-dir --color --config --disable --help --version' ;;
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
    'garner:--netrc-file') _garner_offer "$3" -o filenames -f ;;
    'garner:-b'|'garner:--cookie') _garner_offer "$3" -o filenames -f ;;
    'garner:-c'|'garner:--cookie-jar') _garner_offer "$3" -o filenames -f ;;
    'garner:-T'|'garner:--upload-file') _garner_offer "$3" -o filenames -f ;;
    'garner:-o'|'garner:--output') _garner_offer "$3" -o filenames -f ;;
    'garner:--output-dir') _garner_offer "$3" -o filenames -d ;;
    'garner:-D'|'garner:--dump-header') _garner_offer "$3" -o filenames -f ;;
    'garner:--cache-policy') _garner_offer "$3" -o default -W 'protocol reload reload-all revalidate cache-else-load cache-only cache-only-strict network-first no-store' ;;
    'garner:--offline') _garner_offer "$3" -o default -W 'strict' ;;
    'garner:--store-status') _garner_offer "$3" -o default -W '200 200,404 2xx' ;;
    'garner:--reachability') _garner_offer "$3" -o default -W 'off auto unknown not-reachable wwan wifi lan' ;;
    'garner:--cacert') _garner_offer "$3" -o filenames -f ;;
    'garner:--unix-socket') _garner_offer "$3" -o filenames -f ;;
    'garner:--hsts') _garner_offer "$3" -o filenames -f ;;
    'garner:--alt-svc') _garner_offer "$3" -o filenames -f ;;
    'garner:--capath') _garner_offer "$3" -o filenames -d ;;
    'garner:-E'|'garner:--cert') _garner_offer "$3" -o filenames -f ;;
    'garner:--key') _garner_offer "$3" -o filenames -f ;;
    'garner:--pinnedpubkey') _garner_offer "$3" -o filenames -f ;;
    'garner:--tls-max') _garner_offer "$3" -o default -W 'default 1.2 1.3' ;;
    'garner:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner:-K'|'garner:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache:-K'|'garner cache:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache ls:--sort') _garner_offer "$3" -o default -W 'url size age used expires' ;;
    'garner cache ls:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache ls:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache ls:-K'|'garner cache ls:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache show:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache show:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache show:-K'|'garner cache show:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache cat:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache cat:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache cat:-K'|'garner cache cat:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--netrc-file') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:-b'|'garner cache explain:--cookie') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:-c'|'garner cache explain:--cookie-jar') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:-T'|'garner cache explain:--upload-file') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--cacert') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--unix-socket') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--capath') _garner_offer "$3" -o filenames -d ;;
    'garner cache explain:-E'|'garner cache explain:--cert') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--pinnedpubkey') _garner_offer "$3" -o filenames -f ;;
    'garner cache explain:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache explain:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache explain:-K'|'garner cache explain:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache rm:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache rm:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache rm:-K'|'garner cache rm:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache prune:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache prune:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache prune:-K'|'garner cache prune:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache stats:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache stats:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache stats:-K'|'garner cache stats:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache pin:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache pin:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache pin:-K'|'garner cache pin:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache unpin:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache unpin:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache unpin:-K'|'garner cache unpin:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache export:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache export:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache export:-K'|'garner cache export:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache import:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache import:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache import:-K'|'garner cache import:--config') _garner_offer "$3" -o filenames -f ;;
    'garner cache dir:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner cache dir:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner cache dir:-K'|'garner cache dir:--config') _garner_offer "$3" -o filenames -f ;;
    'garner config:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner config:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner config:-K'|'garner config:--config') _garner_offer "$3" -o filenames -f ;;
    'garner config check:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner config check:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner config check:-K'|'garner config check:--config') _garner_offer "$3" -o filenames -f ;;
    'garner config show:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner config show:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner config show:-K'|'garner config show:--config') _garner_offer "$3" -o filenames -f ;;
    'garner network:--reachability') _garner_offer "$3" -o default -W 'off auto unknown not-reachable wwan wifi lan' ;;
    'garner network:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner network:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner network:-K'|'garner network:--config') _garner_offer "$3" -o filenames -f ;;
    'garner completions:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner completions:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner completions:-K'|'garner completions:--config') _garner_offer "$3" -o filenames -f ;;
    'garner help:--cache-dir') _garner_offer "$3" -o filenames -d ;;
    'garner help:--color') _garner_offer "$3" -o default -W 'auto always never' ;;
    'garner help:-K'|'garner help:--config') _garner_offer "$3" -o filenames -f ;;
    *) return 1 ;;
  esac
}

# The operands of the command $1 that begin with $2; $3 precede it.
_garner_complete_operand() {
  case "$1" in
    'garner') [[ $3 != 0 ]] || _garner_offer "$2" -o default -W 'cache config network completions help' ;;
    'garner cache') [[ $3 != 0 ]] || _garner_offer "$2" -o default -W 'ls show cat explain rm prune stats pin unpin export import dir' ;;
    'garner cache export') _garner_offer "$2" -o filenames -f ;;
    'garner cache import') _garner_offer "$2" -o filenames -f ;;
    'garner config') [[ $3 != 0 ]] || _garner_offer "$2" -o default -W 'check show' ;;
    'garner config check') _garner_offer "$2" -o filenames -f ;;
    'garner completions') _garner_offer "$2" -o default -W 'bash zsh fish' ;;
    'garner help') _garner_offer "$2" -o default -W 'cache config network completions commands exit-status cache-policies man' ;;
    *) return 1 ;;
  esac
}

_garner() {
  local current=${COMP_WORDS[COMP_CWORD]} command=garner pending= ended= previous= word i letter
  local -i operands=0
  local REPLY=
  COMPREPLY=()

  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = && $previous == --* && ! $ended ]]; then
      pending=$previous
    elif [[ $pending ]]; then
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
      _garner_takes_value "$command" "$word" && pending=$word
    else
      for ((letter = 1; letter < ${#word}; letter++)); do
        if _garner_takes_value "$command" "-${word:letter:1}"; then
          ((letter + 1 < ${#word})) || pending=-${word:letter:1}
          break
        fi
      done
    fi
    previous=$word
  done

  if [[ $current == = && $previous == --* && ! $ended ]]; then
    _garner_complete_value "$command" "$previous" ''
  elif [[ $pending ]]; then
    _garner_complete_value "$command" "$pending" "$current"
  elif [[ $current == --*=* && ! $ended ]]; then
    _garner_complete_value "$command" "${current%%=*}" "${current#*=}"
    COMPREPLY=("${COMPREPLY[@]/#/${current%%=*}=}")
  elif [[ $current == -* && ! $ended ]]; then
    _garner_options "$command" && _garner_offer "$current" -o default -W "$REPLY"
  else
    _garner_complete_operand "$command" "$current" "$operands"
  fi
  return 0
}

complete -F _garner garner
