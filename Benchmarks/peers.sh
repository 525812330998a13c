# shellcheck shell=bash
# Other programs that can be used in garner's place; sourced by bench.
#
# A program that is missing is put into a folder of the bench's own, .build/bench, without being installed. One that
# cannot be had is left out, with a note. Needs $work and $here; sets $wget, $squid_port and $python, which are empty
# where the program is not to be had.

folder=$here/../.build/bench
wget=
squid_port=
squid_process=
python=
clients=(requests-cache==1.3.3 hishel==2.0.0)

# shellcheck source=Scripts/free-port.sh
source "$here/../Scripts/free-port.sh"

# Unpacks Debian's packages into a directory of the folder, if that is not there yet.
unpack() {
  local directory=$folder/$1 archive
  shift
  [[ ! -d $directory ]] || return 0
  rm -rf "$directory.part"
  mkdir -p "$directory.part"
  (cd "$directory.part" && apt-get -qq -o APT::Sandbox::User=root download "$@") > "$work/apt.log" 2>&1 || return 1
  for archive in "$directory.part"/*.deb; do
    dpkg-deb --extract "$archive" "$directory.part" || return 1
    rm "$archive"
  done
  mv "$directory.part" "$directory"
}

find_wget() {
  wget=$(command -v wget) && return 0
  unpack wget wget && "$folder/wget/usr/bin/wget" --version > "$work/wget.log" 2>&1 || return 1
  wget=$folder/wget/usr/bin/wget
}

# Makes a virtual environment with the two caching clients of Python.
find_python() {
  local environment=$folder/python
  if [[ ! -d $environment ]]; then
    rm -rf "$environment.part"
    python3 -m venv "$environment.part" > "$work/pip.log" 2>&1 || return 1
    "$environment.part/bin/pip" install --quiet "${clients[@]}" >> "$work/pip.log" 2>&1 || return 1
    mv "$environment.part" "$environment"
  fi
  "$environment/bin/python" -c 'import requests_cache, hishel.requests' 2>> "$work/pip.log" || return 1
  python=$environment/bin/python
}

# Prints squid's configuration: it listens on this machine only, and keeps all that the bench fetches in memory.
write_squid_configuration() {
  cat << CONFIGURATION
http_port 127.0.0.1:$1
http_access allow localhost
cache_mem 256 MB
maximum_object_size 128 MB
maximum_object_size_in_memory 128 MB
memory_cache_mode always
cache_log $work/squid/log
access_log none
cache_store_log none
netdb_filename none
pinger_enable off
pid_filename $work/squid/pid
coredump_dir $work/squid
mime_table $2/usr/share/squid/mime.conf
icon_directory $2/usr/share/squid/icons
error_directory $2/usr/share/squid/errors/templates
unlinkd_program $2/usr/lib/squid/unlinkd
visible_hostname localhost
shutdown_lifetime 0 seconds
CONFIGURATION
}

# Starts squid, and sets squid_port once it accepts connections.
start_squid() {
  local root='' libraries='' port tries
  if ! command -v squid > /dev/null; then
    unpack squid squid squid-common squid-langpack libecap3 libltdl7 libnfnetlink0 libnetfilter-conntrack3 libtdb1 ||
      return 1
    root=$folder/squid
    libraries=$root/usr/lib/$(gcc -print-multiarch)
  fi
  mkdir "$work/squid"
  # Where this shell is root's, squid runs as another user.
  [[ $(id -u) -ne 0 ]] || chown proxy "$work/squid" || return 1
  port=$(free_port)
  write_squid_configuration "$port" "$root" > "$work/squid.conf"
  LD_LIBRARY_PATH=$libraries PATH=$root/usr/sbin:$PATH squid -N -f "$work/squid.conf" > "$work/squid.start" 2>&1 &
  squid_process=$!
  for ((tries = 0; tries < 100; tries++)); do
    kill -0 "$squid_process" 2> /dev/null || return 1
    ! (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || { squid_port=$port; return 0; }
    sleep 0.1
  done
  return 1
}

stop_squid() {
  [[ -n $squid_process ]] || return 0
  kill -TERM "$squid_process" 2> /dev/null || true
  wait "$squid_process" 2> /dev/null || true
}

# Prints which peers are measured, and which cannot be had.
describe_peers() {
  local present=() absent=()
  if [[ -n $wget ]]; then present+=("$("$wget" --version | head -n 1 | cut -d ' ' -f 2-3)"); else absent+=(wget); fi
  if [[ -n $squid_port ]]; then present+=(squid); else absent+=(squid); fi
  if [[ -n $python ]]; then present+=("${clients[@]/==/ }"); else absent+=("${clients[@]/==/ }"); fi
  [[ ${#present[@]} -eq 0 ]] || printf ', %s' "${present[@]}"
  [[ ${#absent[@]} -eq 0 ]] || printf ', without %s' "${absent[@]}"
}
