/* SPDX-License-Identifier: MIT */
/* Functions that the tools share: sizes, names of errors, temporary adapters. */
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
#define EXIT_NOT_HELD	1	/* it ran, but a check failed */
#define EXIT_NOT_RUN	2	/* bad arguments or input, or it could not run */

/*
 * Parse a number, decimal or 0x..., without a sign. Returns false if it is none, or exceeds 64
 * bits.
 */
bool parse_number(const char *text, uint64_t *value);

/* Like parse_number(), with an optional suffix K, M or G (binary). */
bool parse_size(const char *text, uint64_t *value);

/*
 * Extend the sign of the number in two's complement that is in the lowest @bytes of @value, 1 to 8.
 */
int64_t signed_value(uint64_t value, uint32_t bytes);

#define SIZE_TEXT	24

/* Format the exact size: "96M", "4K", "5000". Returns @text. */
const char *format_size(char text[SIZE_TEXT], uint64_t bytes);

/* Format about three digits: "71.3 MiB". Returns @text. */
const char *format_about(char text[SIZE_TEXT], uint64_t bytes);

/* The name, such as "ENOSPC", of a positive or negative errno value. Never NULL. */
const char *errno_name(int error);

/* The errno value of a name, or 0 if no error has this name. */
int errno_value(const char *name);

/*
 * Return the length of the UTF-8 character at the beginning of @text, in bytes, or 0 if there is no
 * valid one. @text must not be empty.
 */
size_t character_length(const char *text);

/* Return how many bytes of @text, at most @most, are complete characters. */
int whole_letters(const char *text, size_t most);

/* Replace invalid UTF-8 and control characters of a terminal by '?', and tabs by spaces. */
void make_printable(char *text);

/*
 * Print @text as a string of JSON. It contains no "<", so that it may be put into a page, and no
 * control character of a terminal. Invalid UTF-8 becomes U+FFFD.
 */
void put_json_string(FILE *out, const char *text);

/* Return @ptr, or end the program if it is NULL. */
void *need_memory(void *ptr);

char *copy_text(const char *text);

/*
 * Read a line of at most @max bytes, its end included, as getline() does. Returns its length, 0 at
 * the end of the file, or -errno; -EFBIG: it is longer.
 */
ssize_t read_line(char **line, size_t *room, size_t max, FILE *file);

/* Append a zeroed element to an array. Ends the program if there is no memory. */
void *append(void *list, uint32_t *count, size_t size);

/* Print "PROGRAM: message\n" to stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Options of all programs; they follow the program's own. */
#define LAST_OPTIONS \
	{ "version", no_argument, NULL, 'V' }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ 0 }

/* Like getopt_long(), but handles LAST_OPTIONS itself: it prints the text, and ends the program. */
int next_option(int argc, char **argv, const char *shorts, const struct option *longs,
		const char *usage);

/*
 * End a program. Returns @status, but EXIT_NOT_RUN instead of EXIT_HELD if standard output could
 * not be written; complains.
 */
int end_output(int status);

/* Are both the same regular file, so that opening it for writing would empty the input? */
bool same_file(const struct stat *a, const struct stat *b);

/*
 * Open the adapter with the name or node @which, or the first adapter if @which is NULL. Returns 0
 * or -errno; complains.
 */
int open_adapter(const char *which, struct vsplit_device **dev);

/* Replace @dev by the primary node of the same adapter. Returns 0, or -errno with @dev NULL. */
int reopen_primary(struct vsplit_device **dev);

/* Does the terminal or pipe behind @fd take UTF-8, according to the environment? */
bool locale_is_utf8(void);

/* Columns of the terminal behind @fd, else $COLUMNS, else 80; limited to @least to 240. */
unsigned int terminal_width(int fd, unsigned int least);

/*
 * An adapter for this run alone. The adapter is removed however the process ends: a child process
 * waits for that end.
 */
struct own_adapter;

/*
 * The name of such an adapter, and of other objects that processes of several containers share:
 * "@prefix-PID". In a container, which has process ids of its own, the number of its pid namespace
 * follows. @ns: "/proc/self/ns/pid".
 */
void own_adapter_name(const char *prefix, const char *ns, char name[VSPLIT_NAME_LEN]);

/* Create an adapter. Returns 0 or -errno; complains. */
int own_adapter_create(const char *prefix, struct own_adapter **own);

/*
 * Create an adapter with @vram bytes of video memory, all visible to the CPU, and @heads heads, and
 * open it. Returns 0 or -errno; complains. @own is to be destroyed in both cases.
 */
int own_adapter_open(const char *prefix, uint64_t vram, uint32_t heads, struct own_adapter **own,
		     struct vsplit_device **dev);

/* Return the library's adapter, for setting it up. */
struct vsplit_adapter *own_adapter_get(struct own_adapter *own);

void own_adapter_destroy(struct own_adapter *own);

#endif /* _VSPLIT_TOOLS_COMMON_H_ */
