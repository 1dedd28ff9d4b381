#!/bin/sh
# This head unpacks the program that follows it into a private folder, once;
# from then on it only starts it. POSIX sh and the base tools, nothing else.
set -f
key=@KEY@ size=@SIZE@ offset=@OFFSET@
tools=/usr/bin:/bin${PATH:+:$PATH}
nl='
'

# Is folder $1 beyond the reach of other users, with everything above it, and
# are the names after $2 inside it ours? Sticky folders, as /tmp, will do above
# it, and for itself when $2 is "shared". One fork. Sets $place to its physical
# path and $bytes to the size of the files, or $reason.
private() {
  rule=$2 uid=${me-} bytes=0
  seen=$(
    cd -P -- "$1" 2>/dev/null || exit
    [ "$2" = shared ] || [ -O . ] || exit
    shift 2
    up=. above='' rest=$PWD
    while [ "${rest%/}" ]; do
      rest=${rest%/*} up=$up/.. above="$above $up"
    done
    printf '%s\n//\n' "$PWD"
    unset QUOTING_STYLE CLICOLOR_FORCE
    LC_ALL=C PATH=$tools
    export LC_ALL PATH
    # shellcheck disable=SC2086 # $above is a list of words
    exec ls -ldn -- . $above "$@" 2>/dev/null
  )
  place=${seen%%"$nl//$nl"*} seen=${seen#*"$nl//$nl"}
  reason='it belongs to another user or cannot be entered'
  [ "$place" != "$seen" ] || return 1
  IFS=$nl
  # shellcheck disable=SC2086 # one word a line
  set -- $seen
  IFS=' '
  for line; do
    # shellcheck disable=SC2086 # mode, links, owner, group, size and more
    set -- $line
    : "${uid:=$3}"
    case $3 in
      "$uid" | 0) ;;
      65534) # who is unknown in a user namespace; outside of one, the user nobody
        line=4294967295
        { read -r _ _ line </proc/self/uid_map; } 2>/dev/null
        [ "$line" != 4294967295 ] || return 1
        ;;
      *)
        reason='a folder above it belongs to another user'
        return 1
        ;;
    esac
    reason='other users can write in it or in a folder above it'
    case $rule$1 in
      *-????-??-*) bytes=$((bytes + $5)) ;;
      *d????-??-* | sharedd????????[tT]*) ;;
      *) return 1 ;;
    esac
    rule=shared
  done
  [ "$seen" ]
}

# Sets $run to the folder that holds this version unpacked in folder $1, if whole.
unpacked() {
  [ -f "$1/$key" ] && [ -O "$1/$key" ] && [ ! -L "$1" ] || return 1
  { read -r name <"$1/$key"; } 2>/dev/null || return 1
  case ${name#"$key".} in "$name" | *[!0-9.]*) return 1 ;; esac
  private "$1" strict "$name" @FILES@ || return 1
  run=$place/$name
  reason='what was unpacked there does not stay whole'
  [ "$bytes" = "$size" ] && [ -x "$run/deno" ] && [ ! "$run" -nt "$place/$key" ]
}

# Sets $place to folder $1, made if need be.
prepared() {
  parent=$1
  while [ ! -e "$parent" ] && [ ! -L "$parent" ]; do
    parent=${parent%/*} parent=${parent:-/}
  done
  if [ "$parent" != "$1" ]; then
    private "$parent" shared || return 1
    reason=$(mkdir -p -- "$1" 2>&1) || return 1
  fi
  reason='it is a symbolic link'
  [ ! -L "$1" ] || return 1
  reason='it is not a folder'
  [ -d "$1" ] && private "$1" strict
}

# Waits while another process unpacks in $place; fails when none is left to wait for.
awaited() {
  reason='it cannot be written'
  waits=0
  until
    set -C
    { echo "$$" >"$lock"; } 2>/dev/null
  do
    set +C
    [ -e "$lock" ] || return 1
    holder=
    { read -r holder <"$lock"; } 2>/dev/null
    if unpacked "$place"; then return; fi
    # A holder that is gone, or has not even written its number in a second
    if ! kill -0 "${holder:-$$}" 2>/dev/null || [ "${holder:-$waits}" = 20 ]; then
      rm -f -- "$lock"
    elif [ "$waits" -ge 400 ]; then
      break
    else
      sleep 0.05 2>/dev/null || { sleep 1 && waits=$((waits + 19)); }
      waits=$((waits + 1))
    fi
  done
  set +C
  return 1
}
