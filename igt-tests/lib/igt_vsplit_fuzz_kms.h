/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzer's steps on heads share.
 */
#ifndef IGT_VSPLIT_FUZZ_KMS_H
#define IGT_VSPLIT_FUZZ_KMS_H

#include <drm_fourcc.h>
#include <drm_mode.h>

#include "igt_vsplit_fuzz_play.h"

#define KMS_W 64u
#define KMS_H 48u
#define KMS_LUT 256

struct kms_object {
	uint32_t id;
	unsigned int nr;
	struct {
		uint32_t id;
		char name[28];
	} props[40];
};

struct kms_head {
	unsigned int pipe;
	struct kms_object crtc, connector, writeback;
	char name[24];			/* of the connector, in debugfs */
	struct kms_object planes[4];	/* from the lowest on */
	unsigned int nr_planes;
};

/* The heads of an adapter, at most the first two. */
struct kms_display {
	const struct vsplit_adapter *ad;
	unsigned int nr;
	struct kms_head heads[2];
};

/* A commit under construction; objects may come several times. */
struct kms_request {
	struct vsplit_rng *rng;
	uint32_t objects[32], counts[32], props[192];
	uint64_t values[192];
	unsigned int nr_objects, nr_props;
	/* where the kernel puts fences */
	int32_t out[4];
	int in;
};

struct kms_format {
	uint32_t fourcc;
	uint32_t bytes;
};

/* A head mostly shows the first two; the first eight can be written by a writeback. */
extern const struct kms_format kms_formats[10];

/* Unlike libdrm's, this does not restart after a signal. -errno. */
static inline int kms_call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

/* The value; or any number, if something shall be wrong. */
static inline uint32_t odd32(struct vsplit_rng *rng, uint32_t value)
{
	return vsplit_fuzz_odd(rng) ? vsplit_fuzz_wild(rng) : value;
}

/* A handle on the primary file: an allocation of its own, or an import of the client's. 0: none. */
uint32_t kms_bo(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint64_t size);
/* Returns the id, or 0 if it fails. */
uint32_t kms_add_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng,
		    const struct kms_format *format, uint32_t width, uint32_t height);
/* An existing framebuffer with its size, or a new one of the mode's size. */
uint32_t kms_fb(struct vsplit_fuzz_client *c, struct vsplit_rng *rng, uint32_t *w, uint32_t *h);
int kms_fb_step(struct vsplit_fuzz_client *c, struct vsplit_rng *rng);

struct drm_mode_modeinfo kms_mode(struct vsplit_rng *rng);
void kms_begin(struct kms_request *r, struct vsplit_rng *rng);
/* @fd: a file of the client, or a lease of it. */
int kms_send(int fd, struct vsplit_fuzz_client *c, struct kms_request *r, uint32_t flags);
void kms_set_off(struct kms_request *r, const struct kms_head *head);
/* The caller gives the blob to kms_blob_end(). */
uint32_t kms_set_mode(struct vsplit_fuzz_client *c, struct kms_request *r,
		      const struct kms_head *head);
void kms_blob_end(struct vsplit_fuzz_client *c, uint32_t id);
void kms_set_plane(struct vsplit_fuzz_client *c, struct kms_request *r,
		   const struct kms_head *head, unsigned int at);
void kms_set_writeback(struct vsplit_fuzz_client *c, struct kms_request *r,
		       const struct kms_head *head);
int kms_mode_step(struct vsplit_fuzz_client *c, const struct kms_display *d,
		  struct vsplit_rng *rng);
int kms_commit_step(int fd, struct vsplit_fuzz_client *c, const struct kms_head *head,
		    struct vsplit_rng *rng);

#endif /* IGT_VSPLIT_FUZZ_KMS_H */
