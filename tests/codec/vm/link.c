// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* link.c - the tap device, rxe on it, and neighbours: netlink. */
#include "vm.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint8_t our_mac[6] = { 2, 0, 0, 0, 0, 2 };

bool vm_open(struct vm *vm)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };

	memcpy(ifr.ifr_name, VM_TAP, sizeof(VM_TAP));
	vm->tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (vm->tap < 0 || ioctl(vm->tap, TUNSETIFF, &ifr) < 0)
		return vm_fail("tap device: %s", strerror(errno));
	return true;
}

/* A message of netlink. */
struct request {
	struct nlmsghdr h;
	uint8_t room[256];
};

static void request_add(struct request *r, const void *p, size_t n)
{
	memcpy((uint8_t *)r + r->h.nlmsg_len, p, n);
	r->h.nlmsg_len += (uint32_t)NLMSG_ALIGN(n);
}

static void request_attr(struct request *r, uint16_t type, const void *p, size_t n)
{
	struct nlattr a = { .nla_len = (uint16_t)(sizeof(a) + n), .nla_type = type };

	request_add(r, &a, sizeof(a));
	request_add(r, p, n);
}

/* Sends it and reads the answer: 0, or a positive errno. */
static int request_do(int protocol, struct request *r)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), error = EIO;
	uint8_t answer[1024];
	struct nlmsgerr err;
	ssize_t n;

	if (fd < 0)
		return errno;
	r->h.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	n = send(fd, r, r->h.nlmsg_len, 0);
	if (n > 0)
		n = recv(fd, answer, sizeof(answer), 0);
	if (n >= (ssize_t)(NLMSG_HDRLEN + sizeof(err))) {
		memcpy(&err, answer + NLMSG_HDRLEN, sizeof(err));
		error = -err.error;
	}
	close(fd);
	return error;
}

/* As `rdma link add rxe0 type rxe netdev tap0` does. */
bool vm_rxe_add(void)
{
	struct request r = { .h = { .nlmsg_len = NLMSG_HDRLEN } };
	int error;

	r.h.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
	request_attr(&r, RDMA_NLDEV_ATTR_DEV_NAME, VM_RXE, sizeof(VM_RXE));
	request_attr(&r, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe", sizeof("rxe"));
	request_attr(&r, RDMA_NLDEV_ATTR_NDEV_NAME, VM_TAP, sizeof(VM_TAP));
	error = request_do(NETLINK_RDMA, &r);
	return !error || vm_fail("rxe on " VM_TAP ": %s", strerror(error));
}

/* The MAC of one of our addresses, which nobody asks for then. */
bool vm_neighbour(const uint8_t *gid)
{
	struct request r = { .h = { .nlmsg_len = NLMSG_HDRLEN, .nlmsg_type = RTM_NEWNEIGH } };
	bool v4 = ibw_gid_is_ipv4(gid);
	struct ndmsg nd = { .ndm_family = v4 ? AF_INET : AF_INET6, .ndm_state = NUD_PERMANENT };
	int error;

	nd.ndm_ifindex = (int)if_nametoindex(VM_TAP);
	r.h.nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
	request_add(&r, &nd, sizeof(nd));
	request_attr(&r, NDA_DST, v4 ? gid + 12 : gid, v4 ? 4 : 16);
	request_attr(&r, NDA_LLADDR, our_mac, sizeof(our_mac));
	error = request_do(NETLINK_ROUTE, &r);
	return !error || vm_fail("neighbour: %s", strerror(error));
}
