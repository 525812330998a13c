# fish completion of garner, printed from its table of flags

function __garner_walk
    set -l path garner
    set -l operands 0
    set -l skip no
    set -l ended no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        if test $ended = no
            switch "$path:$word"
                case 'garner:-X' 'garner:--request' 'garner:-H' 'garner:--header' 'garner:-d' 'garner:--data' 'garner:--data-ascii' 'garner:--data-raw' 'garner:--data-binary' 'garner:--data-urlencode' 'garner:--json' 'garner:-u' 'garner:--user' 'garner:-A' 'garner:--user-agent' 'garner:-e' 'garner:--referer' 'garner:-r' 'garner:--range' 'garner:--oauth2-bearer' 'garner:--netrc-file' 'garner:-b' 'garner:--cookie' 'garner:-c' 'garner:--cookie-jar' 'garner:-F' 'garner:--form' 'garner:--form-string' 'garner:-T' 'garner:--upload-file' 'garner:--url-query' 'garner:-o' 'garner:--output' 'garner:--output-dir' 'garner:-D' 'garner:--dump-header' 'garner:-w' 'garner:--write-out' 'garner:--cache-policy' 'garner:--memory-capacity' 'garner:--disk-capacity' 'garner:--max-object-size' 'garner:--collapse-timeout' 'garner:--max-age' 'garner:--min-fresh' 'garner:--ttl' 'garner:--store-header' 'garner:--strip-header' 'garner:--store-status' 'garner:--tag' 'garner:--reachability' 'garner:--reachability-policy' 'garner:--max-redirs' 'garner:-m' 'garner:--max-time' 'garner:--connect-timeout' 'garner:--cacert' 'garner:-x' 'garner:--proxy' 'garner:--resolve' 'garner:--connect-to' 'garner:--interface' 'garner:--unix-socket' 'garner:--abstract-unix-socket' 'garner:--doh-url' 'garner:--noproxy' 'garner:-U' 'garner:--proxy-user' 'garner:--hsts' 'garner:--alt-svc' 'garner:--proto' 'garner:--proto-redir' 'garner:--capath' 'garner:-E' 'garner:--cert' 'garner:--key' 'garner:--pass' 'garner:--pinnedpubkey' 'garner:--tls-max' 'garner:--ciphers' 'garner:--tls13-ciphers' 'garner:--retry' 'garner:--retry-delay' 'garner:--retry-max-time' 'garner:-C' 'garner:--continue-at' 'garner:--max-filesize' 'garner:--limit-rate' 'garner:-Y' 'garner:--speed-limit' 'garner:-y' 'garner:--speed-time' 'garner:--cache-dir' 'garner:--color' 'garner:-K' 'garner:--config'
                    set skip yes
                    continue
                case 'garner cache:--cache-dir' 'garner cache:--color' 'garner cache:-K' 'garner cache:--config'
                    set skip yes
                    continue
                case 'garner cache ls:--sort' 'garner cache ls:--limit' 'garner cache ls:--cache-dir' 'garner cache ls:--color' 'garner cache ls:-K' 'garner cache ls:--config'
                    set skip yes
                    continue
                case 'garner cache show:--cache-dir' 'garner cache show:--color' 'garner cache show:-K' 'garner cache show:--config'
                    set skip yes
                    continue
                case 'garner cache cat:--cache-dir' 'garner cache cat:--color' 'garner cache cat:-K' 'garner cache cat:--config'
                    set skip yes
                    continue
                case 'garner cache explain:-X' 'garner cache explain:--request' 'garner cache explain:-H' 'garner cache explain:--header' 'garner cache explain:-d' 'garner cache explain:--data' 'garner cache explain:--data-ascii' 'garner cache explain:--data-raw' 'garner cache explain:--data-binary' 'garner cache explain:--data-urlencode' 'garner cache explain:-u' 'garner cache explain:--user' 'garner cache explain:-A' 'garner cache explain:--user-agent' 'garner cache explain:-e' 'garner cache explain:--referer' 'garner cache explain:-r' 'garner cache explain:--range' 'garner cache explain:--oauth2-bearer' 'garner cache explain:--netrc-file' 'garner cache explain:-b' 'garner cache explain:--cookie' 'garner cache explain:-c' 'garner cache explain:--cookie-jar' 'garner cache explain:-F' 'garner cache explain:--form' 'garner cache explain:--form-string' 'garner cache explain:-T' 'garner cache explain:--upload-file' 'garner cache explain:--url-query' 'garner cache explain:--max-age' 'garner cache explain:--min-fresh' 'garner cache explain:--cacert' 'garner cache explain:--resolve' 'garner cache explain:--connect-to' 'garner cache explain:--unix-socket' 'garner cache explain:--abstract-unix-socket' 'garner cache explain:--capath' 'garner cache explain:-E' 'garner cache explain:--cert' 'garner cache explain:--pinnedpubkey' 'garner cache explain:--cache-dir' 'garner cache explain:--color' 'garner cache explain:-K' 'garner cache explain:--config'
                    set skip yes
                    continue
                case 'garner cache rm:--cache-dir' 'garner cache rm:--color' 'garner cache rm:-K' 'garner cache rm:--config'
                    set skip yes
                    continue
                case 'garner cache prune:--max-size' 'garner cache prune:--older-than' 'garner cache prune:--unused-for' 'garner cache prune:--disk-capacity' 'garner cache prune:--cache-dir' 'garner cache prune:--color' 'garner cache prune:-K' 'garner cache prune:--config'
                    set skip yes
                    continue
                case 'garner cache stats:--disk-capacity' 'garner cache stats:--cache-dir' 'garner cache stats:--color' 'garner cache stats:-K' 'garner cache stats:--config'
                    set skip yes
                    continue
                case 'garner cache pin:--cache-dir' 'garner cache pin:--color' 'garner cache pin:-K' 'garner cache pin:--config'
                    set skip yes
                    continue
                case 'garner cache unpin:--cache-dir' 'garner cache unpin:--color' 'garner cache unpin:-K' 'garner cache unpin:--config'
                    set skip yes
                    continue
                case 'garner cache export:--cache-dir' 'garner cache export:--color' 'garner cache export:-K' 'garner cache export:--config'
                    set skip yes
                    continue
                case 'garner cache import:--disk-capacity' 'garner cache import:--max-object-size' 'garner cache import:--cache-dir' 'garner cache import:--color' 'garner cache import:-K' 'garner cache import:--config'
                    set skip yes
                    continue
                case 'garner cache dir:--cache-dir' 'garner cache dir:--color' 'garner cache dir:-K' 'garner cache dir:--config'
                    set skip yes
                    continue
                case 'garner config:--cache-dir' 'garner config:--color' 'garner config:-K' 'garner config:--config'
                    set skip yes
                    continue
                case 'garner config check:--cache-dir' 'garner config check:--color' 'garner config check:-K' 'garner config check:--config'
                    set skip yes
                    continue
                case 'garner config show:--cache-dir' 'garner config show:--color' 'garner config show:-K' 'garner config show:--config'
                    set skip yes
                    continue
                case 'garner network:--reachability' 'garner network:--reachability-policy' 'garner network:--cache-dir' 'garner network:--color' 'garner network:-K' 'garner network:--config'
                    set skip yes
                    continue
                case 'garner completions:--cache-dir' 'garner completions:--color' 'garner completions:-K' 'garner completions:--config'
                    set skip yes
                    continue
                case 'garner help:--cache-dir' 'garner help:--color' 'garner help:-K' 'garner help:--config'
                    set skip yes
                    continue
                case '*:--'
                    set ended yes
                    continue
                case '*:-?*'
                    continue
            end
            if test $operands = 0
                switch "$path:$word"
                    case 'garner:cache'
                        set path 'garner cache'
                        continue
                    case 'garner:config'
                        set path 'garner config'
                        continue
                    case 'garner:network'
                        set path 'garner network'
                        continue
                    case 'garner:completions'
                        set path 'garner completions'
                        continue
                    case 'garner:help'
                        set path 'garner help'
                        continue
                    case 'garner cache:ls' 'garner cache:list'
                        set path 'garner cache ls'
                        continue
                    case 'garner cache:show' 'garner cache:info' 'garner cache:inspect'
                        set path 'garner cache show'
                        continue
                    case 'garner cache:cat'
                        set path 'garner cache cat'
                        continue
                    case 'garner cache:explain'
                        set path 'garner cache explain'
                        continue
                    case 'garner cache:rm' 'garner cache:purge'
                        set path 'garner cache rm'
                        continue
                    case 'garner cache:prune'
                        set path 'garner cache prune'
                        continue
                    case 'garner cache:stats'
                        set path 'garner cache stats'
                        continue
                    case 'garner cache:pin'
                        set path 'garner cache pin'
                        continue
                    case 'garner cache:unpin'
                        set path 'garner cache unpin'
                        continue
                    case 'garner cache:export'
                        set path 'garner cache export'
                        continue
                    case 'garner cache:import'
                        set path 'garner cache import'
                        continue
                    case 'garner cache:dir'
                        set path 'garner cache dir'
                        continue
                    case 'garner config:check'
                        set path 'garner config check'
                        continue
                    case 'garner config:show'
                        set path 'garner config show'
                        continue
                end
            end
        end
        set operands (math $operands + 1)
    end
    echo $path
    echo $operands
