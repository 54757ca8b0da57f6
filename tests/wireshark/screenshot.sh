#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# screenshot.sh PLUGIN OUT.png: the window of Wireshark with the plugin's tree of a packet whose
# ICRC is wrong, made under Xvfb. Needs wireshark, xvfb, xdotool and imagemagick.
set -eu
plugin=$(realpath "$1") out=$(realpath "$2")
capture=$(realpath "$(dirname "$0")/../../pcaps/rxe/12g-netem-corrupt-badicrc.pcap")
frame=118

# Wireshark loads no personal plugins for root.
home=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$home"' EXIT
version=$(wireshark --version | sed -n '1s/.* \([0-9]*\.[0-9]*\)\..*/\1/p')
mkdir -p "$home/.config/wireshark" "$home/.local/lib/wireshark/plugins/$version/epan" "$home/run"
cp "$plugin" "$home/.local/lib/wireshark/plugins/$version/epan/ibwire.so"
cp "$capture" "$home/capture.pcap"
cat > "$home/.config/wireshark/preferences" <<'END'
ibwire.mode: augment
gui.window_title:
gui.layout_content_3: NONE
gui.column.format: "No.", "%m", "Source", "%s", "Destination", "%d", "Protocol", "%p", "Length", "%L", "Info", "%i"
END
cat > "$home/.config/wireshark/recent" <<'END'
gui.geometry_main_x: 0
gui.geometry_main_y: 0
gui.geometry_main_width: 1200
gui.geometry_main_height: 800
gui.geometry_main_maximized: FALSE
gui.geometry_main_upper_pane: 190
gui.geometry_main_lower_pane: 430
gui.byte_view_show: FALSE
END
as=()
if ((EUID == 0)); then
	chown -R 65534:65534 "$home"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

display=:97
Xvfb $display -screen 0 1200x800x24 -nolisten tcp > "$home/xvfb.log" 2>&1 &
sleep 3
export DISPLAY=$display
"${as[@]}" env HOME="$home" XDG_RUNTIME_DIR="$home/run" QT_QPA_PLATFORM=xcb LC_ALL=C.UTF-8 \
	wireshark -n -r "$home/capture.pcap" -g $frame > "$home/wireshark.log" 2>&1 &
for _ in $(seq 60); do
	xdotool search --onlyvisible --name capture.pcap > "$home/windows" 2> /dev/null && break
	sleep 2
done
[[ -s $home/windows ]] || { cat "$home/wireshark.log"; exit 1; }
sleep "${SETTLE:-10}"
# The last tree of the packet's details is ours: open all of it, and go to its end.
xdotool mousemove 300 420 click 1 key End
sleep 2
xdotool key shift+Right
sleep 2
xdotool key End
sleep 3
xdotool mousemove 1199 799
sleep 1
import -window root -depth 8 "$home/shot.png"
convert "$home/shot.png" -strip -colors 64 -define png:compression-level=9 "$out"
