// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* echo_main.c - waits for rxe. */
#include "echo.h"

static int echo_add(struct ib_device *dev)
{
	return strcmp(dev_name(&dev->dev), ECHO_DEVICE) ? -EOPNOTSUPP : echo_register(dev);
}

static void echo_remove(struct ib_device *dev, void *data)
{
	echo_unregister();
}

static struct ib_client client = { .name = "ibwire_echo", .add = echo_add, .remove = echo_remove };

static int __init ibwire_echo_init(void)
{
	int err = echo_listen();

	if (err)
		return err;
	err = ib_register_client(&client);
	if (err)
		echo_hang_up();
	return err;
}

static void __exit ibwire_echo_exit(void)
{
	ib_unregister_client(&client);
	echo_hang_up();
}

module_init(ibwire_echo_init);
module_exit(ibwire_echo_exit);
MODULE_DESCRIPTION("Sends back what a peer made of ibwire alone sends to rxe");
MODULE_LICENSE("Dual BSD/GPL");