end

function __garner_at
    set -l state (__garner_walk)
    test "$state[1]" = "$argv"
end

function __garner_first
    set -l state (__garner_walk)
    test "$state[1]" = "$argv" -a "$state[2]" = 0
end

complete -c garner -f

complete -c garner -n '__garner_first garner' -a cache -d 'Look at what is stored, and remove it'
complete -c garner -n '__garner_first garner' -a config -d 'Look at what the config file and the environment set'
complete -c garner -n '__garner_first garner' -a network -d 'Print the state of the network, and the cache policy that it selects'
complete -c garner -n '__garner_first garner' -a completions -d 'Print the completion script of a shell'
complete -c garner -n '__garner_first garner' -a help -d 'Tell about a command or a topic'
complete -c garner -n '__garner_at garner' -s 'X' -l request -r -f -d 'Send METHOD instead of GET, or instead of POST where there is data'
complete -c garner -n '__garner_at garner' -s 'H' -l header -r -f -d 'Send the field LINE, such as Accept: text/html'
complete -c garner -n '__garner_at garner' -s 'I' -l head -d 'Ask with HEAD, and print the head of the response'
complete -c garner -n '__garner_at garner' -s 'd' -l data -r -f -d 'Send DATA as the content of a POST'
complete -c garner -n '__garner_at garner' -l data-raw -r -f -d 'Send DATA as it is, even where it begins with @'
complete -c garner -n '__garner_at garner' -l data-binary -r -f -d 'Send DATA, or the bytes of @FILE as they are'
complete -c garner -n '__garner_at garner' -l data-urlencode -r -f -d 'Send DATA percent-encoded'
complete -c garner -n '__garner_at garner' -l json -r -f -d 'Send DATA as JSON, and ask for JSON'
complete -c garner -n '__garner_at garner' -s 'u' -l user -r -f -d 'Send these credentials with the Basic scheme'
complete -c garner -n '__garner_at garner' -s 'A' -l user-agent -r -f -d 'Send NAME as User-Agent'
complete -c garner -n '__garner_at garner' -s 'e' -l referer -r -f -d 'Send URL as Referer'
complete -c garner -n '__garner_at garner' -l compressed -d 'Accept a compressed response, and print it decompressed'
complete -c garner -n '__garner_at garner' -s 'r' -l range -r -f -d 'Ask for a part: 0-499, 500- or, from the end, -500'
complete -c garner -n '__garner_at garner' -l oauth2-bearer -r -f -d 'Send TOKEN with the Bearer scheme'
complete -c garner -n '__garner_at garner' -l path-as-is -d 'Keep /./ and /../ in the path of a URL that was typed'
complete -c garner -n '__garner_at garner' -s 'n' -l netrc -d 'Take user and password from ~/.netrc, by the URL\'s host'
complete -c garner -n '__garner_at garner' -l netrc-optional -d 'As --netrc, but what the URL says counts before the file'
complete -c garner -n '__garner_at garner' -l netrc-file -r -F -d 'As --netrc, with FILE in the place of ~/.netrc'
complete -c garner -n '__garner_at garner' -s 'b' -l cookie -r -F -d 'Send these cookies, or those in FILE that are for the URL'
complete -c garner -n '__garner_at garner' -s 'c' -l cookie-jar -r -F -d 'Keep the cookies that origins set, and write all to FILE at the end'
complete -c garner -n '__garner_at garner' -s 'j' -l junk-session-cookies -d 'Leave out the cookies of a file that were for a session only'
complete -c garner -n '__garner_at garner' -s 'F' -l form -r -f -d 'Send a part of a form, as multipart/form-data, with POST'
complete -c garner -n '__garner_at garner' -l form-string -r -f -d 'Send TEXT as a part of a form, whatever it begins with or holds'
complete -c garner -n '__garner_at garner' -s 'T' -l upload-file -r -F -d 'Send FILE with PUT'
complete -c garner -n '__garner_at garner' -s 'G' -l get -d 'Put the data into the URL, and send GET'
complete -c garner -n '__garner_at garner' -l url-query -r -f -d 'Add DATA to the query of the URL, percent-encoded'
complete -c garner -n '__garner_at garner' -s 'o' -l output -r -F -d 'Write the body to FILE'
complete -c garner -n '__garner_at garner' -s 'O' -l remote-name -d 'Write the body to a file named as the last part of the URL\'s path'
complete -c garner -n '__garner_at garner' -s 'J' -l remote-header-name -d 'With --remote-name, let the response name the file'
complete -c garner -n '__garner_at garner' -l output-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Write files below DIR'
complete -c garner -n '__garner_at garner' -l create-dirs -d 'Make the directories that lead to the file'
complete -c garner -n '__garner_at garner' -l clobber -d 'Replace a file that is there'
complete -c garner -n '__garner_at garner' -l no-clobber -d 'Keep a file that is there, and number the new one'
complete -c garner -n '__garner_at garner' -s 'R' -l remote-time -d 'Give the file the time of the response\'s Last-Modified'
complete -c garner -n '__garner_at garner' -l exit-unchanged -f -d 'Exit with STATUS, 114 unless said otherwise, where nothing new came'
complete -c garner -n '__garner_at garner' -s 'i' -l include -d 'Print the head of the response before its body'
complete -c garner -n '__garner_at garner' -s 'D' -l dump-header -r -F -d 'Write the heads of all responses to FILE'
complete -c garner -n '__garner_at garner' -s 'f' -l fail -d 'Print no body where the response\'s status is 400 or above'
complete -c garner -n '__garner_at garner' -l no-fail -d 'Exit with 0 whatever the response\'s status'
complete -c garner -n '__garner_at garner' -l fail-with-body -d 'Print the body, and exit with 22, where the response\'s status is 400 or above'
complete -c garner -n '__garner_at garner' -s 's' -l silent -d 'Show neither progress nor errors'
complete -c garner -n '__garner_at garner' -s 'S' -l show-error -d 'Show errors in spite of --silent'
complete -c garner -n '__garner_at garner' -s 'v' -l verbose -d 'Tell on standard error what is done, and why'
complete -c garner -n '__garner_at garner' -s 'w' -l write-out -r -f -d 'Print FORMAT after the fetch, whether or not it succeeded'
complete -c garner -n '__garner_at garner' -s '#' -l progress-bar -d 'Show progress even where the body goes to a terminal'
complete -c garner -n '__garner_at garner' -l no-progress -d 'Show no progress'
complete -c garner -n '__garner_at garner' -l cache-policy -r -f -a 'protocol reload reload-all revalidate cache-else-load cache-only cache-only-strict network-first no-store' -d 'Use the cache as POLICY says'
complete -c garner -n '__garner_at garner' -l offline -f -a 'strict' -d 'Send nothing: answer from the cache, or exit with 110'
complete -c garner -n '__garner_at garner' -l refresh -d 'Validate what is stored before it is served, however fresh it is'
complete -c garner -n '__garner_at garner' -l reload -d 'Fetch from the origin, and replace what is stored'
complete -c garner -n '__garner_at garner' -l prefer-offline -d 'Serve what is stored, whatever its age; fetch only what is absent'
complete -c garner -n '__garner_at garner' -l no-store -d 'Fetch as if there were no cache'
complete -c garner -n '__garner_at garner' -l memory-only -d 'Store responses in memory alone, until the run ends'
complete -c garner -n '__garner_at garner' -l memory-capacity -r -f -d 'Keep at most SIZE bytes of responses in memory: 64M without it'
complete -c garner -n '__garner_at garner' -l disk-capacity -r -f -d 'Keep at most SIZE on the disk (default: 10GiB)'
complete -c garner -n '__garner_at garner' -l max-object-size -r -f -d 'Store no body larger than SIZE (default: 5 % of the capacity)'
complete -c garner -n '__garner_at garner' -l durable -d 'Wait until what is stored is on the disk'
complete -c garner -n '__garner_at garner' -l collapse-timeout -r -f -d 'Wait at most TIME for another run that asks for the same'
complete -c garner -n '__garner_at garner' -l max-age -r -f -d 'Take nothing older than TIME without asking the origin'
complete -c garner -n '__garner_at garner' -l max-stale -f -d 'Take what has been stale for TIME at most; without TIME, however long'
complete -c garner -n '__garner_at garner' -l min-fresh -r -f -d 'Take only what stays fresh for TIME without asking the origin'
complete -c garner -n '__garner_at garner' -l stale-if-error -f -d 'Where the origin fails, take what has been stale for TIME at most'
complete -c garner -n '__garner_at garner' -l stale-while-revalidate -f -d 'Take what has been stale for TIME at most, and validate it afterwards'
complete -c garner -n '__garner_at garner' -l ttl -r -f -d 'Store the response as one that is fresh for TIME'
complete -c garner -n '__garner_at garner' -l store-header -r -f -d 'Store the field LINE in the place of the origin\'s'
complete -c garner -n '__garner_at garner' -l strip-header -r -f -d 'Do not store the field NAME'
complete -c garner -n '__garner_at garner' -l store-status -r -f -a '200 200,404 2xx' -d 'Store only responses with these status codes'
complete -c garner -n '__garner_at garner' -l forget-on-error -d 'Remove what is stored where the fetch fails'
complete -c garner -n '__garner_at garner' -l tag -r -f -d 'Note KEY=VALUE with the stored response'
complete -c garner -n '__garner_at garner' -l pin -d 'Keep the stored response when room is made'
complete -c garner -n '__garner_at garner' -l reachability -r -f -a 'off auto unknown not-reachable wwan wifi lan' -d 'Select the cache policy by the state of the network'
complete -c garner -n '__garner_at garner' -l reachability-policy -r -f -d 'Let a state of the network select POLICY'
complete -c garner -n '__garner_at garner' -s 'L' -l location -d 'Follow redirects'
complete -c garner -n '__garner_at garner' -l no-location -d 'Do not follow redirects'
complete -c garner -n '__garner_at garner' -l location-trusted -d 'Follow redirects, and send credentials wherever they lead'
complete -c garner -n '__garner_at garner' -l max-redirs -r -f -d 'Follow at most NUMBER redirects'
complete -c garner -n '__garner_at garner' -s 'm' -l max-time -r -f -d 'Give up after TIME'
complete -c garner -n '__garner_at garner' -l connect-timeout -r -f -d 'Give up when no connection is made within TIME'
complete -c garner -n '__garner_at garner' -s 'k' -l insecure -d 'Do not verify the server\'s certificate'
complete -c garner -n '__garner_at garner' -l cacert -r -F -d 'Trust the certificate authorities in FILE, and no others'
complete -c garner -n '__garner_at garner' -l http1.1 -d 'Use HTTP/1.1'
complete -c garner -n '__garner_at garner' -l http2 -d 'Use HTTP/2 where the server agrees'
complete -c garner -n '__garner_at garner' -s '4' -l ipv4 -d 'Use IPv4 addresses only'
complete -c garner -n '__garner_at garner' -s '6' -l ipv6 -d 'Use IPv6 addresses only'
complete -c garner -n '__garner_at garner' -s 'x' -l proxy -r -f -d 'Connect through the proxy at URL'
complete -c garner -n '__garner_at garner' -l resolve -r -f -d 'Take ADDRESS for the address of HOST, at PORT'
complete -c garner -n '__garner_at garner' -l connect-to -r -f -d 'Connect to another host and port in the place of HOST and PORT'
complete -c garner -n '__garner_at garner' -l interface -r -f -d 'Connect from this interface, address or host'
complete -c garner -n '__garner_at garner' -l unix-socket -r -F -d 'Connect to the Unix domain socket at PATH'
complete -c garner -n '__garner_at garner' -l abstract-unix-socket -r -f -d 'Connect to the abstract Unix domain socket NAME'
complete -c garner -n '__garner_at garner' -l doh-url -r -f -d 'Look names up by DNS over HTTPS, at URL'
complete -c garner -n '__garner_at garner' -l noproxy -r -f -d 'Reach HOSTS without a proxy'
complete -c garner -n '__garner_at garner' -s 'U' -l proxy-user -r -f -d 'Send these credentials to the proxy'
complete -c garner -n '__garner_at garner' -s '0' -l http1.0 -d 'Use HTTP/1.0'
complete -c garner -n '__garner_at garner' -l http2-prior-knowledge -d 'Use HTTP/2 over plain http, without asking'
complete -c garner -n '__garner_at garner' -l hsts -r -F -d 'Use https with the hosts that ask for it, and keep them in FILE'
complete -c garner -n '__garner_at garner' -l alt-svc -r -F -d 'Use what servers offer as alternatives, and keep it in FILE'
complete -c garner -n '__garner_at garner' -l proto -r -f -d 'Allow these schemes only, such as =https'
complete -c garner -n '__garner_at garner' -l proto-redir -r -f -d 'Allow redirects to these schemes'
complete -c garner -n '__garner_at garner' -l capath -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Trust the certificate authorities in DIRECTORY'
complete -c garner -n '__garner_at garner' -s 'E' -l cert -r -F -d 'Show the client certificate in FILE to servers that ask for one'
complete -c garner -n '__garner_at garner' -l key -r -F -d 'Take the private key of --cert from FILE'
complete -c garner -n '__garner_at garner' -l pass -r -f -d 'Open the private key with PASSWORD'
complete -c garner -n '__garner_at garner' -l pinnedpubkey -r -F -d 'Insist on a server with one of these public keys'
complete -c garner -n '__garner_at garner' -l tlsv1.2 -d 'Use TLS 1.2 or later'
complete -c garner -n '__garner_at garner' -l tlsv1.3 -d 'Use TLS 1.3 or later'
complete -c garner -n '__garner_at garner' -l tls-max -r -f -a 'default 1.2 1.3' -d 'Use no version of TLS after VERSION, which is 1.2 or 1.3'
complete -c garner -n '__garner_at garner' -l ciphers -r -f -d 'Use these ciphers with TLS 1.2, in OpenSSL\'s words'
complete -c garner -n '__garner_at garner' -l tls13-ciphers -r -f -d 'Use these cipher suites with TLS 1.3'
complete -c garner -n '__garner_at garner' -l retry -r -f -d 'Try again up to NUMBER times where the failure may pass'
complete -c garner -n '__garner_at garner' -l retry-delay -r -f -d 'Pause for TIME before each try of --retry'
complete -c garner -n '__garner_at garner' -l retry-max-time -r -f -d 'Begin no try of --retry later than TIME after the first'
complete -c garner -n '__garner_at garner' -l retry-all-errors -d 'With --retry, try again whatever the failure'
complete -c garner -n '__garner_at garner' -l retry-connrefused -d 'With --retry, try again where a connection is refused, too'
complete -c garner -n '__garner_at garner' -s 'C' -l continue-at -r -f -d 'Ask for the body from OFFSET on, and put it behind what FILE holds'
complete -c garner -n '__garner_at garner' -l max-filesize -r -f -d 'Fail with 63 where the body is larger than SIZE'
complete -c garner -n '__garner_at garner' -l limit-rate -r -f -d 'Receive and send at most RATE bytes a second'
complete -c garner -n '__garner_at garner' -s 'Y' -l speed-limit -r -f -d 'Give up what is slower than RATE bytes a second for too long'
complete -c garner -n '__garner_at garner' -s 'y' -l speed-time -r -f -d 'Give up what is slower than --speed-limit for SECONDS'
complete -c garner -n '__garner_at garner' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_first garner cache' -a ls -d 'List what is stored'
complete -c garner -n '__garner_first garner cache' -a show -d 'Show what is known of a stored response'
complete -c garner -n '__garner_first garner cache' -a cat -d 'Print a stored body'
complete -c garner -n '__garner_first garner cache' -a explain -d 'Explain what would answer a request, and why'
complete -c garner -n '__garner_first garner cache' -a rm -d 'Remove what is stored'
complete -c garner -n '__garner_first garner cache' -a prune -d 'Remove what is beyond a limit'
complete -c garner -n '__garner_first garner cache' -a stats -d 'Tell how much is stored, and what it was good for'
complete -c garner -n '__garner_first garner cache' -a pin -d 'Keep a stored response when room is made'
complete -c garner -n '__garner_first garner cache' -a unpin -d 'Let a pinned response go when room is made'
complete -c garner -n '__garner_first garner cache' -a export -d 'Write what is stored into an archive'
complete -c garner -n '__garner_first garner cache' -a import -d 'Store what an archive holds'
complete -c garner -n '__garner_first garner cache' -a dir -d 'Print the directory of the cache'
complete -c garner -n '__garner_at garner cache' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache ls' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner cache ls' -l jsonl -d 'Print a JSON object a line'
complete -c garner -n '__garner_at garner cache ls' -s '0' -l null -d 'Print URLs only, with a NUL byte after each'
complete -c garner -n '__garner_at garner cache ls' -l sort -r -f -a 'url size age used expires' -d 'Sort by KEY'
complete -c garner -n '__garner_at garner cache ls' -l reverse -d 'Turn the order round'
complete -c garner -n '__garner_at garner cache ls' -l limit -r -f -d 'Print at most NUMBER entries'
complete -c garner -n '__garner_at garner cache ls' -l show-secrets -d 'Print what is masked otherwise'
complete -c garner -n '__garner_at garner cache ls' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache ls' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache ls' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache ls' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache ls' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache ls' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache show' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner cache show' -l headers -d 'Print the stored fields only'
complete -c garner -n '__garner_at garner cache show' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache show' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache show' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache show' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache show' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache show' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache cat' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache cat' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache cat' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache cat' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache cat' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache cat' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache explain' -s 'X' -l request -r -f -d 'Send METHOD instead of GET, or instead of POST where there is data'
complete -c garner -n '__garner_at garner cache explain' -s 'H' -l header -r -f -d 'Send the field LINE, such as Accept: text/html'
complete -c garner -n '__garner_at garner cache explain' -s 'I' -l head -d 'Ask with HEAD, and print the head of the response'
complete -c garner -n '__garner_at garner cache explain' -s 'd' -l data -r -f -d 'Send DATA as the content of a POST'
complete -c garner -n '__garner_at garner cache explain' -l data-raw -r -f -d 'Send DATA as it is, even where it begins with @'
complete -c garner -n '__garner_at garner cache explain' -l data-binary -r -f -d 'Send DATA, or the bytes of @FILE as they are'
complete -c garner -n '__garner_at garner cache explain' -l data-urlencode -r -f -d 'Send DATA percent-encoded'
complete -c garner -n '__garner_at garner cache explain' -s 'u' -l user -r -f -d 'Send these credentials with the Basic scheme'
complete -c garner -n '__garner_at garner cache explain' -s 'A' -l user-agent -r -f -d 'Send NAME as User-Agent'
complete -c garner -n '__garner_at garner cache explain' -s 'e' -l referer -r -f -d 'Send URL as Referer'
complete -c garner -n '__garner_at garner cache explain' -l compressed -d 'Accept a compressed response, and print it decompressed'
complete -c garner -n '__garner_at garner cache explain' -s 'r' -l range -r -f -d 'Ask for a part: 0-499, 500- or, from the end, -500'
complete -c garner -n '__garner_at garner cache explain' -l oauth2-bearer -r -f -d 'Send TOKEN with the Bearer scheme'
complete -c garner -n '__garner_at garner cache explain' -l path-as-is -d 'Keep /./ and /../ in the path of a URL that was typed'
complete -c garner -n '__garner_at garner cache explain' -s 'n' -l netrc -d 'Take user and password from ~/.netrc, by the URL\'s host'
complete -c garner -n '__garner_at garner cache explain' -l netrc-optional -d 'As --netrc, but what the URL says counts before the file'
complete -c garner -n '__garner_at garner cache explain' -l netrc-file -r -F -d 'As --netrc, with FILE in the place of ~/.netrc'
complete -c garner -n '__garner_at garner cache explain' -s 'b' -l cookie -r -F -d 'Send these cookies, or those in FILE that are for the URL'
complete -c garner -n '__garner_at garner cache explain' -s 'c' -l cookie-jar -r -F -d 'Keep the cookies that origins set, and write all to FILE at the end'
complete -c garner -n '__garner_at garner cache explain' -s 'j' -l junk-session-cookies -d 'Leave out the cookies of a file that were for a session only'
complete -c garner -n '__garner_at garner cache explain' -s 'F' -l form -r -f -d 'Send a part of a form, as multipart/form-data, with POST'
complete -c garner -n '__garner_at garner cache explain' -l form-string -r -f -d 'Send TEXT as a part of a form, whatever it begins with or holds'
complete -c garner -n '__garner_at garner cache explain' -s 'T' -l upload-file -r -F -d 'Send FILE with PUT'
complete -c garner -n '__garner_at garner cache explain' -s 'G' -l get -d 'Put the data into the URL, and send GET'
complete -c garner -n '__garner_at garner cache explain' -l url-query -r -f -d 'Add DATA to the query of the URL, percent-encoded'
complete -c garner -n '__garner_at garner cache explain' -l max-age -r -f -d 'Take nothing older than TIME without asking the origin'
complete -c garner -n '__garner_at garner cache explain' -l max-stale -f -d 'Take what has been stale for TIME at most; without TIME, however long'
complete -c garner -n '__garner_at garner cache explain' -l min-fresh -r -f -d 'Take only what stays fresh for TIME without asking the origin'
complete -c garner -n '__garner_at garner cache explain' -l stale-if-error -f -d 'Where the origin fails, take what has been stale for TIME at most'
complete -c garner -n '__garner_at garner cache explain' -l stale-while-revalidate -f -d 'Take what has been stale for TIME at most, and validate it afterwards'
complete -c garner -n '__garner_at garner cache explain' -s 'k' -l insecure -d 'Do not verify the server\'s certificate'
complete -c garner -n '__garner_at garner cache explain' -l cacert -r -F -d 'Trust the certificate authorities in FILE, and no others'
complete -c garner -n '__garner_at garner cache explain' -l resolve -r -f -d 'Take ADDRESS for the address of HOST, at PORT'
complete -c garner -n '__garner_at garner cache explain' -l connect-to -r -f -d 'Connect to another host and port in the place of HOST and PORT'
complete -c garner -n '__garner_at garner cache explain' -l unix-socket -r -F -d 'Connect to the Unix domain socket at PATH'
complete -c garner -n '__garner_at garner cache explain' -l abstract-unix-socket -r -f -d 'Connect to the abstract Unix domain socket NAME'
complete -c garner -n '__garner_at garner cache explain' -l capath -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Trust the certificate authorities in DIRECTORY'
complete -c garner -n '__garner_at garner cache explain' -s 'E' -l cert -r -F -d 'Show the client certificate in FILE to servers that ask for one'
complete -c garner -n '__garner_at garner cache explain' -l pinnedpubkey -r -F -d 'Insist on a server with one of these public keys'
complete -c garner -n '__garner_at garner cache explain' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner cache explain' -l require -d 'Exit with 110 where nothing is stored for the request'
complete -c garner -n '__garner_at garner cache explain' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache explain' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache explain' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache explain' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache explain' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache explain' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache rm' -s 'n' -l dry-run -d 'Print what would be removed, and remove nothing'
complete -c garner -n '__garner_at garner cache rm' -l all -d 'Remove everything'
complete -c garner -n '__garner_at garner cache rm' -l if-exists -d 'Exit with 0 even where nothing matched'
complete -c garner -n '__garner_at garner cache rm' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache rm' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache rm' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache rm' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache rm' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache rm' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache prune' -l max-size -r -f -d 'Remove the least recently used until at most SIZE is left'
complete -c garner -n '__garner_at garner cache prune' -l older-than -r -f -d 'Remove what is older than TIME'
complete -c garner -n '__garner_at garner cache prune' -l unused-for -r -f -d 'Remove what has not been used for TIME'
complete -c garner -n '__garner_at garner cache prune' -l stale -d 'Remove what is stale'
complete -c garner -n '__garner_at garner cache prune' -s 'n' -l dry-run -d 'Print what would be removed, and remove nothing'
complete -c garner -n '__garner_at garner cache prune' -l disk-capacity -r -f -d 'Keep at most SIZE on the disk (default: 10GiB)'
complete -c garner -n '__garner_at garner cache prune' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache prune' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache prune' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache prune' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache prune' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache prune' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache stats' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner cache stats' -l zero -d 'Begin to count anew when the counts have been printed'
complete -c garner -n '__garner_at garner cache stats' -l disk-capacity -r -f -d 'Keep at most SIZE on the disk (default: 10GiB)'
complete -c garner -n '__garner_at garner cache stats' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache stats' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache stats' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache stats' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache stats' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache stats' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache pin' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache pin' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache pin' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache pin' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache pin' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache pin' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache unpin' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache unpin' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache unpin' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache unpin' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache unpin' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache unpin' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner cache export' -l har -d 'Write HAR 1.2, which browsers read, in the place of WARC'
complete -c garner -n '__garner_at garner cache export' -l redact -d 'Leave out what gives access'
complete -c garner -n '__garner_at garner cache export' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache export' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache export' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache export' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache export' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache export' -s 'V' -l version -d 'Print the version'
complete -c garner -n '__garner_at garner cache export' -F

