#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rxe.sh MODULE... - loads them, makes a tap device, and runs vm-peer, which puts rxe on it. Run by busybox as a
# part of the init of the VM of kernel.sh; ib_core is there by then.

PATH=/bin
busybox --install -s /bin
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module; do
	insmod "/$module.ko" || echo "rxe.sh: no $module"
done
echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
tunctl -t tap0
ip link set tap0 address 02:00:00:00:00:01
ip link set tap0 up
ip addr add 10.9.0.1/24 dev tap0
ip -6 addr add fd09::1/64 dev tap0
/vm-peer >/peer.log 2>&1
rmmod ibwire_echo && echo "rxe.sh: removed"
cat /peer.log
