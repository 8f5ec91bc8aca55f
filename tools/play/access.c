// SPDX-License-Identifier: MIT
/*
 * The CPU's accesses to allocations. If an allocation is pinned where the CPU cannot see it, or its
 * adapter is gone, an access raises SIGBUS. These functions then return an error.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "run.h"

static sigjmp_buf bus_error;

static void on_bus_error(int number)
{
	siglongjmp(bus_error, number);
}

static void guard(struct sigaction *old)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, old);
}

int cpu_write(void *dst, uint8_t byte, uint64_t length)
{
	struct sigaction old;
	int ret = 0;

	guard(&old);
	if (sigsetjmp(bus_error, 1))
		ret = -EFAULT;
	else
		memset(dst, byte, length);
	sigaction(SIGBUS, &old, NULL);
	return ret;
}

/*
 * Find the offset of the first byte that differs from @byte. Whole blocks are compared for speed.
 */
static uint64_t find_other(const uint8_t *bytes, uint8_t byte, uint64_t length, uint8_t *found)
{
	uint8_t block[4096];
	uint64_t i = 0;

	memset(block, byte, sizeof(block));
	while (length - i >= sizeof(block) && !memcmp(bytes + i, block, sizeof(block)))
		i += sizeof(block);
	for (; i < length; i++) {
		*found = *(const volatile uint8_t *)&bytes[i];
		if (*found != byte)
			break;
	}
	return i;
}

int cpu_compare(const void *src, uint8_t byte, uint64_t length, uint64_t *at, uint8_t *found)
{
	struct sigaction old;
	int ret = 0;

	guard(&old);
	if (sigsetjmp(bus_error, 1))
		ret = -EFAULT;
	else
		*at = find_other(src, byte, length, found);
	sigaction(SIGBUS, &old, NULL);
	return ret;
}