complete -c garner -n '__garner_at garner cache import' -l all -d 'Import what was not to be stored, too'
complete -c garner -n '__garner_at garner cache import' -l disk-capacity -r -f -d 'Keep at most SIZE on the disk (default: 10GiB)'
complete -c garner -n '__garner_at garner cache import' -l max-object-size -r -f -d 'Store no body larger than SIZE (default: 5 % of the capacity)'
complete -c garner -n '__garner_at garner cache import' -l durable -d 'Wait until what is stored is on the disk'
complete -c garner -n '__garner_at garner cache import' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache import' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache import' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache import' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache import' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache import' -s 'V' -l version -d 'Print the version'
complete -c garner -n '__garner_at garner cache import' -F

complete -c garner -n '__garner_at garner cache dir' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner cache dir' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner cache dir' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner cache dir' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner cache dir' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner cache dir' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_first garner config' -a check -d 'Check a config file'
complete -c garner -n '__garner_first garner config' -a show -d 'Show the settings that apply to a URL, and where each came from'
complete -c garner -n '__garner_at garner config' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner config' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner config' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner config' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner config' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner config' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner config check' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner config check' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner config check' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner config check' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner config check' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner config check' -s 'V' -l version -d 'Print the version'
complete -c garner -n '__garner_at garner config check' -F

