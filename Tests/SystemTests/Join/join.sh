#!/bin/bash
# Runs `sensorium join location acceleration` against a real gpsd and a real iiod at once.
#
#   join.sh SENSORIUM PLUGIN_DIR TREE START COUNT
#
# START is the UTC of the first fix, as date(1) reads it: "now", or a moment of years ago to play an old
# log. Run it in a network namespace of its own (unshare -n): iiod listens on every address. What
# the command prints goes to stdout and stderr; the exit status is its own.
set -u
sensorium=$1 plugins=$2 tree=$3 start=$4 count=$5
work=$(mktemp -d)
trap 'exec 2>/dev/null; kill -KILL $(jobs -p); rm -rf "$work"' EXIT
ip link set lo up || exit 125

umockdev-run --device "$tree" -- iiod -p 30431 >"$work/iiod.log" 2>&1 &
GPSD_SHM_KEY=0x47700a17 gpsd -N -n -S 29470 -F "$work/gpsd.sock" udp://127.0.0.1:29471 \
    >"$work/gpsd.log" 2>&1 &

# An NMEA sentence with its checksum.
sentence() {
    local sum=0 place code
    for ((place = 0; place < ${#1}; place++)); do
        printf -v code '%d' "'${1:place:1}"
        sum=$((sum ^ code))
    done
    printf '$%s*%02X\r\n' "$1" "$sum"
}

feed() {
    local first second=0 stamp
    first=$(date -u -d "$1" +%s)
    while :; do
        stamp=$(date -u -d "@$((first + second))" +'%H%M%S.00 %d%m%y')
        {
            sentence "GPGGA,${stamp% *},1015.0000,N,02030.0000,E,1,08,0.9,100.0,M,40.0,M,,"
            sentence "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2"
            sentence "GPRMC,${stamp% *},A,1015.0000,N,02030.0000,E,10.0,90.0,${stamp#* },,"
        } >/dev/udp/127.0.0.1/29471
        second=$((second + 1))
        sleep 1
    done
}
sleep 0.5
feed "$start" 2>/dev/null &

"$sensorium" --plugin-dir "$plugins" --set gpsd.address=127.0.0.1:29470 \
    --set iio.uri=ip:127.0.0.1:30431 join gpsd/location acceleration \
    --within 200 --json --count "$count" --for 30
status=$?
[ "$status" -eq 0 ] || tail "$work"/*.log >&2
exit "$status"
