/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef LOAD_H
#define LOAD_H

/* load_object.c: 0, or 1 when the user was told what is wrong */
int load_object(const char *file);

/* load.c: @pin the link @fd of the scheduler @name, and say so. 0, or 1 as above */
int keep_loaded(const char *name, int (*pin)(int fd, const char *path), int fd);

#endif