complete -c garner -n '__garner_at garner config show' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner config show' -l show-secrets -d 'Print what is masked otherwise'
complete -c garner -n '__garner_at garner config show' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner config show' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner config show' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner config show' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner config show' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner config show' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner network' -l reachability -r -f -a 'off auto unknown not-reachable wwan wifi lan' -d 'Select the cache policy by the state of the network'
complete -c garner -n '__garner_at garner network' -l reachability-policy -r -f -d 'Let a state of the network select POLICY'
complete -c garner -n '__garner_at garner network' -l json -d 'Print JSON'
complete -c garner -n '__garner_at garner network' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner network' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner network' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner network' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner network' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner network' -s 'V' -l version -d 'Print the version'

complete -c garner -n '__garner_at garner completions' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner completions' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner completions' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner completions' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner completions' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner completions' -s 'V' -l version -d 'Print the version'
complete -c garner -n '__garner_at garner completions' -f -a 'bash zsh fish'

complete -c garner -n '__garner_at garner help' -l cache-dir -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'Keep the cache in DIRECTORY'
complete -c garner -n '__garner_at garner help' -l color -r -f -a 'auto always never' -d 'Colour what is printed for people'
complete -c garner -n '__garner_at garner help' -s 'K' -l config -r -F -d 'Read the config file FILE instead of the user\'s own'
complete -c garner -n '__garner_at garner help' -s 'q' -l disable -d 'Read no config file but one that --config names'
complete -c garner -n '__garner_at garner help' -s 'h' -l help -d 'Print help'
complete -c garner -n '__garner_at garner help' -s 'V' -l version -d 'Print the version'
complete -c garner -n '__garner_at garner help' -f -a 'cache config network completions commands exit-status cache-policies man'
