/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: nfs_mount nfs://ADDRESS/EXPORT?nfsport=PORT&mountport=PORT FOLDER
 *
 * Mounts an export of a real NFS server (version 3) without the kernel's own client: libnfs speaks with the server, FUSE with the
 * kernel. Returns when it is mounted; a process stays behind. For tests: one request at a time, and names are kept for a moment only.
 * Locks are each client's own: libnfs has none in version 3, and its version 4 writes no more than 4 KiB at once (4.0.0).
 */
#define FUSE_USE_VERSION 31

#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <nfsc/libnfs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Far below the second within which others must find a file. */
static const double names_kept_s = 0.2;

static struct nfs_context *nfs;

/* Of what came from do_open or do_create. */
static struct nfsfh *opened(const struct fuse_file_info *info)
{
    return (struct nfsfh *)(uintptr_t)info->fh;
}

static void *do_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->attr_timeout = names_kept_s;
    config->entry_timeout = names_kept_s;
    return NULL;
}

static int do_getattr(const char *path, struct stat *ret, struct fuse_file_info *info)
{
    struct nfs_stat_64 got;
    int rc = info != NULL ? nfs_fstat64(nfs, opened(info), &got) : nfs_lstat64(nfs, path, &got);

    if (rc < 0)
        return rc;
    *ret = (struct stat){.st_ino = got.nfs_ino,
                         .st_mode = (mode_t)got.nfs_mode,
                         .st_nlink = got.nfs_nlink,
                         .st_uid = (uid_t)got.nfs_uid,
                         .st_gid = (gid_t)got.nfs_gid,
                         .st_size = (off_t)got.nfs_size,
                         .st_blocks = (blkcnt_t)(got.nfs_used / 512),
                         .st_blksize = (blksize_t)got.nfs_blksize,
                         .st_atim = {(time_t)got.nfs_atime, (long)got.nfs_atime_nsec},
                         .st_mtim = {(time_t)got.nfs_mtime, (long)got.nfs_mtime_nsec},
                         .st_ctim = {(time_t)got.nfs_ctime, (long)got.nfs_ctime_nsec}};
    return 0;
}

static int do_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    struct nfsdir *folder;
    const struct nfsdirent *entry;
    int rc = nfs_opendir(nfs, path, &folder);

    (void)offset, (void)info, (void)flags;
    if (rc < 0)
        return rc;
    while ((entry = nfs_readdir(nfs, folder)) != NULL)
        fill(buffer, entry->name, NULL, 0, 0);
    nfs_closedir(nfs, folder);
    return 0;
}

static int do_open(const char *path, struct fuse_file_info *info)
{
    struct nfsfh *file;
    int rc = nfs_open(nfs, path, info->flags & (O_ACCMODE | O_TRUNC), &file);

    info->fh = (uintptr_t)file;
    return rc;
}

static int do_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    struct nfsfh *file;
    int rc = nfs_open2(nfs, path, (info->flags & (O_ACCMODE | O_TRUNC | O_EXCL)) | O_CREAT,
                       (int)(mode & 07777), &file);

    info->fh = (uintptr_t)file;
    return rc;
}

/* The server may take, or give, less at once than was asked for. */
static int do_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info)
{
    size_t done = 0;
    int rc;

    (void)path;
    do {
        rc = nfs_pread(nfs, opened(info), (uint64_t)offset + done, size - done, buffer + done);
        if (rc < 0)
            return rc;
        done += (size_t)rc;
    } while (rc > 0 && done < size);
    return (int)done;
}

static int do_write(const char *path, const char *buffer, size_t size, off_t offset,
                    struct fuse_file_info *info)
{
    size_t done = 0;
    int rc;

    (void)path;
    while (done < size) {
        rc = nfs_pwrite(nfs, opened(info), (uint64_t)offset + done, size - done, buffer + done);
        if (rc <= 0)
            return rc < 0 ? rc : -EIO;
        done += (size_t)rc;
    }
    return (int)done;
}

static int do_fsync(const char *path, int only_data, struct fuse_file_info *info)
{
    (void)path, (void)only_data;
    return nfs_fsync(nfs, opened(info));
}

static int do_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    return nfs_close(nfs, opened(info));
}

static int do_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    return info != NULL ? nfs_ftruncate(nfs, opened(info), (uint64_t)size)
                        : nfs_truncate(nfs, path, (uint64_t)size);
}

static int do_mkdir(const char *path, mode_t mode)
{
    return nfs_mkdir2(nfs, path, (int)(mode & 07777));
}

static int do_rmdir(const char *path)
{
    return nfs_rmdir(nfs, path);
}

static int do_unlink(const char *path)
{
    return nfs_unlink(nfs, path);
}

static int do_rename(const char *from, const char *to, unsigned flags)
{
    return flags == 0 ? nfs_rename(nfs, from, to) : -EINVAL;
}

static int do_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    (void)info;
    return nfs_chmod(nfs, path, (int)(mode & 07777));
}

/* To what it is now, or to both times that are given: no test sets one of them. */
static int do_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    struct timeval given[] = {{times[0].tv_sec, times[0].tv_nsec / 1000},
                              {times[1].tv_sec, times[1].tv_nsec / 1000}};

    (void)info;
    return nfs_utimes(nfs, path, times[1].tv_nsec == UTIME_NOW ? NULL : given);
}

static int do_statfs(const char *path, struct statvfs *ret)
{
    struct nfs_statvfs_64 got;
    int rc = nfs_statvfs64(nfs, path, &got);

    if (rc < 0)
        return rc;
    *ret = (struct statvfs){.f_bsize = got.f_bsize,
                            .f_frsize = got.f_frsize,
                            .f_blocks = got.f_blocks,
                            .f_bfree = got.f_bfree,
                            .f_bavail = got.f_bavail,
                            .f_files = got.f_files,
                            .f_ffree = got.f_ffree,
                            .f_favail = got.f_favail,
                            .f_namemax = got.f_namemax};
    return 0;
}

static const struct fuse_operations operations = {
    .init = do_init,
    .getattr = do_getattr,
    .readdir = do_readdir,
    .open = do_open,
    .create = do_create,
    .read = do_read,
    .write = do_write,
    .fsync = do_fsync,
    .release = do_release,
    .truncate = do_truncate,
    .mkdir = do_mkdir,
    .rmdir = do_rmdir,
    .unlink = do_unlink,
    .rename = do_rename,
    .chmod = do_chmod,
    .utimens = do_utimens,
    .statfs = do_statfs,
};

int main(int argc, char **argv)
{
    const struct nfs_url *url;
    char source[512];

    if (argc != 3) {
        fprintf(stderr, "usage: nfs_mount nfs://ADDRESS/EXPORT?nfsport=PORT&mountport=PORT FOLDER\n");
        return 64;
    }
    nfs = nfs_init_context();
    url = nfs != NULL ? nfs_parse_url_dir(nfs, argv[1]) : NULL;
    /* libfuse becomes a daemon before it serves, which takes the connection with it. */
    if (url == NULL || nfs_mount(nfs, url->server, url->path) != 0) {
        fprintf(stderr, "nfs_mount: %s\n", nfs != NULL ? nfs_get_error(nfs) : "no memory");
        return 69;
    }
    nfs_set_dircache(nfs, 0);
    snprintf(source, sizeof source, "allow_other,default_permissions,subtype=nfs,fsname=%s:%s", url->server,
             url->path);
    return fuse_main(5, ((char *[]){argv[0], "-s", "-o", source, argv[2], NULL}), &operations, NULL);
}
