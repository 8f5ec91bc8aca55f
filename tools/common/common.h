/* SPDX-License-Identifier: MIT */
/* What the tools share: sizes, names of errors, adapters of their own. */
#ifndef _VSPLIT_TOOLS_COMMON_H_
#define _VSPLIT_TOOLS_COMMON_H_

#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "vsplit.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Exit statuses of all tools. */
#define EXIT_HELD	0	/* all went well */
#define EXIT_NOT_HELD	1	/* it ran, and something did not hold */
#define EXIT_NOT_RUN	2	/* bad arguments or input, or it could not be run */

/*
 * A number, decimal or 0x..., without sign; false if it is none or over 64 bits.
 */
bool parse_number(const char *text, uint64_t *value);

/* As parse_number(), with an optional K, M or G (binary) behind it. */
bool parse_size(const char *text, uint64_t *value);

/* The number in two's complement that is in the lowest bytes of @value, 1 to 8. */
int64_t signed_value(uint64_t value, uint32_t bytes);

#define SIZE_TEXT	24

/* Exact: "96M", "4K", "5000". Returns @text. */
const char *format_size(char text[SIZE_TEXT], uint64_t bytes);

/* To three digits or so: "71.3 MiB". Returns @text. */
const char *format_about(char text[SIZE_TEXT], uint64_t bytes);

/* "ENOSPC"; of a positive or negative errno value. Never NULL. */
const char *errno_name(int error);

/* 0 if no error has this name. */
int errno_value(const char *name);

/* Bytes of the character of UTF-8 that @text, which is not empty, begins with; 0: it begins with none. */
size_t character_length(const char *text);

/* Of @text, so many bytes as are whole letters and no more than @most. */
int whole_letters(const char *text, size_t most);

/* '?' for what is no UTF-8, or what a terminal takes for a command; spaces for tabs. */
void make_printable(char *text);

/*
 * As a string of JSON. It has no "<", so that it may be put into a page, and nothing that a terminal
 * takes for a command. What is no UTF-8 becomes U+FFFD.
 */
void put_json_string(FILE *out, const char *text);

/* The pointer; ends the program if it is NULL. */
void *need_memory(void *ptr);

char *copy_text(const char *text);

/* One more element, zeroed, at the end of an array; ends the program without memory. */
void *append(void *list, uint32_t *count, size_t size);

/* "PROGRAM: message\n" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What every program takes; behind its own. */
#define LAST_OPTIONS \
	{ "version", no_argument, NULL, 'V' }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ 0 }

/* As getopt_long(), but these it does itself: they print, and end the program. */
int next_option(int argc, char **argv, const char *shorts, const struct option *longs,
		const char *usage);

/*
 * The end of a program: @status, or EXIT_NOT_RUN instead of EXIT_HELD where standard output
 * could not be written; complains.
 */
int end_output(int status);

/* One regular file? Then to open the one for writing empties the other. */
bool same_file(const struct stat *a, const struct stat *b);

/*
 * The adapter of that name, or behind the node of that path; NULL: the first there is.
 * Returns 0 or -errno; complains.
 */
int open_adapter(const char *which, struct vsplit_device **dev);

/* Instead of @dev, the primary node of its adapter. Returns 0, or -errno with @dev NULL. */
int reopen_primary(struct vsplit_device **dev);

/* True if the terminal or pipe behind @fd takes UTF-8, by the environment. */
bool locale_is_utf8(void);

/* Columns of the terminal behind @fd, or of $COLUMNS, or 80; 40 to 240. */
unsigned int terminal_width(int fd);

/*
 * An adapter of one's own for this run. However the process ends, the adapter
 * is removed: a child waits for that end.
 */
struct own_adapter;

/*
 * What one of this process is called: "@prefix-PID"; where processes have numbers of their own, in a
 * container, with the number of that behind it. @ns: "/proc/self/ns/pid".
 */
void own_adapter_name(const char *prefix, const char *ns, char name[VSPLIT_NAME_LEN]);

/* Begin one. Returns 0 or -errno; complains. */
int own_adapter_create(const char *prefix, struct own_adapter **own);

/*
 * Begin one with so many bytes of video memory, all of it visible, and so many heads, and open it.
 * Returns 0 or -errno; complains. @own is to be destroyed in both cases.
 */
int own_adapter_open(const char *prefix, uint64_t vram, uint32_t heads, struct own_adapter **own,
		     struct vsplit_device **dev);

/* The library's adapter, to set it up. */
struct vsplit_adapter *own_adapter_get(struct own_adapter *own);

void own_adapter_destroy(struct own_adapter *own);

#endif /* _VSPLIT_TOOLS_COMMON_H_ */
