// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Arrays that grow as things are found, by doubling: what is found may be thousands. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

/* Room for @more elements of @size behind the @count that there are; false: memory is short. What
 * has room already keeps it, also if it is filled anew from the beginning.
 */
bool make_room(void **array, size_t count, size_t *room, size_t more, size_t size)
{
	size_t wanted = 2 * (count + more);
	void *larger;

	if (count + more <= *room)
		return true;
	larger = reallocarray(*array, wanted, size);
	if (!larger)
		return false;
	*array = larger;
	*room = wanted;
	return true;
}

/* One more element, of zeroes, at the end of an array of @count that never shrinks: its room is a
 * power of two. NULL: the user was told that memory is short.
 */
void *append(void **array, size_t *count, size_t size)
{
	char *larger = *array;

	if (!(*count & (*count - 1)))
		larger = reallocarray(*array, *count ? 2 * *count : 1, size);
	if (!larger) {
		complain("%s", strerror(errno));
		return NULL;
	}
	*array = larger;
	return memset(larger + (*count)++ * size, 0, size);
}
