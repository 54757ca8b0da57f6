#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# screenshot.sh PLUGIN OUT.png [KIND]: the window of Wireshark with the plugin, made under Xvfb. KIND: tree (of a packet whose ICRC is wrong,
# the default); in the profile RDMA the packets of a connection that loses some (list), of native InfiniBand (ib) and of NVMe over Fabrics (nvme); the
# windows expert, conversations, connections, io and flow; story, with the directory of pcap-lint in PATH; follow, from Wireshark 4.4 on.
# Needs wireshark, xvfb, xdotool and imagemagick. Places of menus are those of Wireshark 4.0.
set -eu
plugin=$(realpath "$1") out=$(realpath "$2") what=${3:-tree}
top=$(realpath "$(dirname "$0")/../..")
case $what in
tree)
	capture=rxe/12g-netem-corrupt-badicrc.pcap frame=118
	;;
list | flow)
	capture=faults/03c-tail-loss-write.pcap frame=1
	;;
conversations | connections | expert)
	capture=faults/11-16qp-loss1.pcap frame=1
	;;
story)
	capture=faults/11-16qp-loss1.pcap frame=220
	;;
io)
	capture=faults/03-readresp-loss.pcap frame=1
	;;
ib)
	capture=mad/sweep.erf.pcap frame=1
	;;
nvme)
	capture=ulp/01-nvme.pcap frame=1
	;;
follow)
	capture=ulp/05-nfs40.pcap frame=10
	;;
*)
	echo "screenshot.sh: no picture $what" >&2
	exit 2
	;;
esac
capture=$top/pcaps/$capture

# Wireshark loads no personal plugins for root.
home=$(mktemp -d /tmp/ib.XXXX)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$home"' EXIT
version=$(wireshark --version | sed -n '1s/.* \([0-9]*\.[0-9]*\)\..*/\1/p')
mkdir -p "$home/.config/wireshark" "$home/.local/lib/wireshark/plugins/$version/epan" "$home/run"
cp "$plugin" "$home/.local/lib/wireshark/plugins/$version/epan/ibwire.so"
cp "$capture" "$home/capture.pcap"
profile=$home/.config/wireshark/profiles/RDMA
mkdir -p "$profile"
cp "$top"/dissector/wireshark/profile/RDMA/* "$profile"
chmod u+w "$profile"/*
cat > "$home/.config/wireshark/preferences" <<'END'
ibwire.mode: augment
gui.window_title:
gui.layout_content_3: NONE
gui.column.format: "No.", "%m", "Source", "%s", "Destination", "%d", "Protocol", "%p", "Length", "%L", "Info", "%i"
END
recent=$home/.config/wireshark/recent upper=190 lower=430 width=1200
options=()
if [[ $what != tree ]]; then
	options=(-C RDMA)
	upper=640 lower=60 width=1400
	[[ $what == list || $what == ib || $what == nvme ]] && width=1700
	mode=augment
	[[ $what == ib || $what == nvme ]] && mode=takeover
	printf 'ibwire.mode: %s\ngui.window_title:\ngui.layout_content_2: NONE\ngui.layout_content_3: NONE\n' "$mode" >> "$profile/preferences"
fi
cat > "$recent" <<END
gui.geometry_main_x: 0
gui.geometry_main_y: 0
gui.geometry_main_width: $width
gui.geometry_main_height: 800
gui.geometry_main_maximized: FALSE
gui.geometry_main_upper_pane: $upper
gui.geometry_main_lower_pane: $lower
gui.byte_view_show: FALSE
gui.conversation_tabs: RDMA
END
cat "$recent" >> "$profile/recent"
cp "$recent" "$recent"_common
as=()
if ((EUID == 0)); then
	chown -R 65534:65534 "$home"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

display=:97
Xvfb $display -screen 0 1700x800x24 -nolisten tcp > "$home/xvfb.log" 2>&1 &
sleep 3
export DISPLAY=$display
"${as[@]}" env HOME="$home" XDG_RUNTIME_DIR="$home/run" QT_QPA_PLATFORM=xcb LC_ALL=C.UTF-8 \
	wireshark -n "${options[@]}" -r "$home/capture.pcap" -g $frame > "$home/wireshark.log" 2>&1 &
for _ in $(seq 60); do
	xdotool search --onlyvisible --name capture.pcap > "$home/windows" 2> /dev/null && break
	sleep 2
done
[[ -s $home/windows ]] || { cat "$home/wireshark.log"; exit 1; }
sleep "${SETTLE:-10}"
case $what in
tree)
	# The last tree of the packet's details is ours: open all of it, and go to its end.
	xdotool mousemove 300 420 click 1 key End
	sleep 2
	xdotool key shift+Right
	sleep 2
	xdotool key End
	;;
conversations)
	xdotool mousemove "${X:-345}" "${Y:-10}" click 1
	sleep 2
	xdotool key Down Down Down Down Return
	sleep 5
	;;
connections)
	# Statistics > RDMA Connections, that which sent most again first
	xdotool mousemove 345 10 click 1
	sleep 2
	xdotool mousemove "${X:-400}" "${Y:-289}" click 1
	sleep 5
	xdotool search --name "RDMA Connections" windowmove 0 100 windowsize 1330 520
	sleep 2
	xdotool mousemove 672 122 click 1
	sleep 1
	xdotool click 1
	crop=1330x400+0+100
	;;
expert)
	xdotool mousemove 255 10 click 1
	sleep 2
	xdotool mousemove 300 367 click 1
	sleep 6
	xdotool search --onlyvisible --name "Expert Information" windowmove 0 100 windowsize 1300 400
	crop=1300x400+0+100
	;;
io)
	xdotool mousemove 345 10 click 1
	sleep 2
	xdotool mousemove 400 162 click 1
	sleep 10
	xdotool search --onlyvisible --name "I/O Graphs" windowmove 0 40 windowsize 1200 740
	sleep 2
	# The interval
	xdotool mousemove 515 725 click 1
	sleep 1
	xdotool key Up Up Up Up Up Up Return
	sleep 6
	crop=1200x740+0+40
	;;
flow)
	xdotool mousemove 345 10 click 1
	sleep 2
	xdotool mousemove 400 464 click 1
	sleep 6
	xdotool search --onlyvisible --name "Flow" windowmove 0 40 windowsize 1200 740
	sleep 2
	# The type of flow
	xdotool mousemove 635 725 click 1
	sleep 1
	xdotool type RDMA
	xdotool key Return
	sleep 4
	crop=1200x740+0+40
	;;
story)
	xdotool mousemove 534 10 click 1
	sleep 2
	xdotool mousemove 570 109 click 1
	sleep 6
	xdotool search --onlyvisible --name "RDMA Story" windowmove 0 100 windowsize 1200 420
	crop=1200x420+0+100
	;;
follow)
	# Analyze > Follow > RDMA Stream
	xdotool mousemove 255 10 click 1
	sleep 2
	for key in ${KEYS:-Up Up Right Return}; do
		xdotool key "$key"
		sleep 2
	done
	sleep 8
	;;
esac
sleep 3
xdotool mousemove $((width - 1)) 799
sleep 1
import -window root -depth 8 -crop "${crop:-${width}x800+0+0}" +repage "$home/shot.png"
convert "$home/shot.png" -strip -colors 64 -define png:compression-level=9 "$out"
